"""Names of models for the admin's pages, to be translated. No table changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0002_freeze_published_rubrics")]

    operations = [
        migrations.AlterModelOptions(
            "rubric",
            options={
                "ordering": ("slug", "-version"),
                "verbose_name": "rubric",
                "verbose_name_plural": "rubrics",
            },
        ),
        migrations.AlterModelOptions(
            "dimension",
            options={
                "ordering": ("position",),
                "verbose_name": "dimension",
                "verbose_name_plural": "dimensions",
            },
        ),
    ]
