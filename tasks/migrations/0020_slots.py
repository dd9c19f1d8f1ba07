"""Imported raters may be slots, and an import of ratings alone can be taken back."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0019_uploads_of_no_project"),
    ]

    operations = [
        migrations.AddField(
            model_name="importedrater",
            name="is_slot",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddConstraint(
            model_name="importedrater",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_slot", False), ("account", None), _connector="OR"),
                name="a_slot_is_nobodys_account",
            ),
        ),
        migrations.AddField(
            model_name="corpusanswer",
            name="file",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="corpus_answers",
                to="tasks.ratingfile",
            ),
        ),
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
    ]
