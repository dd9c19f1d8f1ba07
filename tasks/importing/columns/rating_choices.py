"""Choices of columns that are ratings: raters, lists of scores, columns of people.

No Django but its translations.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import commonprefix

from django.utils.translation import gettext as _

from ..files.rows import filled
from .choices import Certainty, ColumnChoice
from .first_names import is_first_name
from .layouts import Layout
from .names import fold, variant
from .profile import Profile
from .rating_names import (
    WHO,
    are_joined,
    is_amount,
    is_model,
    is_of_several,
    is_quality,
    is_score,
    last_name,
    may_be_key,
    may_be_who,
    use_of,
    without_mark,
)
from .rating_people import PersonColumn, people_in
from .score_cells import orders_of
from .score_columns import ScoreColumn
from .scoring import RatingKey, code_of
from .uses import ANSWERING, PROMPTS, Use

ENTRIES = ("annotation", "rating", "score", "review", "evaluation", "judg", "human", "expert")
MOST_KEYS = 20  # columns that may name items, or people
MAY_SCORE = (Use.SCORE, Use.METADATA)


@dataclass
class RatingChoices:
    """The choices about ratings that are made so far, and those that need nothing else."""

    profile: Profile
    before: Mapping[str, ColumnChoice]  # what the columns are without ratings
    layout: Layout
    choices: dict[str, ColumnChoice] = field(default_factory=dict)
    rating_keys: dict[str, RatingKey] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = self.profile.rows
        columns = self.profile.columns.items()
        self.columns = {path: ScoreColumn(column, rows) for path, column in columns}

    @property
    def uses(self) -> dict[str, Use]:
        choices = {**self.before, **self.choices}
        return {path: choice.use for path, choice in choices.items()}

    def of(self, *uses: Use) -> list[str]:
        return [path for path, use in self.uses.items() if use in uses]

    @property
    def free(self) -> list[ScoreColumn]:
        """The filled columns about which nothing is decided."""
        free = []
        for path, column in self.columns.items():
            if column.column.filled and self._is_free(path):
                free.append(column)
        return free

    @property
    def free_cells(self) -> list[ScoreColumn]:
        """The free columns that are in no list, and hold none."""
        return [column for column in self.free if not column.list and not column.is_list]

    def _is_free(self, path: str) -> bool:
        before = self.before[path]
        is_known = before.reason == str(self.layout.label)
        return before.use is Use.METADATA and not is_known and path not in self.choices

    @property
    def by_rows(self) -> bool:
        """True if each row is of one rater."""
        raters = [self.columns[path] for path in self.of(Use.RATER)]
        return any(not (column.list or column.is_list) for column in raters)

    def open_scores(self) -> Iterator[str]:
        for path, choice in self.choices.items():
            if choice.certainty is Certainty.OPEN and Use.SCORE in choice.options:
                yield path

    def _choose_raters(self) -> None:
        has_scores = any(is_score(column.name) for column in self.free)
        for column in self.free:
            if use_of(column.name) is not Use.RATER:
                continue
            names = column.column.entries or column.column
            if not names.counts or names.marks:
                continue
            if fold(column.name) == "userid" and not has_scores:
                continue
            self._choose_rater(column, _("named as who rated"))
        if not self.of(Use.RATER):
            self._choose_likely_rater()

    def _choose_rater(self, column: ScoreColumn, reason: str) -> None:
        """Choose a column of who rated, or ask if some values are models, or several people."""
        values = column.column.entries or column.column
        names = [*values.counts]
        models = [name for name in names if is_model(name) and not is_first_name(name)]
        others = [name for name in names if name in models or is_of_several(name)]
        if len(models) == len(names):
            question = _("is it a person who rated? The values look like models")
            self._doubt_rater(column.path, question)
        elif others:
            words = _("did people rate? These may be none: %(names)s")
            self._doubt_rater(column.path, filled(words, names=", ".join(others)))
        elif not column.is_list and are_joined(names):
            question = _("is each a person who rated? They look like several in one cell")
            self._doubt_rater(column.path, question)
        else:
            self._take(column.path, Use.RATER, reason)

    def _choose_likely_rater(self) -> None:
        """Choose a column that alone tells rows of one response with scores from each other."""
        free = self.free_cells
        scores = [column for column in free if self._is_score(column)]
        if not scores and not any(may_be_who(column.name) for column in free):
            return
        keys = [column.path for column in free if may_be_key(column.path)]
        about = self.of(*PROMPTS, *ANSWERING, Use.MODEL, Use.GROUP) or keys[:1]
        number = self.profile.combinations(*about)
        rows = len(self.profile.marks)
        if not about or number == rows:
            return
        candidates = []
        for column in free:
            if column in scores or column.path in about:
                continue
            is_other = is_amount(column.name) or use_of(column.name)
            may_be_name = may_be_who(column.name) or not column.is_numeric
            if column.may_name_people and may_be_name and not is_other:
                candidates.append(column)
        candidates.sort(key=lambda column: not may_be_who(column.name))
        for column in candidates[:MOST_KEYS]:
            if self.profile.combinations(*about, column.path) < rows:
                continue
            if may_be_who(column.name):
                self._choose_rater(column, _("another one in each row of a response"))
            else:
                self._doubt_rater(column.path, _("is it a person who rated?"))
            return

    def _choose_in_responses(self) -> None:
        """Choose scores that stand in an entry with a response."""
        lists = self._lists_of(*ANSWERING)
        rated = []
        for column in self.free:
            if column.list not in lists or not _may_score(column):
                continue
            is_rated = self.by_rows or max(column.sizes, default=0) > 1
            if is_rated and column.is_numeric:
                rated.append(column)
        # Others on the same scale are scores too, if one is named as such.
        clear = [column for column in rated if self.of(Use.RATER) or is_quality(column.name)]
        scales = [column.scale for column in clear]
        for column in rated:
            if column in clear or column.scale in scales:
                self._take(column.path, Use.SCORE, _("scores in the entry of a response"))
            elif clear:
                self._ask(column.path, MAY_SCORE, _("is it one more score?"))

    def _choose_entries(self) -> None:
        """Choose scores in a list of objects, one for each rater."""
        inside = self._lists_of(Use.RATER)
        beginnings = tuple(name for name in inside if name)
        for column in self.free:
            if not column.path.startswith(beginnings):
                continue
            if use := self._use_of(column):
                self._take(column.path, use, _("in a list with who rated"))
        for column in self.free:
            if column.list in inside or not self._is_score(column):
                continue
            name = fold(column.list)
            if any(word in name for word in ENTRIES):
                self._take(column.path, Use.SCORE, _("in a list of ratings"))
        lists = self._lists_of(Use.SCORE) - inside - {""}
        for column in self.free:
            if column.list in lists and WHO.fullmatch(fold(column.name)):
                self._take(column.path, Use.RATER, _("in a list of ratings"))
                lists.remove(column.list)
        if not self.of(Use.DIMENSION):
            self._choose_beside_scores()

    def _lists_of(self, *uses: Use) -> set[str]:
        """Return the lists of objects that hold columns of some uses."""
        return {self.columns[path].list for path in self.of(*uses) if "[*]" in path}

    def _choose_beside_scores(self) -> None:
        """Choose numbers in a list with who rated that are on the scale of scores in it."""
        scales = [self.columns[path].scale for path in self.of(Use.SCORE)]
        lists = self._lists_of(Use.SCORE, Use.RATER) - self._lists_of(*ANSWERING) - {""}
        for column in self.free:
            if column.list not in lists or not column.is_numeric or not _may_score(column):
                continue
            if column.scale in scales:
                reason = _("on the same scale as other scores")
                self._take(column.path, Use.SCORE, reason)
            else:
                self._ask(column.path, (Use.SCORE, Use.UNUSED), _("is it one more score?"))

    def _choose_lists(self) -> None:
        """Choose lists of scores, one for each rater."""
        lists = []
        for column in self.free:
            if not column.is_list or not column.is_numeric:
                continue
            if max(column.sizes, default=0) > 1 and _may_score(column):
                lists.append(column)
        for column in lists:
            self._choose_raters_of(column)
        has_raters = bool(self.of(Use.RATER))
        sizes = [column.sizes for column in lists]
        for column in lists:
            if column.list:
                continue
            if is_model(column.name):
                reason = _("looks like scores of a model")
                self._take(column.path, Use.METADATA, reason)
            elif has_raters or is_quality(column.name) or sizes.count(column.sizes) > 1:
                self._take(column.path, Use.SCORE, _("a list of scores"))
            else:
                question = _("is it a list of scores, one by each rater?")
                self._ask(column.path, MAY_SCORE, question)

    def _choose_raters_of(self, scores: ScoreColumn) -> None:
        """Choose the list of who gave a list of scores: `quality.responses.users`."""
        for column in self.free:
            parent, _dot, name = column.path.rpartition(".")
            if parent == scores.path and column.is_list and may_be_who(name.removesuffix("s")):
                self._take(column.path, Use.RATER, _("a list of who rated"))

    def _choose_people(self) -> None:
        free = self.free_cells
        self._choose_by_responses([column for column in free if column.is_numeric])
        if self.of(Use.SCORE):
            for path in self.of(Use.SCORE):
                self._take(path, Use.METADATA, _("may be a score; nothing says who rated"))
            return
        people = people_in(free, self._response_marks())
        first = ""  # of those that are asked about
        for person in people:
            path = person.column.path
            self.rating_keys[path] = RatingKey(
                person.name, person.dimension, response=person.response
            )
            if person.question:
                self._ask(path, MAY_SCORE, person.question, group=first)
                first = first or path
            elif not person.column.texts:
                self._take(path, Use.SCORE, _("a column for each rater"))
        clear = [person.column for person in people if not person.question]
        self._take_words([column for column in clear if column.texts])
        self._choose_comments(people)

    def _choose_by_responses(self, free: Iterable[ScoreColumn]) -> None:
        """Choose scores that have a response's name or mark in their names."""
        responses = self.of(*ANSWERING)
        if len(responses) < 2:
            return
        marks = self._response_marks()
        stems: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
        of_responses: dict[str, tuple[str, str]] = {}
        for column in free:
            title, mark = _without_any(column.name, marks)
            is_beside_rater = self.by_rows and not is_amount(title)
            is_score_of_one = mark and is_quality(title)
            may_score = column.is_numeric and (is_beside_rater or is_score_of_one)
            if not may_score and not self._is_score(column):
                continue
            for path in responses:
                name = last_name(path)
                if fold(column.name).startswith(fold(name)):
                    of_responses[column.path] = path, column.name[len(name) :]
            stems[title][mark] = column
        for stem, columns in stems.items():
            if columns.keys() != marks.keys() or len(columns) != len(responses):
                continue
            for mark, column in columns.items():
                of_responses.setdefault(column.path, (marks[mark], stem))
        for path, (response, name) in of_responses.items():
            self._take(path, Use.SCORE, filled(_("scores of “%(column)s”"), column=response))
            code = code_of(name.strip(" _.-"))
            self.rating_keys[path] = RatingKey(dimension=code, response=response)
        scored = [self.columns[path] for path in of_responses]
        self._take_words([column for column in scored if column.texts])

    def _response_marks(self) -> dict[str, str]:
        """Return the columns of responses by what is only in its name: a number, a model."""
        names = {last_name(path): path for path in self.of(*ANSWERING)}
        marks = {variant(name)[1]: path for name, path in names.items()}
        if len(marks) > 1 and "" not in marks:
            return marks
        start = commonprefix([*names])
        end = commonprefix([name[::-1] for name in names])[::-1]
        marks = {}
        for name, path in names.items():
            rest = name.removeprefix(start) if start else name.removesuffix(end)
            mark = rest.strip(" _.-")
            marks[mark] = path
        if len(marks) < 2 or "" in marks:
            return {}
        return marks

    def _choose_comments(self, people: Sequence[PersonColumn]) -> None:
        if not people:
            return
        for column in self.free:
            if use_of(column.name) is not Use.COMMENT or not column.column.letters:
                continue
            name = column.name.casefold()
            whose = [person.name for person in people if person.name.casefold() in name]
            if whose:
                self._take(column.path, Use.COMMENT, _("a comment of who rated"))
                self.rating_keys[column.path] = RatingKey(whose[0])
            else:
                self._ask(column.path, (Use.COMMENT, Use.METADATA), _("whose comment?"))

    def _take_words(self, columns: Sequence[ScoreColumn]) -> None:
        """Choose columns whose texts have a known order, and ask about the others."""
        orders = orders_of({column.path: column.texts for column in columns})
        for column in columns:
            if orders[column.path]:
                self._take(column.path, Use.SCORE, _("words of a known order"))
            else:
                question = _("is it a score? Then put its texts in order below")
                self._ask(column.path, MAY_SCORE, question)

    def _use_of(self, column: ScoreColumn) -> Use | None:
        """Return what a column beside a rater is, by its name and what it holds."""
        use = use_of(column.name)
        texts = [example for example in column.column.examples if isinstance(example, str)]
        if use is Use.TARGET and column.is_numeric:
            return use
        if use is Use.TIME and all(text[:4].isdigit() and "-" in text for text in texts):
            return use
        if use in (Use.DIMENSION, Use.COMMENT) and texts and not column.is_numeric:
            return use
        if self._is_score(column):
            return Use.SCORE
        return None

    def _is_score(self, column: ScoreColumn) -> bool:
        return has_score_name(column) and (column.is_numeric or bool(column.texts))

    def _take(self, path: str, use: Use, reason: str) -> None:
        self.choices[path] = ColumnChoice(path, use, Certainty.LIKELY, reason)

    def _ask(self, path: str, options: tuple[Use, ...], question: str, *, group: str = "") -> None:
        self.choices[path] = ColumnChoice(
            path, Use.UNDECIDED, Certainty.OPEN, "", options, question, group
        )

    def _doubt_rater(self, path: str, question: str) -> None:
        """Ask about a column that is used as proposed if the answer is yes."""
        options = (Use.RATER, Use.METADATA)
        self.choices[path] = ColumnChoice(path, Use.RATER, Certainty.OPEN, "", options, question)


def _without_any(name: str, marks: Iterable[str]) -> tuple[str, str]:
    """Return a name without the mark in it that is one of several, and the mark, or ""."""
    mark = variant(name)[1]
    if mark in marks:
        return without_mark(name), mark
    for mark in marks:
        sign = re.escape(mark)
        pattern = rf"(.+?)[ _.-]+{sign}|{sign}[ _.-]+(.+)"
        if match := re.fullmatch(pattern, name, re.IGNORECASE):
            return match[1] or match[2], mark
    return name, ""


def has_score_name(column: ScoreColumn) -> bool:
    return is_quality(column.name) and not is_amount(column.name)


def _may_score(column: ScoreColumn) -> bool:
    return not is_amount(column.name)
