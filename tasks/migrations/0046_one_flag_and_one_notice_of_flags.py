"""An annotator has one undecided flag on an item, and a lead one notice of all flags in a project.

Of several flags the last one stays, with the words of all. Of several notices the last one stays.
"""

from django.db import migrations, models

ONE_FLAG = """
CREATE TEMPORARY TABLE flags_that_are_one ON COMMIT DROP AS
SELECT max(id) AS last, array_agg(id) AS every,
  string_agg(note, E'\\n' ORDER BY id) FILTER (WHERE note <> '') AS notes
FROM tasks_concern WHERE kind = 'flag' AND decision = ''
GROUP BY annotator_id, item_id HAVING count(*) > 1;
UPDATE tasks_concern SET note = COALESCE(notes, '') FROM flags_that_are_one WHERE id = last;
"""
ONE_NOTICE = """
UPDATE tasks_notice AS last SET read_at = NULL
WHERE kind = 'raised' AND EXISTS (SELECT FROM tasks_notice AS other
  WHERE other.kind = 'raised' AND other.read_at IS NULL
    AND other.user_id = last.user_id AND other.project_id = last.project_id);
DELETE FROM tasks_notice AS older USING tasks_notice AS newer
WHERE older.kind = 'raised' AND newer.kind = 'raised'
  AND older.user_id = newer.user_id AND older.project_id = newer.project_id
  AND (older.created_at, older.id) < (newer.created_at, newer.id);
UPDATE tasks_notice SET concern_id = last FROM flags_that_are_one WHERE concern_id = ANY (every);
DELETE FROM tasks_concern USING flags_that_are_one
WHERE tasks_concern.id = ANY (every) AND tasks_concern.id <> last;
-- What follows changes the tables, which PostgreSQL does only when no check of a key waits.
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0045_ratings_long_late_or_after_a_removal")]

    operations = [
        migrations.RunSQL(ONE_FLAG + ONE_NOTICE, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "concern",
            models.UniqueConstraint(
                condition=models.Q(("decision", ""), ("kind", "flag")),
                fields=("annotator", "item"),
                name="an_annotator_has_one_undecided_flag_on_an_item",
            ),
        ),
        migrations.AddConstraint(
            "notice",
            models.UniqueConstraint(
                condition=models.Q(("kind", "raised")),
                fields=("user", "project"),
                name="a_lead_has_one_notice_of_flags_in_a_project",
            ),
        ),
    ]
