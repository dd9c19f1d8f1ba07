"""Nothing by now: the migrations that make the fields name them. Later ones depend on this one."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotators", "0005_languages")]

    operations = []
