"""Projects that were rated before get their cases, and what their leads asked is a question."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("tasks", "0006_disagreements")]

    operations = [
        migrations.RunSQL((SQL / "cases.sql").read_text(), migrations.RunSQL.noop),
    ]
