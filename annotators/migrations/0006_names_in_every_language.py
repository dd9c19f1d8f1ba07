"""Names of models and fields for the admin's pages, to be translated. No table changes."""

from django.db import migrations

from config.web.migration_ops import NameFields


class Migration(migrations.Migration):
    dependencies = [("annotators", "0005_languages")]

    operations = [
        NameFields({"user": {"email": "E-mail"}}),
    ]
