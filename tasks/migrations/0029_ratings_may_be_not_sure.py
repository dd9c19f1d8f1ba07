"""An annotator may mark a rating as not sure: a note to themselves."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0028_unseen_drafts_stay")]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="not_sure",
            field=models.BooleanField(db_default=False, default=False, verbose_name="Not sure"),
        ),
    ]
