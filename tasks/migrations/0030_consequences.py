"""A project says when annotators see what their answers do to the scores."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0012_practice")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="consequences",
            field=models.CharField(
                choices=[("always", "always"), ("after", "after answering"), ("never", "never")],
                db_default="always",
                default="always",
                max_length=12,
                verbose_name="Consequences",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("consequences__in", ("always", "after", "never"))),
                name="consequences_show_always_after_or_never",
            ),
        ),
    ]
