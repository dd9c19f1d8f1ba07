"""A rubric is a template of new projects, or not."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0003_drafts")]

    operations = [
        migrations.AddField(
            model_name="rubric",
            name="is_template",
            field=models.BooleanField(
                db_default=True, default=True, verbose_name="Template of new projects"
            ),
        ),
        migrations.RunSQL(
            (SQL / "templates.sql").read_text(),
            (SQL / "published_rubrics_stay.sql").read_text(),
        ),
    ]
