"""Texts of scripts that have no spaces between words are searched by pairs of their letters."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).with_name("sql")


class Migration(migrations.Migration):
    dependencies = [("tasks", "0013_dropped_items_count_nowhere")]

    operations = [
        migrations.AddField(
            model_name="itemwords",
            name="runs",
            field=models.TextField(db_default="", default=""),
        ),
        migrations.RunSQL((SQL / "search.sql").read_text()),
        # The worker indexes all texts anew. It stores the words of those that change.
        migrations.RunSQL("UPDATE tasks_itemlist SET indexed = 0"),
    ]
