"""What came in a file of ratings can be taken back."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0020_slots"),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="rating_file",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.ratingfile",
            ),
        ),
        migrations.AddField(
            model_name="corpusanswer",
            name="file",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="answers",
                to="tasks.ratingfile",
            ),
        ),
    ]
