"""Why a rating is an extra one, kept with it: a column with a constant default, added without rewriting the table, and
filled some thousands of rows at a time. That a flag may be answered and no more; and whether a rating that is
stored is to come back at once, looked at with all that others have stored by then."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models, transaction

STEP = 20_000

# By how the item stands now, which is what was told of it until now. Written once: a migration that was broken
# off is run again.
FILL = """
UPDATE tasks_rating AS rating SET extra_because = CASE
  WHEN rating.round > 0 THEN 'again'
  WHEN item.dropped AND item.counted < item.wanted THEN 'dropped'
  ELSE 'full' END
FROM tasks_item AS item
WHERE item.id = rating.item_id AND rating.kind = 'extra' AND rating.extra_because = ''
  AND rating.id >= %(first)s AND rating.id < %(first)s + %(step)s
"""
# In a function that may change from call to call each statement sees what is stored by then; the one that calls
# it, when it has waited for the item, still sees what was before.
COMES_BACK = """
CREATE OR REPLACE FUNCTION tasks_comes_back(of_item bigint, of_annotator bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM tasks_concern
    WHERE item_id = of_item AND annotator_id = of_annotator AND kind = 'flag' AND decision = 'again');
END $$;
"""


def fill(apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM tasks_rating")
        lowest, highest = cursor.fetchone()
        for first in range(lowest, highest + 1, STEP):
            with transaction.atomic(using=schema_editor.connection.alias):
                cursor.execute(FILL, {"first": first, "step": STEP})


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tasks", "0025_when_work_was_begun")]

    operations = [
        migrations.AddField(
            "rating",
            "extra_because",
            models.CharField(
                "Extra because",
                blank=True,
                choices=[
                    ("again", "you had rated the item already, and what you said then counts"),
                    ("dropped", "the lead has dropped the item"),
                    ("full", "when it came, the item wanted no more ratings"),
                ],
                db_default="",
                default="",
                max_length=12,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.RunSQL(COMES_BACK, "DROP FUNCTION tasks_comes_back(bigint, bigint)"),
        migrations.AlterField(
            "concern",
            "decision",
            models.CharField(
                blank=True,
                choices=[
                    ("", "not decided"),
                    ("answered", "an answer, and all stays as it is"),
                    ("again", "once more to the same annotator"),
                    ("someone_else", "to someone else"),
                    ("drop", "drop the item"),
                ],
                default="",
                max_length=12,
            ),
        ),
        AddConstraintNotValid(
            "concern",
            models.CheckConstraint(
                condition=~models.Q(decision="answered")
                | (models.Q(kind="flag") & ~models.Q(answer="")),
                name="an_answer_to_a_flag_has_words",
            ),
        ),
        ValidateConstraint("concern", "an_answer_to_a_flag_has_words"),
        migrations.AlterField(
            "returnedrating", "reasons", models.JSONField(db_default=[], default=list)
        ),
    ]
