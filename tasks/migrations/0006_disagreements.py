"""Cases of disagreement, the questions about them, and the role that settles them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0001_squashed_0005_sources"),
        ("tasks", "0005_drafts_that_are_passed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CaseEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=80)),
                ("model", models.TextField()),
                ("token", models.CharField(max_length=16, unique=True)),
                ("place", models.PositiveIntegerField()),
                ("item_spread", models.SmallIntegerField()),
                ("values", models.JSONField()),
                ("spread", models.SmallIntegerField()),
                ("first_spread", models.SmallIntegerField()),
                ("is_mixed", models.BooleanField()),
                ("was_mixed", models.BooleanField()),
                ("is_forced_apart", models.BooleanField()),
                ("checks", models.JSONField()),
                ("is_seen", models.BooleanField()),
                ("pairs", models.PositiveIntegerField()),
                ("seen_pairs", models.PositiveIntegerField()),
                ("squares", models.BigIntegerField()),
                ("spread_without", models.JSONField()),
                ("is_complete", models.BooleanField()),
                (
                    "decision",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "None"), (1, "Stands"), (2, "Changed")]
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("model", models.TextField()),
                ("dimension", models.CharField(max_length=80)),
                ("spread", models.SmallIntegerField()),
                ("first_spread", models.SmallIntegerField()),
                ("is_mixed", models.BooleanField()),
                ("was_mixed", models.BooleanField()),
                ("is_forced_apart", models.BooleanField()),
                ("is_complete", models.BooleanField()),
                (
                    "decision",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "None"), (1, "Stands"), (2, "Changed")]
                    ),
                ),
                ("is_seen", models.BooleanField()),
                ("check_name", models.TextField()),
                ("number", models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="CaseOpening",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(max_length=16)),
                ("opened_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "dimension",
                    models.CharField(blank=True, db_default="", default="", max_length=80),
                ),
                ("model", models.TextField(blank=True, db_default="", default="")),
                ("text", models.TextField(max_length=2000)),
                ("asked_at", models.DateTimeField()),
                ("reply", models.TextField(blank=True, db_default="", default="", max_length=2000)),
                ("replied_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="project",
            name="decides_first",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="Decide before seeing the answers"
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="disputed_checks",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                verbose_name="Checks on which a difference is to be settled",
            ),
        ),
        migrations.AddField(
            model_name="scoredecision",
            name="bulk",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="role",
            field=models.CharField(
                choices=[
                    ("annotator", "annotator"),
                    ("lead", "lead"),
                    ("adjudicator", "adjudicator"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="membership",
            name="role",
            field=models.CharField(
                choices=[
                    ("annotator", "annotator"),
                    ("lead", "lead"),
                    ("adjudicator", "adjudicator"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="scoredecision",
            name="source",
            field=models.CharField(
                choices=[
                    ("answer", "an answer"),
                    ("anew", "anew"),
                    ("median", "the median"),
                    ("first", "before the answers"),
                    ("withdrawn", "taken back"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="scoredecision",
            index=models.Index(
                condition=models.Q(("bulk__isnull", False)),
                fields=["project", "bulk"],
                name="decisions_made_at_once",
            ),
        ),
        migrations.AddField(
            model_name="caseentry",
            name="batch",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.batch",
            ),
        ),
        migrations.AddField(
            model_name="caseentry",
            name="item",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="cases",
                to="tasks.item",
            ),
        ),
        migrations.AddField(
            model_name="caseentry",
            name="project",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="caseentry",
            name="response",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.response",
            ),
        ),
        migrations.AddField(
            model_name="caseopening",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tasks.project"
            ),
        ),
        migrations.AddField(
            model_name="caseopening",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="asked_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="item",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to="tasks.item",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to="tasks.project",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="rating",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to="tasks.rating",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="response",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tasks.response",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="revision",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tasks.rating",
            ),
        ),
        migrations.AddIndex(
            model_name="caseentry",
            index=models.Index(
                condition=models.Q(("decision", 0)),
                fields=["project", "item_spread", "item", "place"],
                include=(
                    *("dimension", "spread", "first_spread", "is_mixed", "was_mixed"),
                    *("is_forced_apart", "is_complete", "decision", "is_seen"),
                ),
                name="cases_in_their_order",
            ),
        ),
        migrations.AddIndex(
            model_name="caseentry",
            index=models.Index(
                condition=models.Q(("decision__gt", 0)),
                fields=["project", "item_spread", "item", "place"],
                include=("decision", "is_seen"),
                name="decided_cases",
            ),
        ),
        migrations.AddIndex(
            model_name="caseentry",
            index=models.Index(
                condition=models.Q(
                    ("first_spread__gt", models.F("spread")),
                    models.Q(("is_mixed", False), ("was_mixed", True)),
                    _connector="OR",
                ),
                fields=["project", "item_spread", "item", "place"],
                name="cases_that_came_nearer",
            ),
        ),
        migrations.AddField(
            model_name="casecount",
            name="batch",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.batch",
            ),
        ),
        migrations.AddField(
            model_name="casecount",
            name="project",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.project",
            ),
        ),
        migrations.AddIndex(
            model_name="casecount",
            index=models.Index(fields=["project", "check_name"], name="counts_of_a_projects_cases"),
        ),
        migrations.AddIndex(
            model_name="casecount",
            index=models.Index(
                condition=models.Q(("number__lt", 0)),
                fields=["project"],
                name="counts_of_cases_that_went",
            ),
        ),
        migrations.AddConstraint(
            model_name="caseopening",
            constraint=models.UniqueConstraint(
                fields=("project", "user"), name="a_person_has_one_case_open_in_a_project"
            ),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                condition=models.Q(("replied_at", None), ("withdrawn_at", None)),
                fields=["project", "item"],
                name="questions_that_wait",
            ),
        ),
        migrations.AddField(
            model_name="agreementresult",
            name="talk",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RemoveConstraint(
            model_name="agreementresult", name="a_dimension_has_one_result_of_agreement"
        ),
        migrations.AddConstraint(
            model_name="agreementresult",
            constraint=models.UniqueConstraint(
                fields=("project", "rubric", "dimension", "first", "sound", "talk"),
                name="a_dimension_has_one_result_of_agreement",
            ),
        ),
    ]
