"""Leads decide the final score of a target in a dimension."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0001_squashed_0005_sources"),
        ("tasks", "0003_chosen_thresholds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ScoreDecision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=80)),
                ("model", models.TextField(blank=True)),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("answer", "an answer"),
                            ("anew", "anew"),
                            ("withdrawn", "taken back"),
                        ],
                        max_length=12,
                    ),
                ),
                ("value", models.SmallIntegerField(blank=True, null=True)),
                ("without", models.CharField(blank=True, db_default="", default="", max_length=10)),
                ("checks", models.JSONField(blank=True, default=dict)),
                (
                    "cause",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("slip", "a slip"),
                            ("rubric", "the rubric is unclear"),
                            ("judgement", "a judgement call"),
                            ("context", "context is missing"),
                            ("item", "a faulty item"),
                        ],
                        db_default="",
                        default="",
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField(blank=True, max_length=2000)),
                ("seen", models.CharField(max_length=32)),
                ("decided_at", models.DateTimeField()),
                (
                    "adopted",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tasks.rating",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="tasks.item",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="tasks.project",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="tasks.response",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="rubrics.rubric",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("response__isnull", False)),
                        fields=("item", "dimension", "response", "revision"),
                        name="decisions_on_a_response_are_numbered",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("response__isnull", True)),
                        fields=("item", "dimension", "model", "revision"),
                        name="decisions_on_a_candidate_set_are_numbered",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("source", "withdrawn"),
                            models.Q(("value__isnull", False), ("without", "")),
                            models.Q(
                                ("value__isnull", True), ("without__in", ("blank", "not_asked"))
                            ),
                            _connector="OR",
                        ),
                        name="a_decision_has_a_score_or_says_why_not",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("adopted__isnull", False), ("source", "answer")),
                            models.Q(
                                models.Q(("source", "answer"), _negated=True),
                                ("adopted__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="an_adopted_answer_is_named",
                    ),
                ],
            },
        ),
    ]
