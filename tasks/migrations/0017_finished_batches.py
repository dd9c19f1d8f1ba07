"""A lead has one notice of all finished batches of a project."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent / "sql"
EARLIER = (SQL / "notices.sql").read_text().partition("CREATE TRIGGER")[0]


class Migration(migrations.Migration):
    dependencies = [("tasks", "0016_roles_and_texts")]

    operations = [
        migrations.RunSQL(
            (SQL / "finished_batches.sql").read_text(),
            EARLIER.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                condition=models.Q(kind="finished"),
                fields=("user", "project"),
                name="a_lead_has_one_notice_of_finished_batches_in_a_project",
            ),
        ),
    ]
