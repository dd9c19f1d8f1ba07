"""A project may show its annotators how far they agree with the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0010_introductions")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="shows_own_agreement",
            field=models.BooleanField(
                db_default=False,
                default=False,
                verbose_name="Show annotators how far they agree with the others",
            ),
        ),
    ]
