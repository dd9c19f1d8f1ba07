"""The queue's tables and columns. A column with a constant default is added without rewriting its table;
what takes long on a large one follows in 0005."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0002_freeze_published_rubrics"),
        ("tasks", "0003_bad_rows_are_kept_for_their_uploader"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
            ],
            options={
                "ordering": ("batch", "annotator"),
            },
        ),
        migrations.CreateModel(
            name="Concern",
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
                        choices=[("skip", "skipped"), ("flag", "flagged")], max_length=12
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("distressing", "It is distressing"),
                            ("unclear", "I cannot tell what the rubric asks here"),
                            ("broken", "The item is broken or incomplete"),
                            ("language", "It is in a language that I do not read well"),
                            ("expertise", "It takes knowledge that I do not have"),
                            ("other", "Something else"),
                        ],
                        max_length=12,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("raised_at", models.DateTimeField()),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "not decided"),
                            ("again", "once more to the same annotator"),
                            ("someone_else", "to someone else"),
                            ("drop", "drop the item"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                ("answer", models.TextField(blank=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-raised_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="GroupHold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("group", models.BigIntegerField()),
                ("slot", models.PositiveSmallIntegerField()),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("project", "group", "slot"),
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField(db_default=0, default=0)),
                ("rated", models.PositiveIntegerField(db_default=0, default=0)),
                ("counted", models.PositiveIntegerField(db_default=0, default=0)),
                ("finished", models.PositiveIntegerField(db_default=0, default=0)),
            ],
            options={
                "ordering": ("batch", "annotator"),
            },
        ),
        migrations.AddField(
            model_name="batch",
            name="dropped",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="Items dropped"
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="finished",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="Items finished, when last counted"
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="priority",
            field=models.SmallIntegerField(db_default=0, default=0, verbose_name="Priority"),
        ),
        migrations.AddField(
            model_name="batch",
            name="rank",
            field=models.SmallIntegerField(
                choices=[(-1, "first"), (0, "in its turn"), (1, "last")],
                db_default=0,
                default=0,
                verbose_name="Its turn comes",
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="size",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="Number of items"
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="wanted",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="Ratings wanted"
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="dropped",
            field=models.BooleanField(db_default=False, default=False, verbose_name="Dropped"),
        ),
        migrations.AddField(
            model_name="item",
            name="group",
            field=models.BigIntegerField(
                blank=True, null=True, verbose_name="Group of those that show the same"
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="lent",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, verbose_name="Places lent"
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="wanted",
            field=models.PositiveSmallIntegerField(
                db_default=1, default=1, verbose_name="Ratings wanted"
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="drawn",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(), blank=True, null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="rating",
            name="fingerprint",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=64,
                verbose_name="Fingerprint of what was said",
            ),
        ),
        migrations.AddField(
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
                verbose_name="Items that show the same",
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="order",
            field=models.CharField(
                choices=[
                    ("uploaded", "as uploaded"),
                    ("priority", "by the batches' priority"),
                    ("shuffled", "shuffled, for each annotator differently"),
                ],
                db_default="uploaded",
                default="uploaded",
                max_length=12,
                verbose_name="Order of the items",
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="overlap_percent",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, verbose_name="Of so many percent of the items"
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="overlap_wanted",
            field=models.PositiveSmallIntegerField(
                db_default=3, default=3, verbose_name="… so many ratings instead"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("overlap_percent__lte", 100), ("overlap_wanted__gte", 1)),
                name="an_overlap_is_of_a_hundred_at_most",
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="assignments",
                to="tasks.batch",
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="item",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to="tasks.item",
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="lease",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to="tasks.lease",
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="grouphold",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="grouphold",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="group_holds",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="tasks.batch"
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
                to="tasks.project",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("batch", "annotator"), name="an_assignment_stands_once"
            ),
        ),
        migrations.AddIndex(
            model_name="concern",
            index=models.Index(
                condition=models.Q(("decision", "")),
                fields=["project", "raised_at"],
                name="concerns_to_be_decided",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "skip")),
                fields=("lease",),
                name="a_lease_is_skipped_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at", None), ("decision", "")),
                    models.Q(
                        models.Q(("decision", ""), _negated=True), ("decided_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="a_concern_that_is_decided_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="grouphold",
            constraint=models.UniqueConstraint(
                fields=("project", "group", "slot"), name="a_slot_of_a_group_is_held_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="grouphold",
            constraint=models.UniqueConstraint(
                fields=("project", "group", "annotator"),
                name="a_group_is_held_once_by_an_annotator",
            ),
        ),
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(fields=["project", "annotator"], name="seats_of_an_annotator"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(
                fields=("annotator", "batch"), name="an_annotator_has_one_seat_in_a_batch"
            ),
        ),
    ]
