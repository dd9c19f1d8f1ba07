"""What came back is settled: its annotator has revised it, or nobody asks any more."""

from django.db import migrations, models

REVISED = "UPDATE tasks_notice SET kind = '{0}' WHERE kind = '{1}'; SET CONSTRAINTS ALL IMMEDIATE"
A_NOTICE_POINTS = "a_notice_points_to_what_it_is_about"


class Migration(migrations.Migration):
    dependencies = [("tasks", "0052_begun_items_are_counted_when_asked")]

    operations = [
        migrations.RemoveIndex("returnedrating", "ratings_to_be_mended"),
        migrations.RenameField("returnedrating", "mended_at", "settled_at"),
        migrations.AddIndex(
            "returnedrating",
            models.Index(
                fields=["annotator", "project"],
                condition=models.Q(("settled_at", None)),
                name="ratings_that_wait",
            ),
        ),
        migrations.RemoveConstraint("notice", A_NOTICE_POINTS),
        migrations.RunSQL(REVISED.format("revised", "mended"), REVISED.format("mended", "revised")),
        migrations.AlterField(
            "notice",
            "kind",
            models.CharField(
                choices=[
                    ("added", "Added"),
                    ("invitation", "Invitation"),
                    ("decision", "Decision"),
                    ("returned", "Returned"),
                    ("batch", "Batch"),
                    ("raised", "Raised"),
                    ("revised", "Revised"),
                    ("finished", "Finished"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            "notice",
            models.CheckConstraint(
                condition=models.Q(
                    ("batch", None),
                    ("concern", None),
                    ("kind__in", ("added", "invitation")),
                    ("returned", None),
                )
                | models.Q(("concern__isnull", False), ("kind__in", ("decision", "raised")))
                | models.Q(("kind__in", ("returned", "revised")), ("returned__isnull", False))
                | models.Q(("batch__isnull", False), ("kind__in", ("batch", "finished"))),
                name=A_NOTICE_POINTS,
            ),
        ),
    ]
