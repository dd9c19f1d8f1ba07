"""Search an annotator's own ratings for words in the item, the responses and the comments.

There is no index for it. The ratings come from the annotator's own index
(`ratings_of_an_annotator`), newest first, and PostgreSQL reads them one by one until a page is
full. The cost depends on the number of ratings of this one person, not on the number of items.

20,000 ratings with 2 kB of text each take 0.3 to 0.5 s if nothing is found. Putting the texts
together takes 0.2 s of this, which every other query would need too. An index of all texts would
slow down every import and every rating. The embedded database has no trigram index (pg_trgm).
"""

from collections.abc import Collection

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

# All texts as one, made row by row: PostgreSQL never turns subqueries that aggregate into a scan of
# whole tables. The outer row is the first revision of a rating.
SAID = """(
  SELECT concat_ws(E'\\n', item.external_id, item.position + 1, item.persona::text, item.system,
    item.context, item.reference, item.source,
    (SELECT string_agg(turn ->> 'text', E'\\n') FROM jsonb_array_elements(item.messages) AS turn),
    (SELECT string_agg(response.text, E'\\n') FROM tasks_response AS response
      WHERE response.item_id = item.id),
    (SELECT string_agg(concat_ws(E'\\n', said.comment, placed.comments), E'\\n')
      FROM tasks_rating AS said CROSS JOIN LATERAL (
        SELECT string_agg(placement.comment, E'\\n') AS comments FROM tasks_placement AS placement
        WHERE placement.rating_id = said.id) AS placed
      WHERE said.item_id = item.id AND said.annotator_id = tasks_rating.annotator_id))
  FROM tasks_item AS item WHERE item.id = tasks_rating.item_id
) ILIKE ALL (%s::text[])"""


def said_with(words: Collection[str]) -> RawSQL:
    """Return the condition that a rating contains all words, in any case."""
    patterns = [f"%{_literally(word)}%" for word in words]
    return RawSQL(SAID, [patterns], output_field=BooleanField())  # noqa: S611 - constant; words are parameters


def _literally(word: str) -> str:
    """Escape the special characters of LIKE."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
