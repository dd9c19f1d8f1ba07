"""Store sessions in a table of ours, with the user in a column: one query finds both.

Everybody stays logged in. Sessions are copied without their user and take two queries, as before,
until they end or are saved again.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

MOVE = """
INSERT INTO annotators_session (session_key, session_data, expire_date)
SELECT session_key, session_data, expire_date FROM django_session WHERE expire_date > now();
DELETE FROM django_session
"""
MOVE_BACK = """
INSERT INTO django_session (session_key, session_data, expire_date)
SELECT session_key, session_data, expire_date FROM annotators_session;
DELETE FROM annotators_session
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0006_names_in_every_language"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40, primary_key=True, serialize=False, verbose_name="session key"
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
        migrations.RunSQL(MOVE, MOVE_BACK),
    ]
