"""The worker sends the e-mails of invitations: since when one is wanted, and in which language."""

from django.db import migrations, models

# What waited for a button, or for the request that was stopped.
WANTED = """
UPDATE tasks_invitation SET wanted_at = made_at
WHERE email <> '' AND sent_at IS NULL AND withdrawn_at IS NULL AND used = 0 AND expires_at > now()
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0050_models_of_a_list")]

    operations = [
        migrations.AddField("invitation", "wanted_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "invitation",
            "language",
            models.CharField(blank=True, default="", max_length=8),
            preserve_default=False,
        ),
        migrations.RunSQL(WANTED, migrations.RunSQL.noop),
    ]
