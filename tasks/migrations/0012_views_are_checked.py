"""That the ratings' views are ones that there are: looked at under a lock that lets people rate meanwhile."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tasks", "0011_views_of_texts")]

    operations = [ValidateConstraint("rating", "a_rating_was_made_in_a_view_that_there_is")]
