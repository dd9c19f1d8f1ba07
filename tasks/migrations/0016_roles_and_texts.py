"""Roles that their holders agreed to, and texts of documents that no column cuts or refuses.

Of the roles before, those of the makers of projects, of accepted invitations, and of admins count
as agreed to: they share drafts of rubrics.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

ONLY_THOSE_THAT_WERE_TAKEN = """
UPDATE tasks_membership AS membership SET agreed = FALSE
WHERE role = 'lead'
  AND NOT EXISTS (SELECT FROM tasks_project AS project
    WHERE project.id = membership.project_id AND project.created_by_id = membership.user_id)
  AND NOT EXISTS (SELECT FROM tasks_invitation AS invitation
    WHERE invitation.project_id = membership.project_id AND invitation.role = 'lead'
      AND invitation.accepted_by_id = membership.user_id)
  AND NOT EXISTS (SELECT FROM annotators_user AS person
    WHERE person.id = membership.user_id AND person.is_superuser)
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0015_stored_exports")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="agreed",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AlterField(
            model_name="score",
            name="breaks",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), blank=True, db_default=[], default=list, size=None
            ),
        ),
        migrations.AlterField(
            model_name="practiceanswer",
            name="missed",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), size=None
            ),
        ),
        migrations.RunSQL(ONLY_THOSE_THAT_WERE_TAKEN, migrations.RunSQL.noop),
    ]
