"""An annotator may mark a rating as not sure: a note to themselves."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0030_members_keep_their_view")]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="not_sure",
            field=models.BooleanField(db_default=False, default=False, verbose_name="Not sure"),
        ),
    ]
