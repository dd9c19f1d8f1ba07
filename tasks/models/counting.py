"""Parts of SQL statements on ratings: the person who rated, and the ratings that count.

A statement puts them in by `sql.SQL(…).format(counting=COUNTING)`. They are about a table that it
calls `rating`; for another name there are functions.
"""

from psycopg import sql

# Joins the table of imported raters, which `PERSON` reads.
RATERS = sql.SQL("LEFT JOIN tasks_importedrater AS rater ON rater.id = rating.rater_id")


def person_of(rating: str) -> sql.Composed:
    """Return who rated, as a number: the key of an account, or minus the key of an imported rater.

    A rater who is an account's counts as that account. The statement has a table `rater`, too.
    """
    return sql.SQL("coalesce({rating}.annotator_id, rater.account_id, -rater.id)").format(
        rating=sql.SQL(rating)
    )


def filling(rating: str) -> sql.Composed:
    """Return the condition that a rating fills a place of its item. `rating` is the table's name.

    An imported rating does if its project says so, unless its rater's account has rated the item.
    """
    return sql.SQL("""({rating}.kind = 'counted' OR ({rating}.kind = 'imported'
      AND {rating}.attempt = 0 AND {rating}.extra_because = ''
      AND {rating}.project_id IN (SELECT id FROM tasks_project WHERE imported <> 'apart')
      AND NOT EXISTS (
        SELECT FROM tasks_importedrater AS same JOIN tasks_rating AS own
          ON own.annotator_id = same.account_id AND own.kind = 'counted'
        WHERE same.id = {rating}.rater_id AND own.item_id = {rating}.item_id)))""").format(
        rating=sql.SQL(rating)
    )


def not_dropped(rating: str) -> sql.Composed:
    """Return the condition that a rating is of no dropped item.

    Few items are dropped, and they have an index (`items_dropped`), so this costs no more than
    looking into a short list.
    """
    return sql.SQL("""NOT EXISTS (SELECT FROM tasks_item AS gone
      WHERE gone.id = {rating}.item_id AND gone.dropped)""").format(rating=sql.SQL(rating))


def counting(rating: str) -> sql.Composed:
    """Return the condition that a rating counts in figures: filling a place, of no dropped item."""
    return sql.SQL("({filling} AND {not_dropped})").format(
        filling=filling(rating), not_dropped=not_dropped(rating)
    )


# The rating is the current revision. PostgreSQL runs it as an anti-join.
CURRENT = sql.SQL(
    "NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)"
)
PERSON = person_of("rating")
FILLING = filling("rating")
NOT_DROPPED = not_dropped("rating")
COUNTING = counting("rating")
