"""The tables of projects, items and ratings with their triggers, before the first release."""

from pathlib import Path

import django.core.validators
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import Case, F, Q, When
from django.db.models.functions import Lower

import tasks.models.projects

SQL = Path(__file__).parent / "sql"
SUBJECTS = ("batches", "leases", "ratings", "item_list", "notices")


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("rubrics", "0001_baseline"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, unique=True)),
                ("title", models.CharField(max_length=200, verbose_name="Title")),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "open"), ("paused", "paused"), ("closed", "closed")],
                        default="open",
                        max_length=12,
                        verbose_name="Status",
                    ),
                ),
                ("archived_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "wanted",
                    models.PositiveSmallIntegerField(
                        default=3, verbose_name="Ratings wanted of each item"
                    ),
                ),
                (
                    "overlap_percent",
                    models.PositiveSmallIntegerField(
                        db_default=0, default=0, verbose_name="Overlap, in percent of the items"
                    ),
                ),
                (
                    "overlap_wanted",
                    models.PositiveSmallIntegerField(
                        db_default=3,
                        default=3,
                        verbose_name="Ratings wanted of items in the overlap",
                    ),
                ),
                (
                    "order",
                    models.CharField(
                        choices=[
                            ("uploaded", "as uploaded"),
                            ("priority", "by the batches’ priority"),
                            ("shuffled", "shuffled, for each annotator differently"),
                        ],
                        db_default="uploaded",
                        default="uploaded",
                        max_length=12,
                        verbose_name="Order of the items",
                    ),
                ),
                (
                    "grouping",
                    models.CharField(
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
                (
                    "view",
                    models.CharField(
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
                (
                    "lease_minutes",
                    models.PositiveSmallIntegerField(
                        default=30,
                        validators=[django.core.validators.MinValueValidator(5)],
                        verbose_name="Minutes for which an item is reserved",
                    ),
                ),
                ("asks_reasons", models.BooleanField(default=False)),
                (
                    "most_daily",
                    models.PositiveSmallIntegerField(
                        blank=True, null=True, verbose_name="Items per person and day"
                    ),
                ),
                (
                    "most_warned_daily",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        verbose_name="Items with a warning per person and day",
                    ),
                ),
                (
                    "search_address",
                    models.CharField(
                        db_default="https://duckduckgo.com/?q={claim}",
                        default="https://duckduckgo.com/?q={claim}",
                        max_length=500,
                        verbose_name="Search address for claims",
                    ),
                ),
                (
                    "names_annotators",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        verbose_name="Name annotators on the agreement page",
                    ),
                ),
                (
                    "correction_hours",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        verbose_name="Hours in which a rating can be corrected",
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=tasks.models.projects.new_seed)),
                ("created_at", models.DateTimeField()),
                (
                    "form_key",
                    models.CharField(
                        blank=True, db_default="", default="", editable=False, max_length=32
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="projects", to="rubrics.rubric"
                    ),
                ),
            ],
            options={
                "ordering": ("title",),
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(archived_at=None) | Q(status="closed"),
                        name="an_archived_project_is_closed",
                    ),
                    models.CheckConstraint(
                        condition=Q(wanted__gte=1), name="an_item_wants_a_rating_at_least"
                    ),
                    models.CheckConstraint(
                        condition=Q(lease_minutes__gte=5),
                        name="a_lease_lasts_five_minutes_at_least",
                    ),
                    models.CheckConstraint(
                        condition=Q(overlap_percent__lte=100, overlap_wanted__gte=1),
                        name="an_overlap_is_of_a_hundred_at_most",
                    ),
                    models.CheckConstraint(
                        condition=Q(search_address__regex="^https?://.*\\{claim\\}"),
                        name="claims_are_looked_up_at_an_address",
                    ),
                    models.CheckConstraint(
                        condition=Q(view__in=("text", "rendered")),
                        name="texts_are_shown_as_text_or_rendered",
                    ),
                    models.UniqueConstraint(
                        condition=~Q(form_key=""),
                        fields=("created_by", "form_key"),
                        name="a_form_makes_one_project",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("lead", "lead")], max_length=12
                    ),
                ),
                (
                    "drawn",
                    ArrayField(
                        base_field=models.PositiveIntegerField(), blank=True, null=True, size=None
                    ),
                ),
                (
                    "view",
                    models.CharField(
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="memberships", to="tasks.project"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user", "role"), name="a_role_is_held_once"
                    ),
                    models.CheckConstraint(
                        condition=Q(view__in=("", "text", "rendered")),
                        name="a_member_chose_text_or_rendered",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("lead", "lead")], max_length=12
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("name", models.CharField(blank=True, max_length=150)),
                ("most", models.PositiveSmallIntegerField(default=1)),
                ("used", models.PositiveSmallIntegerField(default=0)),
                ("made_at", models.DateTimeField()),
                ("wanted_at", models.DateTimeField(blank=True, null=True)),
                ("language", models.CharField(blank=True, max_length=8)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("fault", models.CharField(blank=True, max_length=300)),
                ("expires_at", models.DateTimeField()),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="invitations", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("-made_at", "-pk"),
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(most__gte=1, used__lte=F("most")),
                        name="an_invitation_serves_no_more_than_it_may",
                    ),
                    models.CheckConstraint(
                        condition=Q(email="") | Q(most=1), name="a_letter_invites_one_person"
                    ),
                    models.UniqueConstraint(
                        condition=Q(email="", withdrawn_at=None),
                        fields=("project",),
                        name="a_project_has_one_link",
                    ),
                    models.UniqueConstraint(
                        F("project"),
                        Lower("email"),
                        condition=~Q(email="") & Q(used=0) & Q(withdrawn_at=None),
                        name="an_address_is_invited_once_at_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("position", models.PositiveIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "open"), ("paused", "paused"), ("closed", "closed")],
                        default="open",
                        max_length=12,
                    ),
                ),
                (
                    "rank",
                    models.SmallIntegerField(
                        choices=[(-1, "first"), (0, "in its turn"), (1, "last")],
                        db_default=0,
                        default=0,
                        verbose_name="Handed out",
                    ),
                ),
                (
                    "priority",
                    models.SmallIntegerField(db_default=0, default=0, verbose_name="Priority"),
                ),
                ("size", models.PositiveIntegerField(db_default=0, default=0)),
                ("wanted", models.PositiveIntegerField(db_default=0, default=0)),
                ("dropped", models.PositiveIntegerField(db_default=0, default=0)),
                ("finished", models.PositiveIntegerField(db_default=0, default=0)),
                ("asked", models.JSONField(editable=False, null=True)),
                (
                    "warning",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        verbose_name="Warning before each item",
                    ),
                ),
                ("file_name", models.CharField(blank=True, max_length=255)),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="batches", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="a_batch_name_stands_once_in_a_project"
                    ),
                    models.UniqueConstraint(
                        fields=("project", "position"), name="batches_stand_in_one_order"
                    ),
                    models.UniqueConstraint(
                        fields=("project", "digest"), name="a_file_is_uploaded_once_in_a_project"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="assignments", to="tasks.batch"
                    ),
                ),
            ],
            options={
                "ordering": ("batch", "annotator"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("batch", "annotator"), name="an_assignment_stands_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BadRows",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("number", models.PositiveIntegerField()),
                ("shown", models.JSONField(default=list)),
                ("language", models.CharField(db_default="en", default="en", max_length=10)),
                ("kept_at", models.DateTimeField()),
                (
                    "uploader",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.batch",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to="tasks.project"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "bad rows",
                "indexes": [models.Index(fields=["kept_at"], name="bad_rows_by_their_age")],
            },
        ),
        migrations.CreateModel(
            name="BadRowsBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "bad_rows",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="content", to="tasks.badrows"
                    ),
                ),
            ],
            options={
                "ordering": ("place",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("bad_rows", "place"), name="blocks_of_bad_rows_stand_in_one_order"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("external_id", models.TextField()),
                ("position", models.PositiveIntegerField()),
                ("persona", models.JSONField(blank=True, default=list)),
                ("messages", models.JSONField(blank=True, default=list)),
                ("system", models.TextField(blank=True)),
                ("context", models.TextField(blank=True)),
                ("reference", models.TextField(blank=True)),
                ("source", models.TextField(blank=True)),
                ("warning", models.TextField(blank=True, db_default="", default="")),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("wanted", models.PositiveSmallIntegerField(db_default=1, default=1)),
                ("counted", models.PositiveSmallIntegerField(default=0)),
                ("reserved", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("dropped", models.BooleanField(db_default=False, default=False)),
                ("group", models.BigIntegerField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="items",
                        to="tasks.batch",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="items",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "ordering": ("batch", "position"),
                "indexes": [
                    models.Index(
                        F("batch"),
                        Case(When(counted__lt=F("wanted"), dropped=False, then=F("position"))),
                        condition=Q(counted__lt=F("wanted"), dropped=False),
                        name="items_in_the_queue",
                    ),
                    models.Index(
                        condition=Q(group__isnull=False),
                        fields=["project", "group"],
                        name="items_of_a_group",
                    ),
                    models.Index(
                        condition=Q(counted__gt=0, counted__lt=F("wanted"), dropped=False),
                        fields=["project", "counted"],
                        name="items_begun",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "external_id"),
                        name="an_item_id_stands_once_in_a_project",
                    ),
                    models.UniqueConstraint(
                        fields=("batch", "position"), name="items_of_a_batch_stand_in_one_order"
                    ),
                    models.CheckConstraint(
                        condition=Q(wanted__gte=1), name="an_item_wants_one_rating_at_least"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("model", models.TextField(blank=True)),
                ("text", models.TextField(blank=True)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="responses",
                        to="tasks.item",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="responses", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "position"), name="responses_of_an_item_stand_in_one_order"
                    ),
                    models.CheckConstraint(
                        condition=Q(position__gte=1), name="responses_count_from_one"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("live", "Live"),
                            ("submitted", "Submitted"),
                            ("expired", "Expired"),
                            ("released", "Released"),
                            ("removed", "Removed"),
                        ],
                        default="live",
                        max_length=12,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("responses", ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("model_names", ArrayField(base_field=models.TextField(), size=None)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("writer", models.CharField(blank=True, db_default="", default="", max_length=32)),
                ("number", models.IntegerField(db_default=0, default=0)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="leases", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="leases", to="tasks.item"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="leases", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=Q(status="live"),
                        fields=["project", "expires_at"],
                        name="live_leases_by_their_end",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(status="live"),
                        fields=("project", "annotator"),
                        name="an_annotator_holds_one_item_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=Q(ended_at=None, status="live")
                        | (~Q(status="live") & Q(ended_at__isnull=False)),
                        name="a_lease_that_is_over_says_when",
                    ),
                ],
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
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="group_holds", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("project", "group", "slot"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "group", "slot"), name="a_slot_of_a_group_is_held_once"
                    ),
                    models.UniqueConstraint(
                        fields=("project", "group", "annotator"),
                        name="a_group_is_held_once_by_an_annotator",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                (
                    "kind",
                    models.CharField(
                        choices=[("counted", "counted"), ("extra", "extra")],
                        default="counted",
                        max_length=12,
                    ),
                ),
                (
                    "extra_because",
                    models.CharField(
                        blank=True,
                        choices=[
                            (
                                "again",
                                "you had already rated this item, and your first rating counts",
                            ),
                            ("dropped", "the lead has dropped the item"),
                            ("full", "when it came, the item wanted no more ratings"),
                            ("late", "your time for the item had ended more than 14 days before"),
                            ("removed", "you no longer rated in the project"),
                        ],
                        db_default="",
                        default="",
                        max_length=12,
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("comment", models.TextField(blank=True)),
                ("not_sure", models.BooleanField(db_default=False, default=False)),
                (
                    "fingerprint",
                    models.CharField(blank=True, db_default="", default="", max_length=64),
                ),
                ("asked", models.JSONField(blank=True, default=dict)),
                (
                    "view",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("text", "as text"),
                            ("rendered", "rendered: Markdown, code and formulas"),
                            ("difference", "as text, with the differences of the responses"),
                        ],
                        db_default="",
                        default="",
                        max_length=12,
                    ),
                ),
                ("active_seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("elapsed_seconds", models.PositiveIntegerField()),
                ("started_at", models.DateTimeField()),
                ("submitted_at", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="ratings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="ratings",
                        to="tasks.item",
                    ),
                ),
                (
                    "lease",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="rating",
                        to="tasks.lease",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="ratings",
                        to="tasks.project",
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="ratings", to="rubrics.rubric"
                    ),
                ),
                (
                    "supersedes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="superseded_by",
                        to="tasks.rating",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["project", "id"], name="ratings_of_a_project"),
                    models.Index(
                        fields=["annotator", "project", "id"], name="ratings_of_an_annotator"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "annotator", "attempt", "revision"),
                        name="an_annotator_rates_an_item_once_in_an_attempt",
                    ),
                    models.CheckConstraint(
                        condition=Q(revision=1, supersedes=None)
                        | Q(revision__gt=1, supersedes__isnull=False),
                        name="a_later_revision_supersedes_one",
                    ),
                    models.CheckConstraint(
                        condition=~Q(kind="counted") | Q(attempt=0),
                        name="what_counts_is_of_the_first_attempt",
                    ),
                    models.CheckConstraint(
                        condition=Q(view__in=("", "text", "rendered", "difference")),
                        name="a_rating_was_made_in_a_view_that_there_is",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Placement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("comment", models.TextField(blank=True)),
                (
                    "rating",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="placements",
                        to="tasks.rating",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="placements", to="tasks.response"
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating", "position"), name="one_response_stands_at_a_place"
                    ),
                    models.UniqueConstraint(
                        fields=("rating", "response"), name="a_response_stands_at_one_place"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=80)),
                (
                    "unit",
                    models.CharField(
                        choices=[("response", "response"), ("candidate_set", "candidate set")],
                        max_length=20,
                    ),
                ),
                ("model", models.TextField(blank=True)),
                ("position", models.PositiveSmallIntegerField()),
                ("value", models.SmallIntegerField()),
                ("open", ArrayField(base_field=models.SmallIntegerField(), size=None)),
                (
                    "clauses",
                    ArrayField(
                        base_field=models.CharField(max_length=80),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("remarks", models.JSONField(blank=True, default=list)),
                ("checks", models.JSONField(blank=True, default=dict)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="scores", to="tasks.project"
                    ),
                ),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="scores", to="tasks.rating"
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="scores",
                        to="tasks.response",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(response__isnull=False),
                        fields=("rating", "dimension", "response"),
                        name="a_response_has_one_score_for_a_dimension",
                    ),
                    models.UniqueConstraint(
                        condition=Q(response__isnull=True),
                        fields=("rating", "dimension", "model"),
                        name="a_candidate_set_has_one_score_for_a_dimension",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FactCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("claim", models.TextField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("holds", "it holds"),
                            ("refuted", "it is refuted"),
                            ("undetermined", "undetermined"),
                        ],
                        max_length=12,
                    ),
                ),
                ("sources", models.TextField(blank=True)),
                ("seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("over_time", models.BooleanField(db_default=False, default=False)),
                (
                    "rating",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="fact_checks",
                        to="tasks.rating",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="fact_checks", to="tasks.response"
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating", "response", "position"),
                        name="fact_checks_of_a_response_are_numbered",
                    ),
                    models.CheckConstraint(
                        condition=Q(over_time=False) | Q(seconds__isnull=False),
                        name="a_look_up_over_time_was_timed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CorpusAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("model", models.TextField()),
                ("dimension", models.CharField(max_length=80)),
                ("code", models.CharField(max_length=80, verbose_name="check")),
                ("answer", models.CharField(max_length=80)),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("answered_at", models.DateTimeField()),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="corpus_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="corpus_answers", to="tasks.batch"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="corpus_answers", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "batch", "model", "dimension", "code", "revision"),
                        name="revisions_of_a_corpus_answer_are_numbered",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("writer", models.CharField(max_length=32)),
                ("number", models.PositiveIntegerField()),
                ("continued", models.BooleanField(default=False)),
                ("answers", models.JSONField()),
                ("seen", models.TextField(blank=True)),
                ("active_seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("saved_at", models.DateTimeField()),
                ("begun_at", models.DateTimeField(blank=True, null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="drafts",
                        to="tasks.item",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
                (
                    "lease",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="tasks.lease",
                    ),
                ),
                (
                    "corrects",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="tasks.rating",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "item", "writer"), name="one_draft_of_a_page"
                    ),
                    models.CheckConstraint(
                        condition=Q(corrects__isnull=False, lease__isnull=True)
                        | Q(corrects__isnull=True, lease__isnull=False),
                        name="a_draft_is_of_a_lease_or_of_a_correction",
                    ),
                ],
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
                            ("unclear", "I can’t tell what the rubric asks here"),
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
                            ("answered", "an answer, and all stays as it is"),
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
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="concerns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="concerns", to="tasks.item"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="concerns", to="tasks.project"
                    ),
                ),
                (
                    "lease",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="concerns", to="tasks.lease"
                    ),
                ),
            ],
            options={
                "ordering": ("-raised_at", "-pk"),
                "indexes": [
                    models.Index(
                        condition=Q(decision=""),
                        fields=["project", "raised_at"],
                        name="concerns_to_be_decided",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(kind="skip"), fields=("lease",), name="a_lease_is_skipped_once"
                    ),
                    models.UniqueConstraint(
                        condition=Q(decision="", kind="flag"),
                        fields=("annotator", "item"),
                        name="an_annotator_has_one_undecided_flag_on_an_item",
                    ),
                    models.CheckConstraint(
                        condition=Q(decided_at=None, decision="")
                        | (~Q(decision="") & Q(decided_at__isnull=False)),
                        name="a_concern_that_is_decided_says_when",
                    ),
                    models.CheckConstraint(
                        condition=~Q(decision="answered") | (Q(kind="flag") & ~Q(answer="")),
                        name="an_answer_to_a_flag_has_words",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReturnedRating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reasons", models.JSONField(db_default=[], default=list)),
                ("reason", models.TextField()),
                ("returned_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="returned_ratings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="returned_ratings",
                        to="tasks.project",
                    ),
                ),
                (
                    "rating",
                    models.OneToOneField(
                        on_delete=models.PROTECT, related_name="returned", to="tasks.rating"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=Q(settled_at=None),
                        fields=["annotator", "project"],
                        name="ratings_that_wait",
                    ),
                    models.Index(
                        fields=["annotator", "returned_at"], name="ratings_that_came_back"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
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
                        choices=[
                            ("added", "Added"),
                            ("invitation", "Invitation"),
                            ("decision", "Decision"),
                            ("returned", "Returned"),
                            ("batch", "Batch"),
                            ("raised", "Raised"),
                            ("revised", "Revised"),
                            ("finished", "Finished"),
                        ],
                        max_length=12,
                    ),
                ),
                ("words", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.batch",
                    ),
                ),
                (
                    "concern",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.concern",
                    ),
                ),
                (
                    "invitation",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.invitation",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="notices", to="tasks.project"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "returned",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="notices",
                        to="tasks.returnedrating",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
                "indexes": [
                    models.Index(fields=["user", "-created_at", "-id"], name="notices_of_a_user"),
                    models.Index(
                        condition=Q(read_at=None), fields=["user"], name="notices_not_read"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "project", "concern", "returned", "batch"),
                        name="a_user_has_one_notice_of_a_thing",
                        nulls_distinct=False,
                    ),
                    models.UniqueConstraint(
                        condition=Q(kind="raised"),
                        fields=("user", "project"),
                        name="a_lead_has_one_notice_of_flags_in_a_project",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            batch=None,
                            concern=None,
                            kind__in=("added", "invitation"),
                            returned=None,
                        )
                        | Q(concern__isnull=False, kind__in=("decision", "raised"))
                        | Q(kind__in=("returned", "revised"), returned__isnull=False)
                        | Q(batch__isnull=False, kind__in=("batch", "finished")),
                        name="a_notice_points_to_what_it_is_about",
                    ),
                ],
            },
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
                ("since", models.DateTimeField(blank=True, null=True)),
                (
                    "recent",
                    ArrayField(base_field=models.PositiveIntegerField(), default=list, size=None),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="workdays",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="workdays", to="tasks.project"
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
        migrations.CreateModel(
            name="BatchProgress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField(db_default=0, default=0)),
                ("rated", models.PositiveIntegerField(db_default=0, default=0)),
                ("dropped", models.PositiveIntegerField(db_default=0, default=0)),
                ("counted", models.PositiveIntegerField(db_default=0, default=0)),
                ("finished", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="batch_progress",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="batch_progress", to="tasks.batch"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="batch_progress", to="tasks.project"
                    ),
                ),
            ],
            options={
                "ordering": ("batch", "annotator"),
                "indexes": [
                    models.Index(
                        fields=["project", "annotator"], name="batch_progress_of_an_annotator"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "batch"),
                        name="an_annotator_has_one_progress_in_a_batch",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemEntry",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="entry",
                        serialize=False,
                        to="tasks.item",
                    ),
                ),
                ("external_id", models.TextField()),
                ("latest", models.BigIntegerField(default=0)),
                ("spread", models.SmallIntegerField(default=-1)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("untouched", "not rated"),
                            ("begun", "started"),
                            ("finished", "finished"),
                            ("dropped", "dropped"),
                        ],
                        max_length=12,
                    ),
                ),
                ("traits", ArrayField(base_field=models.TextField(), default=list, size=None)),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.batch",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    GinIndex(fields=["traits"], name="items_with_a_trait"),
                    models.Index(fields=["project", "item"], name="items_by_key"),
                    models.Index(fields=["project", "batch"], name="items_of_a_batch"),
                    models.Index(fields=["project", "state"], name="items_in_a_state"),
                    models.Index(fields=["project", "external_id"], name="items_by_id"),
                    models.Index(
                        fields=["project", "latest", "item"], name="items_by_latest_rating"
                    ),
                    models.Index(fields=["project", "spread", "item"], name="items_by_spread"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemWords",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.item",
                    ),
                ),
                ("words", SearchVectorField()),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "indexes": [GinIndex(fields=["words"], name="items_with_a_word")],
            },
        ),
        migrations.CreateModel(
            name="ItemList",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.project",
                    ),
                ),
                ("upto", models.BigIntegerField(default=0)),
                ("indexed", models.BigIntegerField(default=0)),
                ("responders", ArrayField(base_field=models.TextField(), default=list, size=None)),
            ],
        ),
        migrations.CreateModel(
            name="ScoreCounts",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.project",
                    ),
                ),
                ("upto", models.BigIntegerField(default=0)),
                ("counts", models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name="AgreementResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dimension", models.CharField(max_length=80)),
                ("first", models.BooleanField()),
                ("ratings", models.PositiveIntegerField()),
                ("made_at", models.DateTimeField()),
                ("figures", models.JSONField()),
                (
                    "rubric",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="rubrics.rubric",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to="tasks.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "rubric", "dimension", "first"),
                        name="a_dimension_has_one_result_of_agreement",
                    )
                ],
            },
        ),
        *(migrations.RunSQL((SQL / f"{subject}.sql").read_text()) for subject in SUBJECTS),
    ]
