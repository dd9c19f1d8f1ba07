"""The models that answered the items of a list are stored with its marks."""

import django.contrib.postgres.fields
from django.db import migrations, models

MODELS = """
UPDATE tasks_itemlist AS list SET responders = ARRAY(SELECT DISTINCT model FROM tasks_response AS response
  WHERE response.project_id = list.project_id AND item_id <= list.indexed AND model <> ''
  ORDER BY model)
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0049_a_lease_is_for_a_first_rating")]

    operations = [
        migrations.AddField(
            "itemlist",
            "responders",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=list, size=None
            ),
        ),
        migrations.RunSQL(MODELS, migrations.RunSQL.noop),
    ]
