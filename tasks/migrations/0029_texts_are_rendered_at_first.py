"""New projects show their texts rendered at first. Those that there are keep their setting."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0028_unseen_drafts_stay")]

    operations = [
        migrations.AlterField(
            "project",
            "view",
            models.CharField(
                choices=[
                    ("rendered", "rendered: Markdown, code and formulas"),
                    ("text", "as text"),
                ],
                db_default="rendered",
                default="rendered",
                max_length=12,
                verbose_name="Texts are shown at first",
            ),
        ),
    ]
