"""A rubric says where in the source each clause stands."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0004_templates")]

    operations = [
        migrations.AddField(
            model_name="rubric",
            name="sources",
            field=models.JSONField(blank=True, default=list, verbose_name="Sources of the clauses"),
        ),
    ]
