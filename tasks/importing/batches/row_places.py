"""The place of each row that is staged: the item that it belongs to, or its fault.

`find_places` compares the rows of a file in a temporary table, `import_place`: which rows are one
item, which contradict each other, and which are copies. The other queries read that table, or fill
the tables of items and responses from it.
"""

from typing import NamedTuple

from config.web.raw_sql import all_rows, one_row, rows_as, run
from tasks.models import Batch

from ..columns.items import MOST_RESPONSES

# The place of every row: its item, and the position of its first response. Otherwise its fault,
# which is the first of these:
# - unreadable: the file's reader or the mapping refuses it.
# - in_project: another batch has the item.
# - differs: the first row of the item has other texts.
# - copy: another row of the item has the same responses. It is no fault if rows repeat an item.
# - many: the item has too many responses with it.
# - incomplete: it is good, but another row of its item is not.
# A row that is a copy keeps out nothing but itself. Only rows that share an id are compared.
#
# The steps: `readable` has a row of the file each, with the first two faults. `compared` finds the
# two next ones among rows that share an id, `counted` adds up their responses, and `every` has all
# rows again. `complete` marks the good rows of items with a bad one. Last, each item gets its key
# and its position.
PLACE = """
CREATE TEMP TABLE import_place ON COMMIT DROP AS
WITH repeated AS (
  SELECT external_id AS name FROM import_row WHERE answer = 1
  GROUP BY external_id HAVING count(*) > 1
), readable AS (
  SELECT number, line, texts_digest, answers_digest, answers, item.batch_id,
    import_row.external_id AS name, repeated.name IS NOT NULL AS is_repeated, CASE
      WHEN fault IS NOT NULL THEN 'unreadable' WHEN item.id IS NOT NULL THEN 'in_project'
    END AS fault
  FROM import_row LEFT JOIN repeated ON repeated.name = import_row.external_id
  LEFT JOIN tasks_item AS item ON item.project_id = %(project)s
    AND item.external_id = import_row.external_id AND import_row.fault IS NULL
  WHERE answer = 1
), compared AS (
  SELECT *, first_value(number) OVER item AS first, CASE
      WHEN texts_digest <> first_value(texts_digest) OVER item THEN 'differs'
      WHEN row_number() OVER copies > 1 THEN 'copy'
    END AS conflict
  FROM readable WHERE fault IS NULL AND is_repeated
  WINDOW item AS (PARTITION BY name ORDER BY number),
    copies AS (PARTITION BY name, texts_digest, answers_digest ORDER BY number)
), counted AS (
  SELECT *, sum(answers) FILTER (WHERE conflict IS NULL) OVER (
      PARTITION BY name ORDER BY number
    ) AS total
  FROM compared
), every AS (
  SELECT number, line, name, answers, batch_id, first, total - answers AS earlier, CASE
      WHEN conflict IS NOT NULL THEN conflict WHEN total > %(most)s THEN 'many'
    END AS fault
  FROM counted
  UNION ALL
  SELECT number, line, name, answers, batch_id, number, 0, fault
  FROM readable WHERE fault IS NOT NULL OR NOT is_repeated
), complete AS (
  SELECT number, line, every.name, answers, batch_id, first, earlier, bad_line,
    CASE
      WHEN bad_line IS NOT NULL AND (fault IS NULL OR is_repeat) THEN 'incomplete'
      WHEN NOT is_repeat THEN fault
    END AS fault,
    fault IS NOT NULL OR bad_line IS NOT NULL AS is_out
  FROM (
    SELECT *, coalesce(fault = 'copy' AND %(repeats)s, false) AS is_repeat FROM every
  ) AS every LEFT JOIN (
    SELECT name, min(line) AS bad_line FROM every
    WHERE fault <> 'copy' AND name <> '' GROUP BY name
  ) AS bad ON bad.name = every.name
)
SELECT complete.*, item_id, CASE WHEN number = complete.first THEN position END AS position
FROM complete LEFT JOIN (
  SELECT number AS first, row_number() OVER (ORDER BY number) - 1 AS position,
    nextval((SELECT pg_get_serial_sequence('tasks_item', 'id')::regclass)) AS item_id
  FROM complete WHERE number = first AND NOT is_out ORDER BY number
) AS item ON item.first = complete.first AND NOT is_out
"""
COUNT = """
SELECT count(*) FILTER (WHERE number = first AND NOT is_out) AS items,
  coalesce(sum(answers) FILTER (WHERE NOT is_out), 0) AS responses,
  count(*) AS rows,
  count(nullif(fault, 'incomplete')) AS bad,
  count(fault) AS left_out,
  count(*) FILTER (WHERE fault = 'copy') AS copies
FROM import_place
"""
EMPTY = """
SELECT item_id FROM import_row JOIN import_place USING (number)
WHERE is_empty AND item_id IS NOT NULL ORDER BY number, answer
"""
# The planner knows these tables. In the others it compares each new item with each response.
MODELS = """
SELECT model, count(*) FROM import_row JOIN import_place USING (number)
WHERE item_id IS NOT NULL GROUP BY model ORDER BY model LIMIT %(most)s
"""
LONGEST = """
SELECT item_id FROM import_row JOIN import_place USING (number)
WHERE item_id IS NOT NULL GROUP BY item_id ORDER BY sum(length(text)) DESC, min(number) LIMIT 1
"""
FILES = """
SELECT count(*) FILTER (WHERE has_file) + coalesce(sum(files) FILTER (WHERE number = first), 0)
FROM import_row JOIN import_place USING (number)
WHERE (has_file OR files > 0) AND item_id IS NOT NULL
"""
# Leaves out the rows of items that the project has with the same texts, and counts these items.
LEAVE_OUT_SAME = """
WITH known AS (
  SELECT number, item.id AS item,
    (new.persona, new.messages, new.system, new.context, new.reference, new.source, new.warning,
      new.metadata) = (item.persona, item.messages, item.system, item.context, item.reference,
      item.source, item.warning, item.metadata) AS is_alike
  FROM import_row AS new JOIN tasks_item AS item
    ON item.project_id = %(project)s AND item.external_id = new.external_id
  WHERE answer = 1 AND fault IS NULL
), sent AS (
  SELECT item, bool_and(is_alike) AS is_alike,
    array_agg(model ORDER BY number, answer) AS models,
    array_agg(text ORDER BY number, answer) AS texts
  FROM known JOIN import_row USING (number) GROUP BY item
), same AS (
  SELECT item FROM sent WHERE is_alike AND (models, texts) = (
    SELECT array_agg(model ORDER BY position), array_agg(text ORDER BY position)
    FROM tasks_response WHERE item_id = sent.item)
), gone AS (
  DELETE FROM import_row
  WHERE number IN (SELECT number FROM known JOIN same ON same.item = known.item)
)
SELECT count(*) FROM same
"""
BAD = "SELECT number FROM import_place WHERE fault IS NOT NULL"
FILL_ITEMS = """
INSERT INTO tasks_item (
  id, project_id, batch_id, position, wanted, counted, external_id,
  persona, messages, system, context, reference, source, warning, metadata, lacks_texts
)
SELECT item_id, %(project)s, %(batch)s, %(first)s + position, %(wanted)s, 0, external_id,
  persona, messages, system, context, reference, source, warning, metadata, lacks_texts
FROM import_row JOIN import_place USING (number)
WHERE answer = 1 AND position IS NOT NULL ORDER BY number
"""
FILL_RESPONSES = """
INSERT INTO tasks_response (project_id, item_id, position, model, text)
SELECT %(project)s, item_id, earlier + answer, model, text
FROM import_row JOIN import_place USING (number)
WHERE item_id IS NOT NULL ORDER BY number, answer
"""


