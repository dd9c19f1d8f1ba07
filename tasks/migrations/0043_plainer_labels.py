import django.core.validators
from django.db import migrations, models

import tasks.models.projects


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0042_one_project_for_a_form"),
    ]

    operations = [
        migrations.AlterField(
            model_name="batch",
            name="rank",
            field=models.SmallIntegerField(
                choices=[(-1, "first"), (0, "in its turn"), (1, "last")],
                db_default=0,
                default=0,
                verbose_name="Handed out",
            ),
        ),
        migrations.AlterField(
            model_name="batch",
            name="warning",
            field=models.TextField(
                blank=True, db_default="", default="", verbose_name="Warning before each item"
            ),
        ),
        migrations.AlterField(
            model_name="membership",
            name="view",
            field=models.CharField(
                blank=True,
                choices=[
                    ("rendered", "rendered: Markdown, code and formulas"),
                    ("text", "as text"),
                ],
                db_default="",
                default="",
                max_length=12,
                verbose_name="Default text view",
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="correction_hours",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, verbose_name="Hours in which a rating can be corrected"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="grouping",
            field=models.CharField(
                choices=[
                    ("free", "no rule"),
                    ("spread", "at most one of a group for each annotator"),
                    ("together", "all of a group to the same annotators"),
                ],
                db_default="free",
                default="free",
                max_length=12,
                verbose_name="Items with the same conversation",
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="lease_minutes",
            field=models.PositiveSmallIntegerField(
                default=30,
                validators=[django.core.validators.MinValueValidator(5)],
                verbose_name="Minutes for which an item is reserved",
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="most_daily",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, verbose_name="Items per person and day"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="most_warned_daily",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, verbose_name="Items with a warning per person and day"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="names_annotators",
            field=models.BooleanField(
                db_default=True, default=True, verbose_name="Name annotators on the agreement page"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="overlap_percent",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, verbose_name="Overlap, in percent of the items"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="overlap_wanted",
            field=models.PositiveSmallIntegerField(
                db_default=3, default=3, verbose_name="Ratings wanted of items in the overlap"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="search_address",
            field=models.CharField(
                db_default="https://duckduckgo.com/?q={claim}",
                default="https://duckduckgo.com/?q={claim}",
                max_length=500,
                verbose_name="Search address for claims",
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="seed",
            field=models.PositiveIntegerField(
                default=tasks.models.projects.new_seed, verbose_name="Random seed"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="view",
            field=models.CharField(
                choices=[
                    ("rendered", "rendered: Markdown, code and formulas"),
                    ("text", "as text"),
                ],
                db_default="rendered",
                default="rendered",
                max_length=12,
                verbose_name="Default text view",
            ),
        ),
    ]
