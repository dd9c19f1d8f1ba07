"""Call a further rating by the same annotator an attempt: `round` is for rounds of a study.

The columns and the constraints are renamed in place. PostgreSQL renames them inside the trigger's
condition too; no table is read.
"""

from django.db import migrations, models
from django.db.models import Q

RENAME = """
ALTER TABLE tasks_rating RENAME COLUMN round TO attempt;
ALTER TABLE tasks_lease RENAME COLUMN round TO attempt;
ALTER TABLE tasks_rating RENAME CONSTRAINT an_annotator_rates_an_item_once_in_a_round
  TO an_annotator_rates_an_item_once_in_an_attempt;
ALTER TABLE tasks_rating RENAME CONSTRAINT what_counts_is_of_the_first_round
  TO what_counts_is_of_the_first_attempt;
"""
RENAME_BACK = """
ALTER TABLE tasks_rating RENAME CONSTRAINT what_counts_is_of_the_first_attempt
  TO what_counts_is_of_the_first_round;
ALTER TABLE tasks_rating RENAME CONSTRAINT an_annotator_rates_an_item_once_in_an_attempt
  TO an_annotator_rates_an_item_once_in_a_round;
ALTER TABLE tasks_lease RENAME COLUMN attempt TO round;
ALTER TABLE tasks_rating RENAME COLUMN attempt TO round;
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0023_why_a_rating_is_extra")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(RENAME, RENAME_BACK)],
            state_operations=[
                migrations.RemoveConstraint("rating", "an_annotator_rates_an_item_once_in_a_round"),
                migrations.RemoveConstraint("rating", "what_counts_is_of_the_first_round"),
                migrations.RenameField("rating", "round", "attempt"),
                migrations.RenameField("lease", "round", "attempt"),
                migrations.AlterField(
                    "rating",
                    "attempt",
                    models.PositiveSmallIntegerField(default=0, verbose_name="Attempt"),
                ),
                migrations.AlterField(
                    "lease",
                    "attempt",
                    models.PositiveSmallIntegerField(default=0, verbose_name="Attempt"),
                ),
                migrations.AddConstraint(
                    "rating",
                    models.UniqueConstraint(
                        fields=("item", "annotator", "attempt", "revision"),
                        name="an_annotator_rates_an_item_once_in_an_attempt",
                    ),
                ),
                migrations.AddConstraint(
                    "rating",
                    models.CheckConstraint(
                        condition=~Q(kind="counted") | Q(attempt=0),
                        name="what_counts_is_of_the_first_attempt",
                    ),
                ),
            ],
        )
    ]
