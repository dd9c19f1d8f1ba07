"""The columns of ratings in one mapping, sorted by what the readers of ratings do with them.

`Mapping.rated_columns` makes one for each mapping, and `CellReader` and `RatingReader` read it for
each row. A column is its path. With the uses

    {"id": ID, "ratings[*].rater": RATER, "ratings[*].score": SCORE, "ratings[*].why": COMMENT}

`rated` has the columns of the score and the comment, and `needed` that of the rater, too. Knows no
Django.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .rated_parts import list_of
from .rating_names import last_name
from .scoring import FILE, QUALITY, RatingKey, RatingKeys, Scoring, code_of, title_of
from .uses import ANSWERING, RATINGS, Use

AROUND = (Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME)  # what goes with a rating


@dataclass(frozen=True)  # without slots, because of cached_property
class RatedColumns:
    """The columns of one mapping for a reader of ratings; each group of them is made once."""

    uses: Mapping[str, Use]  # by column
    packed: Container[str]  # columns whose cells are JSON in a text
    mapped_keys: RatingKeys  # what the mapping says of columns, of those of which it says something
    scoring: Scoring
    file: str = ""  # the file's name without its ending

    @cached_property
    def paths(self) -> dict[Use, list[str]]:
        """The columns of each use."""
        paths: dict[Use, list[str]] = {use: [] for use in Use}
        for path, use in self.uses.items():
            paths[use].append(path)
        return paths

    def _of(self, uses: Iterable[Use]) -> list[str]:
        """Return the columns of some uses, in the order of the uses."""
        of_uses: list[str] = []
        for use in uses:
            of_uses += self.paths[use]
        return of_uses

    @cached_property
    def rated(self) -> list[str]:
        """The columns that say something in a rating: scores, checks and comments."""
        return self._of(RATINGS)

    @cached_property
    def needed(self) -> set[str]:
        """All columns that a reader of ratings must see."""
        return {*self.rated, *self._of(AROUND), *self.answers}

    @cached_property
    def exported(self) -> set[str]:
        """The names of the columns of our own export, as the row has them."""
        return {path.partition("[")[0] for path in self.paths[Use.EXPORTED]}

    @cached_property
    def rating_keys(self) -> dict[str, RatingKey]:
        """The rater, the dimension, the check and the response that each column is of.

        If no column of the file says the dimension, the name of the rated column does: `fluency`.
        """
        keys = {path: self.mapped_keys.get(path, RatingKey()) for path in self.uses}
        if self.paths[Use.DIMENSION]:
            return keys
        for path in self.rated:
            key = keys[path]
            if not key.dimension:
                # A column that is named after a person says no dimension.
                dimension = QUALITY if key.rater else code_of(path)
                keys[path] = replace(key, dimension=dimension)
        return keys

    @cached_property
    def titles(self) -> dict[str, str]:
        """The names of dimensions as the file writes them, by their codes."""
        titles = {code: name for name, code in self.scoring.dimensions.items() if code}
        for path in self.paths[Use.SCORE]:
            code = self.rating_keys[path].dimension
            titles.setdefault(code, title_of(last_name(path), code))
        return titles

    @cached_property
    def no_answer(self) -> frozenset[str]:
        """The texts of a score that mean no answer, in small letters."""
        return frozenset(text.strip().casefold() for text in self.scoring.no_answer)

    # --- which response is rated ---

    @cached_property
    def _lists_of_responses(self) -> list[str]:
        """The lists that responses stand in: `responses` for `responses[*].text`."""
        return [list_of(path) for path in self._of(ANSWERING) if "[*]" in path]

    @cached_property
    def with_responses(self) -> set[str]:
        """The rated columns that name their response, or stand in a list with it."""
        entries = tuple(f"{name}[*]" for name in self._lists_of_responses)
        with_responses = set()
        for path in self.rated:
            if path.startswith(entries) or self.rating_keys[path].response:
                with_responses.add(path)
        return with_responses

    @cached_property
    def answers(self) -> list[str]:
        """The columns of responses, if a rated column is with its response."""
        return self._of(ANSWERING) if self.with_responses else []

    # --- who rated ---

    @cached_property
    def rater(self) -> str:
        """The name of who rated where nothing else says it; "" for none."""
        return self.scoring.rater.replace(FILE, self.file)

    @cached_property
    def inner_raters(self) -> dict[str, list[str]]:
        """The columns of who rated, by the column or object that they stand in.

        For `fluency.rater` that is `fluency`, for `ratings[*].rater` it is `ratings[*]`.
        """
        inner_raters: dict[str, list[str]] = {}
        for path in self.paths[Use.RATER]:
            outer = path.rpartition(".")[0]
            inner_raters.setdefault(outer, []).append(path)
        return inner_raters

    @cached_property
    def nameless_lists(self) -> list[str]:
        """The lists of ratings in which nothing names who gave an entry: they are numbered."""
        nameless: list[str] = []
        for path in self.rated:
            name = list_of(path)
            if "[*]" not in path or name in nameless or name in self._lists_of_responses:
                continue
            if not self.has_column_of_rater(name):
                nameless.append(name)
        return nameless

    @cached_property
    def _lists_of_raters(self) -> tuple[str, ...]:
        """The list that each column of who rated stands in; "" if it stands in none."""
        return tuple(list_of(path) for path in self.paths[Use.RATER])

    def has_column_of_rater(self, path: str) -> bool:
        """Tell whether a column says who rated, in the list of a column or around it."""
        # A rater in no list is around all columns: each path begins with "".
        return path.startswith(self._lists_of_raters)
