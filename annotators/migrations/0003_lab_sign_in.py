"""The lab's provider may recognize people, and passwords may be switched off but for the first accounts."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import annotators.models


def leave_passwords_to_admins(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Nobody noted who was made by command: any admin there is may have been."""
    apps.get_model("annotators", "User").objects.filter(is_superuser=True).update(
        keeps_password=True
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0002_reset_requests"),
    ]

    operations = [
        migrations.AlterModelManagers(
            name="user", managers=[("objects", annotators.models.Users())]
        ),
        migrations.AddField(
            model_name="user",
            name="keeps_password",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="user",
            name="may_start_projects",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunPython(leave_passwords_to_admins, migrations.RunPython.noop),
    ]
