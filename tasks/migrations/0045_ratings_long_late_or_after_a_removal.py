"""Two more reasons why a rating is extra, and leases that ended because their annotator was removed. Only names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0044_batches_count_who_is_asked")]

    operations = [
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
                    ("removed", "taken back, as its annotator was removed"),
                ],
                default="live",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            "rating",
            "extra_because",
            models.CharField(
                "Extra because",
                blank=True,
                choices=[
                    ("again", "you had rated the item already, and what you said then counts"),
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
    ]
