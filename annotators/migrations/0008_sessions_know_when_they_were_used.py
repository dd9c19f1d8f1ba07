"""Store when sessions were last used, since they end after some hours without use.

Existing sessions count as used now, and last no longer than the others.
"""

import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

SHORTEN = f"""
UPDATE annotators_session
SET expire_date = LEAST(expire_date, now() + {int(settings.SESSION_COOKIE_AGE)} * interval '1 second')
"""  # noqa: S608 - a number of ours


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0007_sessions_know_whose_they_are"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="last_used",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.RunSQL(SHORTEN, migrations.RunSQL.noop),
    ]
