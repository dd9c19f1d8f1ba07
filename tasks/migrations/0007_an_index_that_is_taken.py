"""The queue's index as an expression: PostgreSQL took that of all positions instead, when a project was nearly done."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import Case, F, Q, When


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tasks", "0006_drop_indexes_that_others_begin_with")]

    operations = [
        AddIndexConcurrently(
            "item",
            models.Index(
                F("batch"),
                Case(When(counted__lt=F("wanted"), dropped=False, then=F("position"))),
                condition=Q(counted__lt=F("wanted"), dropped=False),
                name="items_in_the_queue",
            ),
        ),
        RemoveIndexConcurrently("item", "items_that_want_ratings"),
    ]