class RowCounts(NamedTuple):
    """The counts of a file's rows and of what they bring, as COUNT has them."""

    items: int
    responses: int
    rows: int
    bad: int  # rows with a fault of their own
    left_out: int  # those, and the good rows of incomplete items
    copies: int  # of those


def leave_out_same(batch: Batch) -> int:
    """Leave out the items that the project has with the same texts. Return their number."""
    return int((one_row(LEAVE_OUT_SAME, {"project": batch.project_id}) or (0,))[0])


def find_places(batch: Batch, *, repeats: bool) -> RowCounts:
    """Find the item of every row, or its fault.

    `repeats`: rows may say the same of an item, as each has another rating of it.
    """
    run("ANALYZE import_row (number, answer, external_id, fault)", [])
    run(PLACE, {"project": batch.project_id, "most": MOST_RESPONSES, "repeats": repeats})
    run("ANALYZE import_place", [])
    [counts] = rows_as(RowCounts, COUNT, [])
    return counts


def fill_tables(batch: Batch) -> None:
    """Add the items whose rows are all good, in the order of the file, and their responses."""
    values = {
        "project": batch.project_id,
        "batch": batch.pk,
        "first": batch.size,  # the items that it had before
        "wanted": batch.project.wanted,
    }
    run(FILL_ITEMS, values)
    run(FILL_RESPONSES, values)


def items_with_empty_responses() -> list[int]:
    """Return the primary keys of the new items, for each empty response."""
    return [key for (key,) in all_rows(EMPTY, [])]


def count_models(most: int) -> list[tuple[str, int]]:
    """Return the models of the new responses by name, at most so many, each with its responses."""
    return all_rows(MODELS, {"most": most})


def longest_item() -> int:
    """Return the primary key of the new item with the longest responses. There is one."""
    return int((one_row(LONGEST, []) or (0,))[0])


def count_files() -> int:
    """Return how many texts of the new items hold a file as letters."""
    return int((one_row(FILES, []) or (0,))[0])


def bad_rows() -> set[int]:
    """Return the numbers of the rows that were left out, from 1."""
    return {number for (number,) in all_rows(BAD, [])}
