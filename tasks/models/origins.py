"""The origin of the database: a restore makes it another one, in which old cursors mean nothing."""

from django.db import models

from config.web.raw_sql import one_row

# A dump that is restored makes the table anew, with another number (OID); a cluster has a number of
# its own; and one that is taken back to an earlier time goes on along another timeline. The column
# is for what no program can see, such as a copy of the files that is put back.
ORIGIN = """
SELECT hashtextextended(concat_ws(' ',
  (SELECT sum(number) FROM tasks_databaseorigin), 'tasks_databaseorigin'::regclass::oid,
  (SELECT system_identifier FROM pg_control_system()),
  (SELECT timeline_id FROM pg_control_checkpoint())), 0)
"""


class DatabaseOrigin(models.Model):
    """The one row that tells a database from those that are restored from it."""

    number = models.BigIntegerField()


def origin_of_database() -> int:
    """Return the number of this database, which a restored one does not share."""
    [number] = one_row(ORIGIN, []) or (0,)
    return int(number)
