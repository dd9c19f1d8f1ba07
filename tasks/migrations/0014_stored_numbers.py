"""Numbers in place of the names of models and people are stored, so that they stay."""

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0013_batches_that_go_on"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredNumber",
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
                        choices=[("model", "Model"), ("rater", "Rater"), ("newcomer", "Newcomer")],
                        max_length=8,
                    ),
                ),
                ("reader", models.BigIntegerField()),
                ("subject", models.TextField()),
                ("number", models.PositiveIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_numbers",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        models.F("project"),
                        models.F("kind"),
                        models.F("reader"),
                        django.db.models.functions.text.MD5("subject"),
                        name="a_name_has_one_number",
                    ),
                    models.UniqueConstraint(
                        fields=("project", "kind", "reader", "number"),
                        name="a_number_is_of_one_name",
                    ),
                ],
            },
        ),
    ]
