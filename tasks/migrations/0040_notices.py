"""Notices, the lines of an inbox. A trigger tells leads of a batch that its last rating finished."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TELL = """
CREATE FUNCTION tasks_tell_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The order is that of `items_in_the_queue`. Without it PostgreSQL, which cannot know how few items are unfinished,
  -- reads the whole table.
  IF (SELECT count(*) = 50 FROM (SELECT FROM tasks_item
      WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
      ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 50) AS unfinished) THEN
    RETURN NULL;
  END IF;
  -- Two requests that finish the last two items do not see each other's. So near the end of a batch they take turns,
  -- and the query below has a newer snapshot than the one above.
  PERFORM pg_advisory_xact_lock(hashtext('tasks_tell_finished'), hashint8(NEW.batch_id));
  INSERT INTO tasks_notice (user_id, kind, project_id, batch_id, words, created_at)
  SELECT user_id, 'finished', project_id, NEW.batch_id, '', now() FROM tasks_membership
  WHERE project_id = NEW.project_id AND role = 'lead' AND (SELECT id FROM tasks_item
    WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
    ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 1) IS NULL
  ON CONFLICT (user_id, kind, project_id, concern_id, returned_id, batch_id)
  DO UPDATE SET created_at = excluded.created_at, read_at = NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER a_finished_batch_is_told AFTER UPDATE OF counted ON tasks_item FOR EACH ROW
WHEN (NEW.counted >= NEW.wanted AND OLD.counted < OLD.wanted AND NOT NEW.dropped)
EXECUTE FUNCTION tasks_tell_finished();
"""
TELL_NO_MORE = (
    "DROP TRIGGER a_finished_batch_is_told ON tasks_item; DROP FUNCTION tasks_tell_finished();"
)


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0038_facts_of_items"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("added", "Added"),
                            ("invitation", "Invitation"),
                            ("decision", "Decision"),
                            ("returned", "Returned"),
                            ("batch", "Batch"),
                            ("raised", "Raised"),
                            ("mended", "Mended"),
                            ("finished", "Finished"),
                        ],
                        max_length=12,
                    ),
                ),
                ("words", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.batch",
                    ),
                ),
                (
                    "concern",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.concern",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="tasks.project",
                    ),
                ),
                (
                    "returned",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="tasks.returnedrating",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
                "indexes": [
                    models.Index(fields=["user", "-created_at", "-id"], name="notices_of_a_user"),
                    models.Index(
                        condition=models.Q(("read_at", None)),
                        fields=["user"],
                        name="notices_not_read",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "project", "concern", "returned", "batch"),
                        name="a_user_has_one_notice_of_a_thing",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("batch", None),
                                ("concern", None),
                                ("kind__in", ("added", "invitation")),
                                ("returned", None),
                            ),
                            models.Q(
                                ("concern__isnull", False), ("kind__in", ("decision", "raised"))
                            ),
                            models.Q(
                                ("kind__in", ("returned", "mended")), ("returned__isnull", False)
                            ),
                            models.Q(("batch__isnull", False), ("kind__in", ("batch", "finished"))),
                            _connector="OR",
                        ),
                        name="a_notice_points_to_what_it_is_about",
                    ),
                ],
            },
        ),
        migrations.RunSQL(TELL, TELL_NO_MORE),
    ]
