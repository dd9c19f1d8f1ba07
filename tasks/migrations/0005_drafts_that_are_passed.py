"""A lease knows which drafts are gone: a request that was older and comes late is no draft."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0004_decisions")]

    operations = [
        migrations.AddField(
            model_name="lease",
            name="passed",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
