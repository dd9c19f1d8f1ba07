"""A lease is always for a first rating: what came back is answered on the rating's own page.

A live lease that revises a rating ends here, and its draft becomes one of that correction.
"""

from django.db import migrations

END = """
UPDATE tasks_draft SET lease_id = NULL, corrects_id = lease.revises_id
FROM tasks_lease AS lease WHERE lease.id = tasks_draft.lease_id AND lease.revises_id IS NOT NULL;
UPDATE tasks_lease SET status = 'released', ended_at = now()
WHERE revises_id IS NOT NULL AND status = 'live';
-- What follows changes the tables, which PostgreSQL does only when no check of a key waits.
SET CONSTRAINTS ALL IMMEDIATE;
DROP TRIGGER a_lease_takes_a_place ON tasks_lease;
DROP TRIGGER a_lease_that_revives_takes_a_place ON tasks_lease;
DROP TRIGGER a_lease_that_ends_leaves_its_place ON tasks_lease;
CREATE TRIGGER a_lease_takes_a_place AFTER INSERT ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live') EXECUTE FUNCTION tasks_take_place();
CREATE TRIGGER a_lease_that_revives_takes_a_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live' AND OLD.status <> 'live')
  EXECUTE FUNCTION tasks_take_place();
CREATE TRIGGER a_lease_that_ends_leaves_its_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status <> 'live' AND OLD.status = 'live')
  EXECUTE FUNCTION tasks_leave_place();
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0048_the_trigger_is_given_the_role_of_leads")]

    operations = [
        migrations.RunSQL(END),
        migrations.RemoveField("lease", "revises"),
    ]
