"""The tables of projects, items and ratings with their triggers, before the first release."""

from pathlib import Path

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MinValueValidator
from django.db import migrations, models
from django.db.models import Case, F, Q, When
from django.db.models.functions import Lower

import tasks.models.projects

SQL = Path(__file__).parent / "sql"
SUBJECTS = ("batches", "leases", "ratings", "item_list", "search", "notices")


class Migration(migrations.Migration):
    replaces = [
        ("tasks", "0001_baseline"),
        ("tasks", "0002_uploads"),
        ("tasks", "0003_upload_work"),
        ("tasks", "0004_scores_without_value"),
        ("tasks", "0005_response_checks"),
        ("tasks", "0006_imported_ratings"),
        ("tasks", "0007_sound_agreement"),
        ("tasks", "0008_dropped_by_whom"),
        ("tasks", "0009_notice_of_joining"),
        ("tasks", "0010_introductions"),
        ("tasks", "0011_own_agreement"),
        ("tasks", "0012_practice"),
        ("tasks", "0013_dropped_items_count_nowhere"),
        ("tasks", "0014_search_without_spaces"),
        ("tasks", "0015_stored_exports"),
        ("tasks", "0016_roles_and_texts"),
        ("tasks", "0017_finished_batches"),
        ("tasks", "0018_consequences_and_sources"),
        ("tasks", "0019_uploads_of_no_project"),
        ("tasks", "0020_slots"),
        ("tasks", "0021_files_taken_back"),
    ]

    initial = True

    dependencies = [
        ("rubrics", "0001_squashed_0005_sources"),
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
                        validators=[MinValueValidator(5)],
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
                (
                    "imported",
                    models.CharField(
                        choices=[
                            ("apart", "Shown, and counted nowhere"),
                            ("counted", "Counted in all figures and exports"),
                            ("places", "Counted, and an item that has some wants no others"),
                        ],
                        db_default="apart",
                        default="apart",
                        max_length=12,
                        verbose_name="Ratings from files",
                    ),
                ),
                (
                    "introduction",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=4000,
                        verbose_name="Introduction",
                    ),
                ),
                ("introduced_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "shows_own_agreement",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        verbose_name="Show annotators how far they agree with the others",
                    ),
                ),
                (
                    "practice",
                    models.CharField(
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
                (
                    "practice_examples",
                    models.PositiveSmallIntegerField(
                        db_default=8, default=8, verbose_name="Examples in a round"
                    ),
                ),
                (
                    "practice_near",
                    models.PositiveSmallIntegerField(
                        db_default=6, default=6, verbose_name="How many scores must be within one"
                    ),
                ),
                (
                    "practice_tries",
                    models.PositiveSmallIntegerField(
                        db_default=2, default=2, verbose_name="Rounds in which one can pass"
                    ),
                ),
                (
                    "consequences",
                    models.CharField(
                        choices=[
                            ("always", "always"),
                            ("after", "after answering"),
                            ("never", "never"),
                        ],
                        db_default="always",
                        default="always",
                        max_length=12,
                        verbose_name="Consequences",
                    ),
                ),
            ],
            options={
                "ordering": ("title",),
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("archived_at", None), ("status", "closed"), _connector="OR"),
                        name="an_archived_project_is_closed",
                    ),
                    models.CheckConstraint(
                        condition=Q(("wanted__gte", 1)), name="an_item_wants_a_rating_at_least"
                    ),
                    models.CheckConstraint(
                        condition=Q(("lease_minutes__gte", 5)),
                        name="a_lease_lasts_five_minutes_at_least",
                    ),
                    models.CheckConstraint(
                        condition=Q(("overlap_percent__lte", 100), ("overlap_wanted__gte", 1)),
                        name="an_overlap_is_of_a_hundred_at_most",
                    ),
                    models.CheckConstraint(
                        condition=Q(("search_address__regex", "^https?://.*\\{claim\\}")),
                        name="claims_are_looked_up_at_an_address",
                    ),
                    models.CheckConstraint(
                        condition=Q(("view__in", ("text", "rendered"))),
                        name="texts_are_shown_as_text_or_rendered",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("form_key", ""), _negated=True),
                        fields=("created_by", "form_key"),
                        name="a_form_makes_one_project",
                    ),
                    models.CheckConstraint(
                        condition=Q(("practice_examples__range", (4, 20))),
                        name="a_round_has_four_to_twenty_examples",
                    ),
                    models.CheckConstraint(
                        condition=Q(("consequences__in", ("always", "after", "never"))),
                        name="consequences_show_always_after_or_never",
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
                ("introduced_at", models.DateTimeField(blank=True, null=True)),
                ("agreed", models.BooleanField(db_default=True, default=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user", "role"), name="a_role_is_held_once"
                    ),
                    models.CheckConstraint(
                        condition=Q(("view__in", ("", "text", "rendered"))),
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
                        condition=Q(("most__gte", 1), ("used__lte", F("most"))),
                        name="an_invitation_serves_no_more_than_it_may",
                    ),
                    models.CheckConstraint(
                        condition=Q(("email", ""), ("most", 1), _connector="OR"),
                        name="a_letter_invites_one_person",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("email", ""), ("withdrawn_at", None)),
                        fields=("project",),
                        name="a_project_has_one_link",
                    ),
                    models.UniqueConstraint(
                        F("project"),
                        Lower("email"),
                        condition=Q(
                            Q(("email", ""), _negated=True), ("used", 0), ("withdrawn_at", None)
                        ),
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
                ("mapping", models.TextField(blank=True, db_default="", default="")),
                ("imported", models.PositiveIntegerField(db_default=0, default=0)),
                ("dropped_ratings", models.PositiveIntegerField(db_default=0, default=0)),
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
                ("imported", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("lacks_texts", models.BooleanField(db_default=False, default=False)),
                ("dropped_at", models.DateTimeField(blank=True, null=True)),
                (
                    "dropped_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("dropped_why", models.TextField(blank=True, db_default="", default="")),
            ],
            options={
                "ordering": ("batch", "position"),
                "indexes": [
                    models.Index(
                        F("batch"),
                        Case(When(counted__lt=F("wanted"), dropped=False, then=F("position"))),
                        condition=Q(("counted__lt", F("wanted")), ("dropped", False)),
                        name="items_in_the_queue",
                    ),
                    models.Index(
                        condition=Q(("group__isnull", False)),
                        fields=["project", "group"],
                        name="items_of_a_group",
                    ),
                    models.Index(
                        condition=Q(
                            ("counted__gt", 0), ("counted__lt", F("wanted")), ("dropped", False)
                        ),
                        fields=["project", "counted"],
                        name="items_begun",
                    ),
                    models.Index(
                        condition=Q(("dropped", True)), fields=["id"], name="items_dropped"
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
                        condition=Q(("wanted__gte", 1)), name="an_item_wants_one_rating_at_least"
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
                        condition=Q(("position__gte", 1)), name="responses_count_from_one"
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
                            ("dropped", "Dropped"),
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
                        condition=Q(("status", "live")),
                        fields=["project", "expires_at"],
                        name="live_leases_by_their_end",
                    ),
                    models.Index(
                        condition=Q(("status", "dropped")),
                        fields=["annotator", "project"],
                        name="leases_of_dropped_items",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("status", "live")),
                        fields=("project", "annotator"),
                        name="an_annotator_holds_one_item_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("ended_at", None), ("status", "live")),
                            Q(Q(("status", "live"), _negated=True), ("ended_at__isnull", False)),
                            _connector="OR",
                        ),
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
            name="ImportedRater",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=150)),
                (
                    "account",
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
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="raters",
                        to="tasks.project",
                    ),
                ),
                ("is_slot", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="a_rater_is_named_once_in_a_project"
                    ),
                    models.UniqueConstraint(
                        condition=Q(("account__isnull", False)),
                        fields=("project", "account"),
                        name="an_account_is_one_rater_in_a_project",
                    ),
                    models.CheckConstraint(
                        condition=Q(("is_slot", False), ("account", None), _connector="OR"),
                        name="a_slot_is_nobodys_account",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField()),
                ("has_checks", models.BooleanField(db_default=False, default=False)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="rating_files", to="tasks.project"
                    ),
                ),
                (
                    "uploader",
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
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to="rubrics.rubric",
                    ),
                ),
                ("before", models.JSONField(db_default={}, default=dict)),
            ],
            options={
                "ordering": ("pk",),
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
                        choices=[
                            ("counted", "counted"),
                            ("extra", "extra"),
                            ("imported", "imported"),
                        ],
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
                ("elapsed_seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
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
                ("line", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "rater",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="ratings",
                        to="tasks.importedrater",
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="ratings",
                        to="tasks.ratingfile",
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
                    models.Index(
                        condition=Q(("rater__isnull", False)),
                        fields=["rater", "item"],
                        name="ratings_of_an_imported_rater",
                    ),
                    models.Index(
                        condition=Q(("file__isnull", False)),
                        fields=["file"],
                        name="ratings_of_a_file",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "annotator", "attempt", "revision"),
                        name="an_annotator_rates_an_item_once_in_an_attempt",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("revision", 1), ("supersedes", None)),
                            Q(("revision__gt", 1), ("supersedes__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_later_revision_supersedes_one",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("kind", "counted"), _negated=True), ("attempt", 0), _connector="OR"
                        ),
                        name="what_counts_is_of_the_first_attempt",
                    ),
                    models.CheckConstraint(
                        condition=Q(("view__in", ("", "text", "rendered", "difference"))),
                        name="a_rating_was_made_in_a_view_that_there_is",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("rater__isnull", False)),
                        fields=("item", "rater", "attempt", "revision"),
                        name="an_imported_rater_rates_an_item_once_in_an_attempt",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(
                                ("annotator__isnull", True),
                                ("file__isnull", False),
                                ("kind", "imported"),
                                ("line__isnull", False),
                                ("rater__isnull", False),
                            ),
                            Q(
                                Q(("kind", "imported"), _negated=True),
                                ("annotator__isnull", False),
                                ("elapsed_seconds__isnull", False),
                                ("file__isnull", True),
                                ("line__isnull", True),
                                ("rater__isnull", True),
                                ("started_at__isnull", False),
                                ("submitted_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_rating_is_an_accounts_or_came_in_a_file",
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
                ("checks", models.JSONField(blank=True, db_default={}, default=dict)),
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
                ("value", models.SmallIntegerField(blank=True, null=True)),
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
                (
                    "without",
                    models.CharField(
                        blank=True,
                        choices=[("blank", "not applicable"), ("not_asked", "not asked")],
                        db_default="",
                        default="",
                        max_length=10,
                    ),
                ),
                (
                    "breaks",
                    ArrayField(
                        base_field=models.TextField(),
                        blank=True,
                        db_default=[],
                        default=list,
                        size=None,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("response__isnull", False)),
                        fields=("rating", "dimension", "response"),
                        name="a_response_has_one_score_for_a_dimension",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("response__isnull", True)),
                        fields=("rating", "dimension", "model"),
                        name="a_candidate_set_has_one_score_for_a_dimension",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("value__isnull", False), ("without", "")),
                            Q(("value__isnull", True), ("without__in", ("blank", "not_asked"))),
                            _connector="OR",
                        ),
                        name="a_score_has_a_value_or_says_why_not",
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
                        condition=Q(
                            ("over_time", False), ("seconds__isnull", False), _connector="OR"
                        ),
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
                        blank=True,
                        null=True,
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
                (
                    "rater",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="corpus_answers",
                        to="tasks.importedrater",
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="answers",
                        to="tasks.ratingfile",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "batch", "model", "dimension", "code", "revision"),
                        name="revisions_of_a_corpus_answer_are_numbered",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("rater__isnull", False)),
                        fields=("rater", "batch", "model", "dimension", "code", "revision"),
                        name="revisions_of_an_imported_answer_are_numbered",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("annotator__isnull", False), ("rater__isnull", True)),
                            Q(("annotator__isnull", True), ("rater__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_corpus_answer_is_an_accounts_or_came_in_a_file",
                    ),
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
                        condition=Q(
                            Q(("corrects__isnull", False), ("lease__isnull", True)),
                            Q(("corrects__isnull", True), ("lease__isnull", False)),
                            _connector="OR",
                        ),
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
                            ("answered", "answer only"),
                            ("again", "ask the same person again"),
                            ("someone_else", "give it to someone else"),
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
                        condition=Q(("decision", "")),
                        fields=["project", "raised_at"],
                        name="concerns_to_be_decided",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("kind", "skip")),
                        fields=("lease",),
                        name="a_lease_is_skipped_once",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("decision", ""), ("kind", "flag")),
                        fields=("annotator", "item"),
                        name="an_annotator_has_one_undecided_flag_on_an_item",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("decided_at", None), ("decision", "")),
                            Q(Q(("decision", ""), _negated=True), ("decided_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_concern_that_is_decided_says_when",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("decision", "answered"), _negated=True),
                            Q(("kind", "flag"), Q(("answer", ""), _negated=True)),
                            _connector="OR",
                        ),
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
                ("place", models.PositiveSmallIntegerField(db_default=0, default=0)),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=Q(("settled_at", None)),
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
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("choices", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("language", models.CharField(db_default="en", default="en", max_length=10)),
                ("stored_at", models.DateTimeField()),
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
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
                (
                    "uploader",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "asked",
                    models.CharField(
                        blank=True,
                        choices=[("", "Nothing"), ("read", "Read"), ("import", "Import")],
                        db_default="",
                        default="",
                        max_length=10,
                    ),
                ),
                ("size", models.BigIntegerField(db_default=0, default=0)),
                (
                    "rating_file",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="tasks.ratingfile",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["stored_at"], name="uploads_by_their_age")],
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
                            ("upload", "Upload"),
                            ("practice", "Practice"),
                            ("joined", "Joined"),
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
                (
                    "upload",
                    models.ForeignKey(
                        null=True, on_delete=models.CASCADE, related_name="+", to="tasks.upload"
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
                "indexes": [
                    models.Index(fields=["user", "-created_at", "-id"], name="notices_of_a_user"),
                    models.Index(
                        condition=Q(("read_at", None)), fields=["user"], name="notices_not_read"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "project", "concern", "returned", "batch"),
                        name="a_user_has_one_notice_of_a_thing",
                        nulls_distinct=False,
                    ),
                    models.UniqueConstraint(
                        condition=Q(("kind", "raised")),
                        fields=("user", "project"),
                        name="a_lead_has_one_notice_of_flags_in_a_project",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(
                                ("batch", None),
                                ("concern", None),
                                (
                                    "kind__in",
                                    ("added", "invitation", "upload", "joined", "practice"),
                                ),
                                ("returned", None),
                            ),
                            Q(("concern__isnull", False), ("kind__in", ("decision", "raised"))),
                            Q(("kind__in", ("returned", "revised")), ("returned__isnull", False)),
                            Q(("batch__isnull", False), ("kind__in", ("batch", "finished"))),
                            _connector="OR",
                        ),
                        name="a_notice_points_to_what_it_is_about",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("kind", "finished")),
                        fields=("user", "project"),
                        name="a_lead_has_one_notice_of_finished_batches_in_a_project",
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
                ("runs", models.TextField(db_default="", default="")),
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
                ("begun_at", models.DateTimeField(blank=True, null=True)),
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
                ("acts", models.PositiveIntegerField(db_default=0, default=0)),
                ("acted_at", models.DateTimeField(null=True)),
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
                ("sound", models.BooleanField(db_default=False, default=False)),
                ("acts", models.PositiveIntegerField(db_default=0, default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "rubric", "dimension", "first", "sound"),
                        name="a_dimension_has_one_result_of_agreement",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadBlock",
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
                        choices=[("file", "File"), ("faults", "Faults")], max_length=10
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="blocks", to="tasks.upload"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("upload", "kind", "place"),
                        name="blocks_of_an_upload_stand_in_one_order",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadProgress",
            fields=[
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="progress",
                        serialize=False,
                        to="tasks.upload",
                    ),
                ),
                ("bytes", models.BigIntegerField(default=0)),
                ("rows", models.BigIntegerField(default=0)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("cancelled", models.BooleanField(default=False)),
                ("asked_at", models.DateTimeField(null=True)),
            ],
        ),
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
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="admissions", to="tasks.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "annotator"), name="one_is_admitted_once"
                    )
                ],
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
                ("examples", ArrayField(base_field=models.CharField(max_length=200), size=None)),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("is_finished", models.BooleanField(db_default=False, default=False)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="practice_rounds",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="practice_rounds", to="tasks.project"
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to="rubrics.rubric"
                    ),
                ),
            ],
            options={
                "ordering": ("project", "annotator", "number"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "annotator", "number"), name="a_round_is_numbered_once"
                    ),
                    models.UniqueConstraint(
                        condition=Q(("ended_at", None)),
                        fields=("project", "annotator"),
                        name="one_practises_in_one_round_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            ("is_finished", False), ("ended_at__isnull", False), _connector="OR"
                        ),
                        name="a_finished_round_has_ended",
                    ),
                ],
            },
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
                ("missed", ArrayField(base_field=models.TextField(), size=None)),
                ("disagrees", models.BooleanField(db_default=False, default=False)),
                ("answered_at", models.DateTimeField()),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="answers", to="tasks.practiceround"
                    ),
                ),
            ],
            options={
                "ordering": ("round", "answered_at", "pk"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "example"), name="an_example_is_answered_once_in_a_round"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StoredExport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("options", models.JSONField(encoder=DjangoJSONEncoder)),
                ("file_name", models.CharField(max_length=255)),
                ("is_zipped", models.BooleanField()),
                ("language", models.CharField(max_length=10)),
                ("ordered_at", models.DateTimeField()),
                ("tries", models.PositiveIntegerField(default=0)),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                ("rows", models.BigIntegerField(default=0)),
                ("size", models.BigIntegerField(default=0)),
                ("refused", models.TextField(blank=True, default="")),
                (
                    "lead",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
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
                "indexes": [
                    models.Index(fields=["ordered_at"], name="stored_exports_by_their_age")
                ],
            },
        ),
        migrations.CreateModel(
            name="ExportBlock",
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
                    "export",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="blocks", to="tasks.storedexport"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("export", "place"), name="blocks_of_an_export_stand_in_one_order"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ClauseText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("clause", models.CharField(max_length=80)),
                ("text", models.TextField(max_length=4000)),
                ("written_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="clause_texts", to="tasks.project"
                    ),
                ),
                (
                    "written_by",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("project", "clause"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "clause"), name="a_clause_has_one_text_in_a_project"
                    )
                ],
            },
        ),
        *(migrations.RunSQL((SQL / f"{subject}.sql").read_text()) for subject in SUBJECTS),
    ]
