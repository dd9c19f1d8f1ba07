"""No project asks for a reason with each score: no page ever let a lead choose that."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tasks", "0001_squashed_0021_files_taken_back")]

    operations = [migrations.RemoveField(model_name="project", name="asks_reasons")]
