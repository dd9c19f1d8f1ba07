"""Calls of the API with a key do nothing twice: their answers are stored."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0011_api_usage"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnsweredCall",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("digest", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("answer", models.TextField()),
                ("called_at", models.DateTimeField()),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answered_calls",
                        to="tasks.apitoken",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["called_at"], name="answered_calls_by_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("token", "key"), name="a_key_is_of_one_call_of_a_token"
                    )
                ],
            },
        ),
    ]
