"""What annotators read of a project before their next item, and who has read it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0009_notice_of_joining")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="introduction",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                max_length=4000,
                verbose_name="Introduction",
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="introduced_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="membership",
            name="introduced_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
