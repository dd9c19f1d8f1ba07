"""Which page submitted a lease: two columns with constant defaults, added without rewriting the table
or going through it: a check would."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0018_bad_rows_are_told_in_a_language")]

    operations = [
        migrations.AddField(
            model_name="lease",
            name="writer",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=32,
                verbose_name="Page that submitted it",
            ),
        ),
        migrations.AddField(
            model_name="lease",
            name="number",
            field=models.IntegerField(
                db_default=0, default=0, verbose_name="How often it had sent something"
            ),
        ),
    ]
