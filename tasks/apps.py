from django.apps import AppConfig


class TasksConfig(AppConfig):
    """See the package's own modules; only its name and key type are settled here."""

    name = "tasks"
    default_auto_field = "django.db.models.BigAutoField"
