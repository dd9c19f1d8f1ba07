"""When a correction was begun, and a day's work: columns that may be empty, added without rewriting a table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0022_dropped_after_it_was_rated")]

    operations = [
        migrations.AddField(
            model_name="draft", name="begun_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="workday", name="since", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
