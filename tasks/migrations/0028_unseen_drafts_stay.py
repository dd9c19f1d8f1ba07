"""A rating or a correction removes only a draft that its page wrote or was shown.

Until now it removed every draft of the item, and drafts that came in at the same moment were left
over, shown to nobody. Those go here.
"""

from django.db import migrations

END_DRAFT = """
CREATE FUNCTION tasks_end_draft(
  of_item bigint, of_annotator bigint, by_writer text, by_number integer, shown integer
) RETURNS boolean LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM tasks_draft
    WHERE item_id = of_item AND annotator_id = of_annotator
      AND CASE by_writer WHEN '' THEN true
        WHEN writer THEN by_number = 0 OR number <= by_number
        ELSE revision = shown END;
  RETURN NOT EXISTS (SELECT FROM tasks_draft
    WHERE item_id = of_item AND annotator_id = of_annotator);
END $function$;
"""
LEFT_OVER = """
DELETE FROM tasks_draft AS draft
WHERE EXISTS (SELECT FROM tasks_lease AS ended
    WHERE ended.id = draft.lease_id AND ended.status = 'submitted')
  OR EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = draft.corrects_id);
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0027_leases_of_five_minutes")]

    operations = [
        migrations.RunSQL(
            END_DRAFT, "DROP FUNCTION tasks_end_draft(bigint, bigint, text, integer, integer)"
        ),
        migrations.RunSQL(
            "CREATE SEQUENCE tasks_draft_revision AS integer",
            "DROP SEQUENCE tasks_draft_revision",
        ),
        migrations.RunSQL(LEFT_OVER, migrations.RunSQL.noop),
    ]
