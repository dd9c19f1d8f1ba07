"""Whose a rating is that came back, beside it: with an index, the next item's first question costs the same
however many of others are still to be mended."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FILL = """
UPDATE tasks_returnedrating AS returned SET annotator_id = rating.annotator_id
FROM tasks_rating AS rating WHERE rating.id = returned.rating_id
"""


def _annotator(*, null: bool) -> models.ForeignKey:
    return models.ForeignKey(
        db_index=False,
        null=null,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="returned_ratings",
        to=settings.AUTH_USER_MODEL,
    )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("tasks", "0012_views_are_checked"),
    ]

    operations = [
        migrations.AddField("returnedrating", "annotator", _annotator(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        # The foreign key is checked at the end of the transaction, before which the table cannot be altered.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField("returnedrating", "annotator", _annotator(null=False)),
        migrations.AddIndex(
            "returnedrating",
            models.Index(
                fields=["annotator", "project"],
                condition=models.Q(("mended_at", None)),
                name="ratings_to_be_mended",
            ),
        ),
    ]
