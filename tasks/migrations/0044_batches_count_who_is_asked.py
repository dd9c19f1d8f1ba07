"""For how many items of a batch each dimension is asked. It is counted when a lead looks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0043_plainer_labels")]

    operations = [
        migrations.AddField(
            "batch",
            "asked",
            models.JSONField(editable=False, null=True),
        ),
    ]
