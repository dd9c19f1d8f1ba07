"""Names of models and fields for the admin's pages, to be translated. No table changes."""

from django.db import migrations

from config.web.migration_ops import NameFields


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0002_freeze_published_rubrics")]

    operations = [
        NameFields(
            {
                "rubric": {
                    "slug": "Short name",
                    "version": "Version",
                    "status": "Status",
                    "title": "Title",
                    "summary": "Summary",
                    "language": "Language",
                    "guidance": "Guidance",
                    "created_by": "Created by",
                    "created_at": "Created at",
                    "published_at": "Published at",
                },
                "dimension": {
                    "code": "Code",
                    "title": "Title",
                    "question": "Question",
                    "unit": "What is scored",
                    "lowest": "Lowest score",
                    "highest": "Highest score",
                },
            }
        ),
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
