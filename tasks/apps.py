from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TasksConfig(AppConfig):
    """See the package's own modules; only its names and key type are settled here."""

    name = "tasks"
    verbose_name = _("Projects and ratings")
    default_auto_field = "django.db.models.BigAutoField"
