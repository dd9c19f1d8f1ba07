"""Names of models and fields for the admin's pages, to be translated. No table changes."""

from django.db import migrations, models

from config.web.migration_ops import NameFields


class Migration(migrations.Migration):
    dependencies = [("tasks", "0019_which_page_submitted")]

    operations = [
        NameFields(
            {
                "project": {
                    "slug": "Short name",
                    "title": "Title",
                    "rubric": "Rubric",
                    "status": "Status",
                    "wanted": "Ratings wanted of each item",
                    "overlap_percent": "Of so many percent of the items",
                    "overlap_wanted": "… so many ratings instead",
                    "order": "Order of the items",
                    "grouping": "Items that show the same",
                    "view": "Texts are shown at first",
                    "lease_minutes": "An item is lent for so many minutes",
                    "asks_reasons": "Scores need a tick, or “None of these”",
                    "most_daily": "Items that one person may rate in a day",
                    "most_warned_daily": "… and open with a warning",
                    "search_address": "Claims are looked up at",
                    "correction_hours": "Hours in which annotators may correct what they said",
                    "seed": "Seed of what is drawn at random",
                    "created_by": "Created by",
                    "created_at": "Created at",
                },
                "membership": {"user": "Person", "role": "Role"},
                "batch": {
                    "project": "Project",
                    "name": "Name",
                    "position": "Position in the project",
                    "status": "Status",
                    "rank": "Its turn comes",
                    "priority": "Priority",
                    "size": "Number of items",
                    "wanted": "Ratings wanted",
                    "dropped": "Items dropped",
                    "finished": "Items finished, when last counted",
                    "warning": "Warning before every item of it",
                    "file_name": "Name of the file",
                    "digest": "SHA-256 of the file",
                    "created_by": "Uploaded by",
                    "created_at": "Uploaded at",
                },
                "item": {
                    "project": "Project",
                    "batch": "Batch",
                    "external_id": "ID in the file",
                    "position": "Position in the batch",
                    "persona": "Persona",
                    "messages": "Conversation",
                    "system": "System prompt",
                    "context": "Context",
                    "reference": "Reference answer",
                    "source": "Source",
                    "warning": "Warning",
                    "metadata": "Metadata",
                    "wanted": "Ratings wanted",
                    "counted": "Ratings that count",
                    "lent": "Places lent",
                    "dropped": "Dropped",
                    "group": "Group of those that show the same",
                },
                "response": {"position": "Position", "model": "Model", "text": "Text"},
                "rating": {
                    "project": "Project",
                    "item": "Item",
                    "annotator": "Rated by",
                    "rubric": "Rubric",
                    "lease": "Lease",
                    "round": "Round",
                    "kind": "Kind",
                    "revision": "Revision",
                    "supersedes": "Takes the place of",
                    "comment": "Comment",
                    "fingerprint": "Fingerprint of what was said",
                    "asked": "Questions at submit, and answers",
                    "view": "Texts were shown",
                    "active_seconds": "Active seconds",
                    "elapsed_seconds": "Seconds from beginning to end",
                    "started_at": "Begun at",
                    "submitted_at": "Submitted at",
                },
                "score": {
                    "dimension": "Dimension",
                    "unit": "What is scored",
                    "response": "Response",
                    "model": "Model",
                    "position": "Position",
                    "value": "Score",
                    "open": "Scores left open",
                    "clauses": "Clauses",
                    "checks": "Checks",
                },
                "lease": {
                    "project": "Project",
                    "item": "Item",
                    "annotator": "Lent to",
                    "round": "Round",
                    "status": "Status",
                    "started_at": "Begun at",
                    "expires_at": "Lent until",
                    "ended_at": "Ended at",
                    "responses": "Responses, in the order drawn",
                    "model_names": "Models, in the order drawn",
                    "revises": "Rating to be mended",
                    "opened_at": "Texts shown at",
                    "writer": "Page that submitted it",
                    "number": "How often it had sent something",
                },
            }
        ),
        migrations.AlterModelOptions(
            "project",
            options={
                "ordering": ("title",),
                "verbose_name": "project",
                "verbose_name_plural": "projects",
            },
        ),
        migrations.AlterModelOptions(
            "membership", options={"verbose_name": "member", "verbose_name_plural": "members"}
        ),
        migrations.AlterModelOptions(
            "batch",
            options={
                "ordering": ("position",),
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
            },
        ),
        migrations.AlterModelOptions(
            "item",
            options={
                "ordering": ("batch", "position"),
                "verbose_name": "item",
                "verbose_name_plural": "items",
            },
        ),
        migrations.AlterModelOptions(
            "response",
            options={
                "ordering": ("position",),
                "verbose_name": "response",
                "verbose_name_plural": "responses",
            },
        ),
        migrations.AlterModelOptions(
            "rating",
            options={
                "ordering": ("pk",),
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
            },
        ),
        migrations.AlterModelOptions(
            "score",
            options={"ordering": ("pk",), "verbose_name": "score", "verbose_name_plural": "scores"},
        ),
        migrations.AlterModelOptions(
            "lease",
            options={"ordering": ("pk",), "verbose_name": "lease", "verbose_name_plural": "leases"},
        ),
        migrations.AlterField(
            "score",
            "unit",
            models.CharField(
                "What is scored",
                choices=[("response", "response"), ("candidate_set", "candidate set")],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            "factcheck",
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
        migrations.AlterField(
            "lease",
            "status",
            models.CharField(
                "Status",
                choices=[
                    ("live", "live"),
                    ("submitted", "submitted"),
                    ("expired", "expired"),
                    ("released", "given back"),
                ],
                default="live",
                max_length=12,
            ),
        ),
    ]
