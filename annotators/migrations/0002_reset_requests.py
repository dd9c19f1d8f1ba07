"""A request for a new password waits for the worker, whether its address has an account or not."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0001_baseline"),
    ]

    operations = [
        migrations.CreateModel(
            name="ResetRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.EmailField(max_length=254)),
                ("language", models.CharField(max_length=8)),
                ("client_ip", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
                ("due_at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
