"""The roles of people in projects."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    LEAD = "lead", _("lead")
    # Settles disagreements: sees cases and the rubric, neither people nor models.
    ADJUDICATOR = "adjudicator", _("adjudicator")
