"""A dropped item counts in no figure, and who holds it no longer does."""

from django.db import migrations, models

# The counts of batches and the entries of the list, as dropping does it from now on. What else is
# stored of their projects is made anew.
SETTLE = """
UPDATE tasks_batch SET wanted = found.wanted, dropped_ratings = found.dropped_ratings, asked = NULL
FROM (
  SELECT batch_id,
    coalesce(sum(greatest(counted, wanted)) FILTER (WHERE NOT dropped), 0) AS wanted,
    coalesce(sum(counted) FILTER (WHERE dropped), 0) AS dropped_ratings
  FROM tasks_item WHERE batch_id IN (SELECT id FROM tasks_batch WHERE dropped > 0)
  GROUP BY batch_id
) AS found
WHERE tasks_batch.id = found.batch_id;
UPDATE tasks_itementry SET spread = -1, traits = '{}'
WHERE item_id IN (SELECT id FROM tasks_item WHERE dropped);
DELETE FROM tasks_scorecounts
WHERE project_id IN (SELECT project_id FROM tasks_item WHERE dropped)
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0012_practice")]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="dropped_ratings",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="scorecounts",
            name="acts",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="scorecounts",
            name="acted_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="agreementresult",
            name="acts",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="lease",
            name="status",
            field=models.CharField(
                choices=[
                    ("live", "Live"),
                    ("submitted", "Submitted"),
                    ("expired", "Expired"),
                    ("released", "Released"),
                    ("removed", "Removed"),
                    ("dropped", "Dropped"),
                ],
                default="live",
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("dropped", True)), fields=["id"], name="items_dropped"
            ),
        ),
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(
                condition=models.Q(("status", "dropped")),
                fields=["annotator", "project"],
                name="leases_of_dropped_items",
            ),
        ),
        migrations.RunSQL(SETTLE, migrations.RunSQL.noop),
    ]
