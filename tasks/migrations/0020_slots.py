"""Imported raters may be slots, and no persons."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0019_uploads_of_no_project"),
    ]

    operations = [
        migrations.AddField(
            model_name="importedrater",
            name="is_slot",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddConstraint(
            model_name="importedrater",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_slot", False), ("account", None), _connector="OR"),
                name="a_slot_is_nobodys_account",
            ),
        ),
    ]
