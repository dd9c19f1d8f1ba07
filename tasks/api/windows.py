"""Windows of time, for what is new since a call: they miss nothing and say nothing twice.

A window is a range of transaction numbers, as PostgreSQL stores one with each row (xmin). It ends
below all transactions that are still open: all that is in it is final, whatever order commits come
in. So a long import holds back what comes after it until it ends. ADR 17 says why.

Few rows have to be looked at: those with keys above a floor. Everything at or below the floor was
committed before the window ended. The floor rises only in a moment when nobody has taken a key and
not yet committed. A submit does nothing for all this.
"""

from dataclasses import astuple, dataclass, replace
from typing import Self

from psycopg import sql

from config.web.problems import ValueFault
from config.web.raw_sql import one_row

from .cursors import Cursor
from .problems import invalid

NEVER = -1  # in place of a transaction: the window has no beginning
DONE = -1  # in place of a row: the window has been read to its end
WRAP = 2**32  # rows have the last 32 bits of a transaction's number
# The last keys that were given out, and whether their takers are through. Whoever takes a key holds
# a lock on its sequence to the end of its transaction. The lock is looked for after the key is
# read, because the condition names it.
KEYS = """
SELECT rating.last_value - (NOT rating.is_called)::int,
  change.last_value - (NOT change.is_called)::int,
  decision.last_value - (NOT decision.is_called)::int,
  EXISTS (SELECT FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation IN ('tasks_rating_id_seq'::regclass, 'tasks_ratingschange_id_seq'::regclass,
        'tasks_scoredecision_id_seq'::regclass)
      AND pid IS DISTINCT FROM pg_backend_pid()
      AND rating.last_value + change.last_value + decision.last_value > 0)
FROM tasks_rating_id_seq AS rating, tasks_ratingschange_id_seq AS change,
  tasks_scoredecision_id_seq AS decision
"""
# The end of a window, and whether no transaction is open at all.
END = """
SELECT pg_snapshot_xmin(now.snapshot)::text::bigint,
  pg_snapshot_xmin(now.snapshot) = pg_snapshot_xmax(now.snapshot)
FROM (SELECT pg_current_snapshot() AS snapshot) AS now
"""


@dataclass(frozen=True, slots=True)
class Floors:
    """The keys up to which everything is final: of ratings, of changes and of decisions."""

    ratings: int = 0
    changes: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """All that was committed from one moment to another, and how far it has been read."""

    begin: int  # a transaction, or NEVER
    end: int  # the first transaction that is not in it
    below: Floors  # nothing of the window is at or below these
    above: Floors  # everything at or below these is before its end
    rating: int = 0  # the last one that was read, or DONE; a decision where the rows are these
    row: int = 0  # the last row of it

    @property
    def is_whole(self) -> bool:
        """True if it has everything from the beginning."""
        return self.begin == NEVER

    @property
    def is_fresh(self) -> bool:
        """True if nothing of it has been read."""
        return (self.rating, self.row) == (0, 0)

    def after(self, rating: int, row: int) -> Self:
        """Return it as read up to a row."""
        return replace(self, rating=rating, row=row)

    def done(self) -> Self:
        """Return it as read to its end."""
        return replace(self, rating=DONE, row=0)

    @property
    def cursor(self) -> Cursor:
        floors = (*astuple(self.below), *astuple(self.above))
        return Cursor((self.begin, self.end, *floors, self.rating, self.row))

    @classmethod
    def of(cls, cursor: Cursor) -> Self:
        """Return the window that a cursor is in."""
        begin, end, *floors, rating, row = cursor.place
        half = len(floors) // 2
        return cls(begin, end, Floors(*floors[:half]), Floors(*floors[half:]), rating, row)

    def rows_of(self, table: str, below: int, above: int) -> sql.Composable:
        """Return the condition for the rows of a table that are in it.

        `below`, `above`: the floors of that table.
        """
        after_begin = sql.SQL("{} > {}").format(sql.Identifier(table, "id"), sql.Literal(below))
        if not self.is_whole:
            later = sql.SQL(" AND age({}) <= age({})")
            xmin = sql.Identifier(table, "xmin")
            after_begin += later.format(xmin, _as_xid(self.begin))
        return sql.SQL("({} AND {})").format(after_begin, self.rows_before_end(table, above))

    def rows_before_end(self, table: str, above: int) -> sql.Composable:
        """Return the condition for the rows of a table that were there when it ended."""
        before_end = sql.SQL("({} <= {} OR age({}) > age({}))")
        key, xmin = sql.Identifier(table, "id"), sql.Identifier(table, "xmin")
        return before_end.format(key, sql.Literal(above), xmin, _as_xid(self.end))


SIZE = len(Window(NEVER, 0, Floors(), Floors()).cursor.place)


def _as_xid(transaction: int) -> sql.Composable:
    return sql.SQL("{}::text::xid").format(sql.Literal(str(transaction % WRAP)))


def open_window(before: Window | None) -> Window:
    """Return the window to read: the rest of the last one, or what came since it.

    Raise Problem if the last one ended later than now, which no window of this database does.
    """
    if before is not None and before.rating != DONE:
        return before
    # Two statements, because the second one has to see all that was committed before the first.
    *keys, are_taken = one_row(KEYS, []) or (0, 0, 0, True)
    end, is_quiet = one_row(END, []) or (0, False)
    last = before or Window(NEVER, NEVER, Floors(), Floors())
    above = Floors(*keys) if is_quiet and not are_taken else last.above
    if before is not None and before.end > end:
        advice = "The database was restored since. Leave the cursor out to begin anew."
        fault = ValueFault("", "a cursor of the database as it is", advice, parameter="since")
        raise invalid([fault])
    return Window(last.end, end, last.above, above)
