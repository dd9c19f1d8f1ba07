"""The choices about columns of ratings so far, which the steps of the decision pass on.

Each step takes them, and returns more; `rating_columns` has the order. No Django but translations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .choices import Certainty, ColumnChoice
from .layouts import Layout
from .profile import Profile
from .score_cells import orders_of
from .score_columns import ScoreColumn
from .scoring import RatingKey, RatingKeys
from .uses import Use

MOST_KEYS = 20  # columns that are compared to see which names items, or people
MAY_SCORE = (Use.SCORE, Use.METADATA)  # options of a question
ONE_MORE = (Use.SCORE, Use.UNUSED)  # options of one about a column where others are scores


@dataclass(frozen=True)
class RatingChoices:
    """The choices about columns of ratings so far, and the file that they are about.

    They never change: each `with_` method returns a copy with one choice more. A later choice about
    a column replaces an earlier one.
    """

    profile: Profile
    layout: Layout
    choices_before: Mapping[str, ColumnChoice]  # what the columns are without ratings
    score_columns: Mapping[str, ScoreColumn]  # all of the file, by path
    choices: Mapping[str, ColumnChoice] = field(default_factory=dict)  # by path
    rating_keys: RatingKeys = field(default_factory=dict)
    remarks: tuple[str, ...] = ()  # what the lead should know
    no_answers: tuple[str, ...] = ()  # numbers that may mean no answer

    @classmethod
    def at_start(
        cls, profile: Profile, choices_before: Mapping[str, ColumnChoice], layout: Layout
    ) -> Self:
        """Return the state before the first step: nothing is chosen."""
        columns = {}
        for path, column in profile.columns.items():
            columns[path] = ScoreColumn(column, profile.rows)
        return cls(profile, layout, choices_before, columns)

    @cached_property
    def uses(self) -> dict[str, Use]:
        """The use of each column of the file: as chosen so far, else as before."""
        choices = {**self.choices_before, **self.choices}
        return {path: choice.use for path, choice in choices.items()}

    def of(self, *uses: Use) -> list[str]:
        """Return the paths of the columns that have one of some uses."""
        return [path for path, use in self.uses.items() if use in uses]

    def lists_of(self, *uses: Use) -> set[str]:
        """Return the lists of objects that hold columns of some uses."""
        return {self.score_columns[path].list_path for path in self.of(*uses) if "[*]" in path}

    @cached_property
    def free(self) -> tuple[ScoreColumn, ...]:
        """The filled columns about which nothing is decided."""
        free = []
        for path, column in self.score_columns.items():
            if column.profile.filled and self._is_free(path):
                free.append(column)
        return tuple(free)

    @property
    def free_cells(self) -> list[ScoreColumn]:
        """The free columns that are in no list, and hold none."""
        return [column for column in self.free if not column.list_path and not column.holds_lists]

    def _is_free(self, path: str) -> bool:
        before = self.choices_before[path]
        is_of_layout = before.reason == str(self.layout.label)
        return before.use is Use.METADATA and not is_of_layout and path not in self.choices

    @property
    def has_raters_in_rows(self) -> bool:
        """True if each row is of one rater, whom a cell of it names."""
        raters = [self.score_columns[path] for path in self.of(Use.RATER)]
        return any(not (column.list_path or column.holds_lists) for column in raters)

    @property
    def doubtful_scores(self) -> list[str]:
        """The paths of the columns of which it is asked whether they are scores."""
        paths = []
        for path, choice in self.choices.items():
            if choice.certainty is Certainty.DOUBTFUL and Use.SCORE in choice.options:
                paths.append(path)
        return paths

    @property
    def has_ratings(self) -> bool:
        """True if a column holds scores or answers to a check, or may hold scores."""
        return bool(self.of(Use.SCORE, Use.CHECK) or self.doubtful_scores)

    def key(self, path: str) -> RatingKey:
        """Return what a column says of its ratings; an empty key if it says nothing."""
        return self.rating_keys.get(path, RatingKey())

    def is_unique(self, path: str) -> bool:
        """Tell whether a column has another value in every row."""
        column = self.profile.columns[path]
        return column.distinct == column.filled == self.profile.rows

    def with_use(self, path: str, use: Use, reason: str) -> Self:
        """Choose a use for a column."""
        return self._with_choice(ColumnChoice(path, use, Certainty.LIKELY, reason))

    def with_question(
        self, path: str, options: tuple[Use, ...], question: str, *, group: str = ""
    ) -> Self:
        """Ask what a column is; it has no use until that is answered.

        `group` is the path of the first column that the same question is about.
        """
        choice = ColumnChoice(path, Use.UNDECIDED, Certainty.DOUBTFUL, "", options, question, group)
        return self._with_choice(choice)

    def with_doubtful_rater(self, path: str, question: str) -> Self:
        """Choose a column as who rated, and ask whether it is."""
        options = (Use.RATER, Use.METADATA)
        return self._with_choice(
            ColumnChoice(path, Use.RATER, Certainty.DOUBTFUL, "", options, question)
        )

    def with_words(self, score_columns: Sequence[ScoreColumn]) -> Self:
        """Choose columns whose texts have a known order as scores, and ask about the others."""
        ratings = self
        orders = orders_of({column.path: column.levels for column in score_columns})
        for column in score_columns:
            if orders[column.path]:
                reason = _("words of a known order")
                ratings = ratings.with_use(column.path, Use.SCORE, reason)
            else:
                question = _("is it a score? Then put its texts in order below")
                ratings = ratings.with_question(column.path, MAY_SCORE, question)
        return ratings

    def with_key(self, path: str, rating_key: RatingKey) -> Self:
        """Say of whom, of which dimension or of which response a column's ratings are."""
        return replace(self, rating_keys={**self.rating_keys, path: rating_key})

    def with_remark(self, words: str, **placeholders: object) -> Self:
        """Add a remark, with values for the names in its words."""
        return replace(self, remarks=(*self.remarks, fill_in(words, **placeholders)))

    def without_uses(self) -> Self:
        """Take back what makes sense beside ratings only: all but metadata and questions."""
        rest = {}
        for path, choice in self.choices.items():
            if choice.use in (Use.METADATA, Use.UNDECIDED):
                rest[path] = choice
        return replace(self, choices=rest)

    def _with_choice(self, choice: ColumnChoice) -> Self:
        return replace(self, choices={**self.choices, choice.path: choice})
