"""Programs call the API with tokens, whose calls are counted by the minute."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0007_cases_of_older_projects"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60, verbose_name="Name")),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("may_write", models.BooleanField(default=False)),
                ("names_people", models.BooleanField(default=False)),
                ("names_models", models.BooleanField(default=False)),
                ("days", models.PositiveSmallIntegerField()),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("announce_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("last_call", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to="tasks.project",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-made_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="TokenUse",
            fields=[
                (
                    "token",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="use",
                        serialize=False,
                        to="tasks.apitoken",
                    ),
                ),
                ("minute", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
            ],
        ),
        # Each call writes one row of it, and waits for no disk.
        migrations.RunSQL("ALTER TABLE tasks_tokenuse SET UNLOGGED", migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.UniqueConstraint(
                models.F("owner"),
                django.db.models.functions.text.Lower("name"),
                condition=models.Q(("withdrawn_at", None)),
                name="a_name_stands_for_one_token_of_a_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("days__in", (30, 90, 365))), name="a_token_has_an_end"
            ),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("expires_at__gt", models.F("made_at"))),
                name="a_token_ends_after_it_began",
            ),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("withdrawn_at", None), ("withdrawn_by", None)),
                    models.Q(("withdrawn_at__isnull", False), ("withdrawn_by__isnull", False)),
                    _connector="OR",
                ),
                name="somebody_withdrew_a_token",
            ),
        ),
    ]
