"""The days of what was rated before, in UTC; and what is lent just now is open already. One way through the ratings,
which nobody waits for."""

from django.db import migrations

DAYS = """
INSERT INTO tasks_workday (project_id, annotator_id, day, rated, seconds, recent)
SELECT project_id, annotator_id, (submitted_at AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE revision = 1),
  coalesce(sum(active_seconds), 0), coalesce((array_agg(active_seconds ORDER BY id DESC)
    FILTER (WHERE revision = 1 AND active_seconds IS NOT NULL))[1:50], '{}')
FROM tasks_rating GROUP BY project_id, annotator_id, (submitted_at AT TIME ZONE 'UTC')::date
ON CONFLICT (annotator_id, project_id, day) DO NOTHING
"""
OPEN = """
UPDATE tasks_lease SET opened_at = started_at WHERE status = 'live' AND opened_at IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0009_warnings_limits_and_days")]

    operations = [
        migrations.RunSQL(DAYS, migrations.RunSQL.noop, elidable=True),
        migrations.RunSQL(OPEN, migrations.RunSQL.noop, elidable=True),
    ]
