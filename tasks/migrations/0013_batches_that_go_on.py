"""A batch may take more items until it is called complete; until then nobody is told that it is finished."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0012_answered_calls"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="complete",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.RunSQL((SQL / "notices.sql").read_text(), migrations.RunSQL.noop),
    ]
