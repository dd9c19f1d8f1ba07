from django.apps import AppConfig


class RubricsConfig(AppConfig):
    """See the package's own modules; only its name and key type are settled here."""

    name = "rubrics"
    default_auto_field = "django.db.models.BigAutoField"
