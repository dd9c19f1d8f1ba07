"""Projects that were rated before get their cases, and what their leads asked is a question."""

from pathlib import Path

from django.db import migrations

UNCOUNT = "DROP FUNCTION tasks_count_cases CASCADE"
SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("tasks", "0006_disagreements")]

    operations = [
        migrations.RunSQL((SQL / "case_counts.sql").read_text(), UNCOUNT),
        migrations.RunSQL((SQL / "cases.sql").read_text(), migrations.RunSQL.noop),
    ]
