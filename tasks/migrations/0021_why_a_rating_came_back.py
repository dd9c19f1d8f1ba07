"""What sent a rating back, beside its words: a column with a constant default, added without rewriting the
table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0020_names_in_every_language")]

    operations = [
        migrations.AddField(
            model_name="returnedrating",
            name="reasons",
            field=models.JSONField(db_default={}, default=dict),
        ),
    ]
