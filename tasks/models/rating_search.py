"""Words looked for in what someone rated and what they said of it.

There is no index for it: an annotator's own ratings come by theirs (`ratings_of_an_annotator`),
newest first, and are looked into one by one until a page is full. What that costs hangs on how much
this one person has rated, never on how many items there are: 20,000 ratings with 2 kB of text each
take 0.3 to 0.5 s where nothing is found, 0.2 s of it to bring the texts together, which no other
way of asking does without. An index of all texts would cost every import and every rating; that of
parts of words (pg_trgm) is not among what the embedded database has.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

# All of it as one text, made row by row: subqueries that add up are never turned into a look
# through the whole of their tables. The outer row is the first revision of a rating.
SAID = """(
  SELECT concat_ws(E'\\n', item.external_id, item.position + 1, item.persona::text, item.system, item.context,
    item.reference, item.source,
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
    """The condition that all words stand in it, whatever their case."""
    patterns = [f"%{_literally(word)}%" for word in words]
    return RawSQL(SAID, [patterns], output_field=BooleanField())  # noqa: S611 - constant; words are parameters


def _literally(word: str) -> str:
    """Without LIKE's own signs."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
