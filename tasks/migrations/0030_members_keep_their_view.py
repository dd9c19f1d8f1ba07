"""The view of the texts that an annotator last chose in a project."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0029_texts_are_rendered_at_first")]

    operations = [
        migrations.AddField(
            "membership",
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
                verbose_name="Texts are shown at first",
            ),
        ),
        migrations.AddConstraint(
            "membership",
            models.CheckConstraint(
                condition=models.Q(view__in=("", "text", "rendered")),
                name="a_member_chose_text_or_rendered",
            ),
        ),
    ]
