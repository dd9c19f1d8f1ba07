"""A restored database is another one, which refuses the cursors of the API from before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0008_api_tokens"),
    ]

    operations = [
        migrations.CreateModel(
            name="DatabaseOrigin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(
            "INSERT INTO tasks_databaseorigin (number) VALUES ((random() * 1e18)::bigint)",
            migrations.RunSQL.noop,
        ),
    ]
