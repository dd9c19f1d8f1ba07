"""The words of the texts of each item, for the search in the list of items.

The functions are in `tasks/migrations/sql/search.sql`.
"""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db import models
from django.db.models import F, Func, Value

from .items import Item
from .projects import Project

# All that is read of an item, as one text, and its words. Texts never change, but the program that
# finds their words does: then a migration has all of them indexed anew, over the old ones.
INDEX = r"""
INSERT INTO tasks_itemwords (item_id, project_id, words, runs)
SELECT item.id, item.project_id, tasks_words_of(read.text), tasks_runs_of(read.text)
FROM tasks_item AS item CROSS JOIN LATERAL (SELECT
  concat_ws(E'\n', item.external_id, item.system, item.context,
    (SELECT string_agg(line, E'\n') FROM jsonb_array_elements_text(item.persona) AS line),
    (SELECT string_agg(turn ->> 'text', E'\n') FROM jsonb_array_elements(item.messages) AS turn),
    (SELECT string_agg(text, E'\n') FROM tasks_response WHERE item_id = item.id)) AS text
  OFFSET 0) AS read
WHERE item.id = ANY(%(items)s)
ON CONFLICT (item_id) DO UPDATE SET words = excluded.words, runs = excluded.runs
WHERE (tasks_itemwords.words, tasks_itemwords.runs) IS DISTINCT FROM (excluded.words, excluded.runs)
"""


class LikeAll(Func):
    """True if a text is like all of an array of patterns."""

    template = "(%(expressions)s))"
    arg_joiner = " LIKE ALL ("
    output_field = models.BooleanField()


class WordsOf(SearchQuery):
    """The words that a text must have; in a script without spaces, the pairs of letters."""

    SEARCH_TYPES = {"plain": "tasks_query_of"}


class ItemWordsQuerySet(models.QuerySet["ItemWords"]):
    def with_all(self, words: str) -> Self:
        """Return the texts that have all of these words."""
        texts = ArrayField(models.TextField())
        patterns = Func(Value(words), function="tasks_patterns_of", output_field=texts)
        return self.filter(LikeAll(F("runs"), patterns), words=WordsOf(words))


class ItemWords(models.Model):
    """The words of an item's texts. Apart from its entry, because they never change."""

    item = models.OneToOneField(
        Item,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="+",
        db_constraint=False,
    )
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    words = SearchVectorField()
    # The runs of letters in scripts without spaces between words, one on each line.
    runs = models.TextField(default="", db_default="")

    objects = ItemWordsQuerySet.as_manager()

    class Meta:
        indexes = (GinIndex(fields=("words",), name="items_with_a_word"),)
