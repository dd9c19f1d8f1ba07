"""All that ever came back to an annotator is found by an index, mended or not: they see it under "My work"."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0013_ratings_to_be_mended"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="returnedrating",
            index=models.Index(fields=["annotator", "returned_at"], name="ratings_that_came_back"),
        ),
    ]
