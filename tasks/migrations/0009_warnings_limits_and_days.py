"""Warnings, limits of the day, and days. A column that is empty or has a constant default is added without rewriting
its table."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0008_drafts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="warning",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                verbose_name="Warning before every item of it",
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="warning",
            field=models.TextField(blank=True, db_default="", default="", verbose_name="Warning"),
        ),
        migrations.AddField(
            model_name="lease",
            name="opened_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="Texts shown at"),
        ),
        migrations.AddField(
            model_name="project",
            name="most_daily",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, verbose_name="Items that one person may rate in a day"
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="most_warned_daily",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, verbose_name="… and open with a warning"
            ),
        ),
        migrations.CreateModel(
            name="Workday",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("rated", models.PositiveIntegerField(db_default=0, default=0)),
                ("opened", models.PositiveIntegerField(db_default=0, default=0)),
                ("seconds", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "recent",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workdays",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workdays",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "ordering": ("-day",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "project", "day"),
                        name="an_annotator_has_one_day_a_day_in_a_project",
                    )
                ],
            },
        ),
    ]
