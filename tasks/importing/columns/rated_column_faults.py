"""Faults in the columns of ratings of one mapping. No Django but its translations.

`Mapping.faults` writes them as sentences. A file with two columns of the score that Anna gives for
fluency has the fault

    ColumnsFault("A person gives one score of …", "fluency / Anna", ["Anna 1", "Anna 2"])
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from ..files.rows import Text
from .rated_columns import RatedColumns
from .rated_parts import list_of
from .sample import Sample
from .score_cells import list_in
from .uses import Use


class ColumnsFault(NamedTuple):
    """A sentence on columns of a mapping that are wrong, or missing."""

    words: Text
    subject: Text  # of which the sentence is; "" if it has none
    columns: Sequence[str]  # no fault without any


def faults_of_ratings(rated_columns: RatedColumns, sample: Sample) -> list[ColumnsFault]:
    """Return what is wrong or missing in the columns of ratings."""
    who = _("Who rated in %(columns)s? Say whose each is, or which column says who rated.")
    one = _("A person gives one score of %(what)s, and not %(columns)s; choose one.")
    faults = [ColumnsFault(who, "", _columns_of_nobody(rated_columns, sample))]
    columns_by_subject: defaultdict[str, list[str]] = defaultdict(list)
    for path in rated_columns.paths[Use.SCORE]:
        if "[*]" not in path:
            key = rated_columns.rating_keys[path]
            subject = f"{key.dimension} / {key.rater} / {key.response}"
            columns_by_subject[subject].append(path)
    for subject, columns in columns_by_subject.items():
        if len(columns) > 1:
            faults.append(ColumnsFault(one, subject.strip(" /"), columns))
    return faults


def _columns_of_nobody(rated_columns: RatedColumns, sample: Sample) -> list[str]:
    """Return the rated columns of which nothing says who rated."""
    if rated_columns.scoring.rater:
        return []
    first_cells = {column.path: column.filled[0] for column in sample.columns if column.filled}
    nobodys = []
    for path in rated_columns.rated:
        names_rater = rated_columns.rating_keys[path].rater
        is_numbered = list_of(path) in rated_columns.nameless_lists
        if names_rater or is_numbered or rated_columns.has_column_of_rater(path):
            continue
        # The raters of a list of scores in one cell are numbered, too.
        if not isinstance(list_in(first_cells.get(path, "")), list):
            nobodys.append(path)
    return nobodys
