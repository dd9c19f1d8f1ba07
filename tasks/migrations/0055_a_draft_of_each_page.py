"""Each page has a draft of its own, so no page needs to refuse another one's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0054_batch_progress_and_reserved_places")]

    operations = [
        migrations.RemoveConstraint("draft", "one_draft_of_an_item"),
        migrations.RemoveField("draft", "revision"),
        migrations.AddField("draft", "continued", models.BooleanField(default=False)),
        migrations.AddConstraint(
            "draft",
            models.UniqueConstraint(
                fields=("annotator", "item", "writer"), name="one_draft_of_a_page"
            ),
        ),
        migrations.RunSQL("DROP FUNCTION tasks_end_draft(bigint, bigint, text, integer, integer)"),
        migrations.RunSQL("DROP SEQUENCE tasks_draft_revision"),
    ]
