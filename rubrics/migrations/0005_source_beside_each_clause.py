"""A version says in one line what each clause of its source asks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0004_dimensions_in_one_column")]

    operations = [
        migrations.AddField(
            "rubric", "clauses", models.JSONField("Clauses", default=list, blank=True)
        ),
    ]
