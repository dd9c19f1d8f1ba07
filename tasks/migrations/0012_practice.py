"""People may practise on the examples of a rubric, and a project may ask for it."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0003_drafts"),
        ("tasks", "0011_own_agreement"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Admission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("passed", "passed the practice"),
                            ("let_in", "let in by a lead"),
                            ("rated", "has rated here"),
                        ],
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField(blank=True, default="")),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PracticeAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("example", models.CharField(max_length=200)),
                ("answers", models.JSONField()),
                ("score", models.IntegerField(null=True)),
                ("is_exact", models.BooleanField()),
                ("is_near", models.BooleanField()),
                ("is_automatic", models.BooleanField()),
                (
                    "missed",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), size=None
                    ),
                ),
                ("disagrees", models.BooleanField(db_default=False, default=False)),
                ("answered_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("round", "answered_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="PracticeRound",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "examples",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200), size=None
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("is_finished", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "ordering": ("project", "annotator", "number"),
            },
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="a_notice_points_to_what_it_is_about",
        ),
        migrations.AddField(
            model_name="project",
            name="practice",
            field=models.CharField(
                choices=[
                    ("off", "off"),
                    ("offered", "offered"),
                    ("required", "required before the first item"),
                ],
                db_default="off",
                default="off",
                max_length=12,
                verbose_name="Practice on the rubric’s examples",
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="practice_examples",
            field=models.PositiveSmallIntegerField(
                db_default=8, default=8, verbose_name="Examples in a round"
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="practice_near",
            field=models.PositiveSmallIntegerField(
                db_default=6, default=6, verbose_name="How many scores must be within one"
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="practice_tries",
            field=models.PositiveSmallIntegerField(
                db_default=2, default=2, verbose_name="Rounds in which one can pass"
            ),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("added", "Added"),
                    ("invitation", "Invitation"),
                    ("decision", "Decision"),
                    ("returned", "Returned"),
                    ("batch", "Batch"),
                    ("raised", "Raised"),
                    ("revised", "Revised"),
                    ("finished", "Finished"),
                    ("upload", "Upload"),
                    ("practice", "Practice"),
                    ("joined", "Joined"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("batch", None),
                        ("concern", None),
                        ("kind__in", ("added", "invitation", "upload", "joined", "practice")),
                        ("returned", None),
                    ),
                    models.Q(("concern__isnull", False), ("kind__in", ("decision", "raised"))),
                    models.Q(("kind__in", ("returned", "revised")), ("returned__isnull", False)),
                    models.Q(("batch__isnull", False), ("kind__in", ("batch", "finished"))),
                    _connector="OR",
                ),
                name="a_notice_points_to_what_it_is_about",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("practice_examples__range", (4, 20))),
                name="a_round_has_four_to_twenty_examples",
            ),
        ),
        migrations.AddField(
            model_name="admission",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="admission",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="admission",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="admissions",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="practiceround",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="practice_rounds",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="practiceround",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="practice_rounds",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="practiceround",
            name="rubric",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="rubrics.rubric"
            ),
        ),
        migrations.AddField(
            model_name="practiceanswer",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="tasks.practiceround",
            ),
        ),
        migrations.AddConstraint(
            model_name="admission",
            constraint=models.UniqueConstraint(
                fields=("project", "annotator"), name="one_is_admitted_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceround",
            constraint=models.UniqueConstraint(
                fields=("project", "annotator", "number"), name="a_round_is_numbered_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceround",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)),
                fields=("project", "annotator"),
                name="one_practises_in_one_round_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceround",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("is_finished", False), ("ended_at__isnull", False), _connector="OR"
                ),
                name="a_finished_round_has_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.UniqueConstraint(
                fields=("round", "example"), name="an_example_is_answered_once_in_a_round"
            ),
        ),
    ]
