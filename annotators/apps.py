from django.apps import AppConfig


class AnnotatorsConfig(AppConfig):
    """See the package's own modules; only its name and key type are settled here."""

    name = "annotators"
    default_auto_field = "django.db.models.BigAutoField"
