from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotatorsConfig(AppConfig):
    """Names and primary key type of the app."""

    name = "annotators"
    verbose_name = _("People")
