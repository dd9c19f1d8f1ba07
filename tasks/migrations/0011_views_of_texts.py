"""How texts are shown, of projects and of ratings. A column with a constant default is added without rewriting
its table, and what a constraint says of the rows that are there is looked at in 0012, while people work."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0010_days_that_were")]

    operations = [
        migrations.AddField(
            "project",
            "view",
            models.CharField(
                choices=[
                    ("text", "as text"),
                    ("rendered", "rendered: Markdown, code and formulas"),
                ],
                db_default="text",
                default="text",
                max_length=12,
                verbose_name="Texts are shown at first",
            ),
        ),
        migrations.AddField(
            "rating",
            "view",
            models.CharField(
                blank=True,
                choices=[
                    ("text", "as text"),
                    ("rendered", "rendered: Markdown, code and formulas"),
                    ("difference", "as text, with the differences of the responses"),
                ],
                db_default="",
                default="",
                max_length=12,
                verbose_name="Texts were shown",
            ),
        ),
        migrations.AddConstraint(
            "project",
            models.CheckConstraint(
                condition=models.Q(view__in=("text", "rendered")),
                name="texts_are_shown_as_text_or_rendered",
            ),
        ),
        AddConstraintNotValid(
            "rating",
            models.CheckConstraint(
                condition=models.Q(view__in=("", "text", "rendered", "difference")),
                name="a_rating_was_made_in_a_view_that_there_is",
            ),
        ),
    ]
