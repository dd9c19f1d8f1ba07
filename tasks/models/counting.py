"""Parts of SQL statements on ratings: the person who rated, and the ratings that count."""

# Who rated, as a number: the key of an account, or of an imported rater with a minus. A rater who
# is an account's counts as that account. `RATERS` joins the table that this reads.
PERSON = "coalesce(rating.annotator_id, rater.account_id, -rater.id)"
RATERS = "LEFT JOIN tasks_importedrater AS rater ON rater.id = rating.rater_id"
# A rating fills a place of its item. An imported one does if its project says so, unless its
# rater's account has rated the item.
FILLING = """(rating.kind = 'counted' OR (rating.kind = 'imported' AND rating.attempt = 0
      AND rating.extra_because = ''
      AND rating.project_id IN (SELECT id FROM tasks_project WHERE imported <> 'apart')
      AND NOT EXISTS (
        SELECT FROM tasks_importedrater AS same JOIN tasks_rating AS own
          ON own.annotator_id = same.account_id AND own.kind = 'counted'
        WHERE same.id = rating.rater_id AND own.item_id = rating.item_id)))"""
# The rating is of no dropped item. Few items are dropped, and they have an index (`items_dropped`),
# so this costs no more than looking into a short list.
NOT_DROPPED = """NOT EXISTS (SELECT FROM tasks_item AS gone
      WHERE gone.id = rating.item_id AND gone.dropped)"""
# A rating counts in figures: it fills a place, and its item is not dropped.
COUNTING = f"({FILLING} AND {NOT_DROPPED})"


def completed(statement: str) -> str:
    """Return a statement with {person}, {raters}, {filling} and {counting} filled in."""
    return (
        statement.replace("{person}", PERSON)
        .replace("{raters}", RATERS)
        .replace("{filling}", FILLING)
        .replace("{counting}", COUNTING)
    )
