"""The columns of ratings in one mapping: of which use, of whom, and in which lists.

No Django but its translations.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from .rated_parts import list_of
from .rating_names import last_name
from .sample import Sample
from .score_cells import list_in
from .scoring import FILE, QUALITY, RatingKey, RatingKeys, Scoring, code_of, title_of
from .uses import ANSWERING, RATINGS, Use

AROUND = (Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME)  # what goes with a rating


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
        self.columns = column_uses
        self.packed = packed
        self.scoring = scoring
        self.rater = scoring.rater.replace(FILE, file)
        self.no_answer = frozenset(text.strip().casefold() for text in scoring.no_answer)
        self.paths: dict[Use, list[str]] = {use: [] for use in Use}
        for path, use in column_uses.items():
            self.paths[use].append(path)
        self.rated = self._of(RATINGS)
        self.needed = {*self.rated, *self._of(AROUND)}
        self.rating_keys = {path: rating_keys.get(path, RatingKey()) for path in column_uses}
        if not self.paths[Use.DIMENSION]:
            self._name_dimensions()
        self.number = 0  # of scores that were read, good or bad
        self.left_out: Counter[str] = Counter()  # scores of dimensions without a place, by name
        self.exported = {path.partition("[")[0] for path in self.paths[Use.EXPORTED]}
        self._sort_lists()

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

    def _sort_lists(self) -> None:
        """Find the lists of responses, and those whose entries are of one rater each."""
        answers = self._of(ANSWERING)
        answered = {list_of(path) for path in answers if "[*]" in path}
        entries = tuple(f"{name}[*]" for name in answered)
        self.fixed = set()
        for path in self.rated:
            if path.startswith(entries) or self.rating_keys[path].response:
                self.fixed.add(path)
        self.has_targets = bool(self.paths[Use.TARGET])
        self.answers = answers if self.fixed else []
        self.needed.update(self.answers)
        self.inner_raters: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.RATER]:
            parent = path.rpartition(".")[0]
            self.inner_raters[parent].append(path)
        self.lists_of_raters = tuple(list_of(path) for path in self.paths[Use.RATER])
        lists = dict.fromkeys(list_of(path) for path in self.rated if "[*]" in path)
        self.unnamed = []
        for name in lists:
            if name not in answered and not name.startswith(self.lists_of_raters):
                self.unnamed.append(name)

    def faults(self, sample: Sample) -> list[tuple[str, str, Sequence[str]]]:
        """Return what is wrong or missing: a sentence, its subject, and the columns."""
        who = _("Who rated in %(columns)s? Say whose each is, or which column says who rated.")
        one = _("A person gives one score of %(what)s, and not %(columns)s; choose one.")
        column_faults: list[tuple[str, str, Sequence[str]]] = [(who, "", self._nobodys(sample))]
        columns_of: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.SCORE]:
            if "[*]" not in path:
                key = self.rating_keys[path]
                names = f"{key.dimension} / {key.rater} / {key.response}"
                columns_of[names].append(path)
        for names, paths in columns_of.items():
            if len(paths) > 1:
                column_faults.append((one, names.strip(" /"), paths))
        return column_faults

    def _nobodys(self, sample: Sample) -> list[str]:
        """Return the columns of which nothing says who rated."""
        examples = {column.path: (*column.filled, "")[0] for column in sample.columns}
        nobodys = []
        for path in self.rated:
            if self.rating_keys[path].rater or self.scoring.rater:
                continue
            if list_of(path) in self.unnamed or path.startswith(self.lists_of_raters):
                continue
            if not isinstance(list_in(examples.get(path)), list):
                nobodys.append(path)
        return nobodys
