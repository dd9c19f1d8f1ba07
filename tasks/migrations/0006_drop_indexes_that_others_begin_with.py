"""A foreign key whose column another index begins with needs none of its own, which every row is written into."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0005_places_kept_by_the_database"),
    ]

    operations = [
        migrations.AlterField(
            model_name="factcheck",
            name="rating",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="fact_checks",
                to="tasks.rating",
            ),
        ),
        migrations.AlterField(
            model_name="item",
            name="batch",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="tasks.batch",
                verbose_name="Batch",
            ),
        ),
        migrations.AlterField(
            model_name="item",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="tasks.project",
                verbose_name="Project",
            ),
        ),
        migrations.AlterField(
            model_name="placement",
            name="rating",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="placements",
                to="tasks.rating",
            ),
        ),
        migrations.AlterField(
            model_name="rating",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ratings",
                to="tasks.item",
                verbose_name="Item",
            ),
        ),
        migrations.AlterField(
            model_name="response",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="responses",
                to="tasks.item",
            ),
        ),
    ]
