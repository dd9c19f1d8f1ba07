"""What someone has rated in a project, newest first. Made while people work; the index of the annotator alone
goes, since this one begins with it."""

from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import PROTECT


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("tasks", "0016_corrections"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            "rating",
            models.Index(fields=("annotator", "project", "id"), name="ratings_of_an_annotator"),
        ),
        migrations.AlterField(
            "rating",
            "annotator",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                PROTECT,
                db_index=False,
                related_name="ratings",
                verbose_name="Rated by",
            ),
        ),
    ]
