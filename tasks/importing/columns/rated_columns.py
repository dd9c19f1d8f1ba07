"""The columns of ratings in one mapping: of which use, of whom, and in which lists.

No Django but its translations.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from ..files.rows import Text
from .rated_parts import list_of
from .rating_names import last_name
from .sample import Sample
from .score_cells import list_in
from .scoring import FILE, QUALITY, RatingKey, RatingKeys, Scoring, code_of, title_of
from .uses import ANSWERING, RATINGS, Use

AROUND = (Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME)  # what goes with a rating


class ColumnsFault(NamedTuple):
    """A sentence on columns of a mapping that are wrong, or missing."""

    words: Text
    subject: Text  # of which the sentence is; "" if it has none
    columns: Sequence[str]


class RatedColumns:
    """The columns of one mapping for a reader of ratings, sorted once."""

    def __init__(
        self,
        column_uses: Mapping[str, Use],
        packed: Container[str],
        rating_keys: RatingKeys,
        scoring: Scoring,
        file: str = "",
    ) -> None:
        self.uses = column_uses
        self.packed = packed
        self.scoring = scoring
        self.rater = scoring.rater.replace(FILE, file)
        self.no_answer = frozenset(text.strip().casefold() for text in scoring.no_answer)
        self.paths: dict[Use, list[str]] = {use: [] for use in Use}
        for path, use in column_uses.items():
            self.paths[use].append(path)
        self.rated = self._of(RATINGS)
        self.rating_keys = {path: rating_keys.get(path, RatingKey()) for path in column_uses}
        if not self.paths[Use.DIMENSION]:
            self._name_dimensions()
        self.exported = {path.partition("[")[0] for path in self.paths[Use.EXPORTED]}
        answers = self._of(ANSWERING)
        # The lists of responses, and the rated columns that stand in one or name their response.
        answered_lists = {list_of(path) for path in answers if "[*]" in path}
        self.with_responses = self._with_responses(answered_lists)
        self.answers = answers if self.with_responses else []
        self.needed = {*self.rated, *self._of(AROUND), *self.answers}
        # Columns of who rated: by the column or object that they stand in, and all their lists.
        self.inner_raters: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.RATER]:
            self.inner_raters[path.rpartition(".")[0]].append(path)
        self.lists_of_raters = tuple(list_of(path) for path in self.paths[Use.RATER])
        self.nameless_lists = self._nameless_lists(answered_lists)

    @property
    def titles(self) -> dict[str, str]:
        """The names of dimensions as the file writes them, by their codes."""
        titles = {code: name for name, code in self.scoring.dimensions.items() if code}
        for path in self.paths[Use.SCORE]:
            code = self.rating_keys[path].dimension
            titles.setdefault(code, title_of(last_name(path), code))
        return titles

    def _of(self, uses: Iterable[Use]) -> list[str]:
        """Return the columns of some uses."""
        return [path for use in uses for path in self.paths[use]]

    def _name_dimensions(self) -> None:
        """Take the dimensions that nothing says from the names of the columns."""
        for path in self.rated:
            key = self.rating_keys[path]
            if not key.dimension:
                dimension = QUALITY if key.rater else code_of(path)
                self.rating_keys[path] = replace(key, dimension=dimension)

    def _with_responses(self, answered_lists: Iterable[str]) -> set[str]:
        """Return the rated columns of which it is known which response of the row they rate."""
        entries = tuple(f"{name}[*]" for name in answered_lists)
        with_responses = set()
        for path in self.rated:
            if path.startswith(entries) or self.rating_keys[path].response:
                with_responses.add(path)
        return with_responses

    def _nameless_lists(self, answered_lists: Container[str]) -> list[str]:
        """Return the lists of ratings in which nothing names who gave an entry, as by 1, 2, 3."""
        lists = dict.fromkeys(list_of(path) for path in self.rated if "[*]" in path)
        nameless = []
        for name in lists:
            if name not in answered_lists and not self._has_rater_beside(name):
                nameless.append(name)
        return nameless

    def _has_rater_beside(self, path: str) -> bool:
        """Tell whether a column says who rated, in the list of a column or around it.

        The list of a rater in no list is "", with which every path begins.
        """
        return path.startswith(self.lists_of_raters)

    def faults(self, sample: Sample) -> list[ColumnsFault]:
        """Return what is wrong or missing."""
        who = _("Who rated in %(columns)s? Say whose each is, or which column says who rated.")
        one = _("A person gives one score of %(what)s, and not %(columns)s; choose one.")
        column_faults = [ColumnsFault(who, "", self._nobodys(sample))]
        columns_of: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.SCORE]:
            if "[*]" not in path:
                key = self.rating_keys[path]
                names = f"{key.dimension} / {key.rater} / {key.response}"
                columns_of[names].append(path)
        for names, paths in columns_of.items():
            if len(paths) > 1:
                column_faults.append(ColumnsFault(one, names.strip(" /"), paths))
        return column_faults

    def _nobodys(self, sample: Sample) -> list[str]:
        """Return the columns of which nothing says who rated."""
        if self.scoring.rater:
            return []
        examples = {column.path: (*column.filled, "")[0] for column in sample.columns}
        nobodys = []
        for path in self.rated:
            is_in_nameless = list_of(path) in self.nameless_lists
            if self.rating_keys[path].rater or is_in_nameless or self._has_rater_beside(path):
                continue
            if not isinstance(list_in(examples.get(path)), list):  # whose entries are numbered
                nobodys.append(path)
        return nobodys
