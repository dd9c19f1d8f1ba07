"""A project may say from which distance the scores of a dimension differ."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0002_scores_without_asked_reasons")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="chosen_thresholds",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                verbose_name="From which distance scores differ",
            ),
        ),
    ]
