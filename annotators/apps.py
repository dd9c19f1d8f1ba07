from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotatorsConfig(AppConfig):
    """See the package's own modules; only its names and key type are settled here."""

    name = "annotators"
    verbose_name = _("People")
    default_auto_field = "django.db.models.BigAutoField"
