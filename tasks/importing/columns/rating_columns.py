"""The proposal which columns of a file are ratings, and of whom. No Django but its translations.

Ratings of a clear structure are chosen with a reason. Doubtful ones are asked about.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from ..files.rows import filled
from .choices import Certainty, ColumnChoice
from .layouts import Layout
from .names import fold
from .profile import Profile
from .rating_choices import MAY_SCORE, MOST_KEYS, has_score_name
from .rating_doubts import RatingDoubts
from .rating_names import (
    is_amount,
    is_human,
    is_label,
    is_preference,
    is_quality,
    is_score,
    last_name,
    may_be_key,
    use_of,
)
from .rating_scoring import proposed_scoring
from .rating_slots import are_slots
from .score_columns import ScoreColumn
from .scoring import RatingKey, RatingKeys, Scoring, code_of
from .uses import ANSWERING, PROMPTS, RATING, Use

MACHINES = re.compile("moderation|toxic|detox|perspectiveapi|metadata|usage|params|config")
PLACES = (".rank", ".start", ".end")  # in an order or a text


@dataclass(frozen=True)
class RatingProposal:
    """The choices about columns of ratings, whose they are, and how they are written."""

    choices: Mapping[str, ColumnChoice]
    rating_keys: RatingKeys
    scoring: Scoring
    remarks: Sequence[str]


def propose_ratings(
    profile: Profile, choices: Mapping[str, ColumnChoice], layout: Layout
) -> RatingProposal:
    """Return what of the columns is ratings, beside what they are else."""
    decision = RatingDecision(profile, choices, layout)
    decision.decide()
    uses = decision.uses
    rating_keys = decision.rating_keys
    scoring = proposed_scoring(profile, uses, rating_keys, layout.rater)
    scoring = replace(scoring, no_answer=(*scoring.no_answer, *decision.codes))
    if open_uses := dict.fromkeys(decision.open_scores(), Use.SCORE):
        with_open = proposed_scoring(profile, uses | open_uses, rating_keys, layout.rater)
        # The scale of a dimension is that of the whole file, whatever is answered.
        scales = dict(scoring.scales)
        for path in open_uses:
            key = rating_keys.get(path, RatingKey())
            scales.pop(key.dimension or code_of(path), None)
        scoring = replace(scoring, scales=scales, words=with_open.words)
    if are_slots(profile, uses, rating_keys):
        scoring = replace(scoring, slots=True)
        decision.explain_slots()
    left_out = [name for name, code in scoring.dimensions.items() if not code]
    decision.explain_preferences(left_out)
    return RatingProposal(decision.choices, rating_keys, scoring, decision.remarks)


class RatingDecision(RatingDoubts):
    """All choices about ratings, made one after another."""

    def decide(self) -> None:
        """Choose the columns of ratings, and what goes with them."""
        if self.of(*RATING):
            self._check_layout()
        else:
            self._choose_raters()
            self._choose_in_responses()
            self._choose_entries()
            self._choose_lists()
            if self.by_rows:
                self._choose_by_rows()
            elif not self.of(Use.SCORE):
                self._choose_people()
        self._doubt_preferences()
        if self.of(Use.SCORE, Use.CHECK) or any(self.open_scores()):
            self._choose_item()
            self._leave_rest()
            self._doubt_repeats()
            self._doubt_spellings()
            self._doubt_raters()
            self._doubt_scores()
            self._leave_models()
        else:
            self._leave_preferences()
            self._forget_uses()
        self._explain_numbers()

    def _forget_uses(self) -> None:
        """Take back what needs ratings."""
        for path, choice in [*self.choices.items()]:
            if choice.use not in (Use.METADATA, Use.UNDECIDED):
                del self.choices[path]

    def _check_layout(self) -> None:
        """Leave out what is no score, and ask about texts that may be levels."""
        self.rating_keys |= self.layout.rating_keys(self.profile.sample)
        misfits = []
        for path in self.of(Use.SCORE):
            column = self.columns[path]
            if column.is_numeric and not path.endswith(PLACES):
                continue
            if "[" not in path and column.texts:
                self._take_words([column])
            elif column.column.filled:
                misfits.append(path)
        self._leave_out(misfits)

    def _leave_out(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        for path in paths:
            self._take(path, Use.UNUSED, _("no scores"))
        number = sum(self.profile.columns[path].filled for path in paths)
        words = _("There is no place for %(columns)s yet (%(number)s values).")
        self.remarks.append(filled(words, columns=", ".join(paths), number=number))

    def _choose_by_rows(self) -> None:
        free = [column for column in self.free_cells if not MACHINES.search(fold(column.path))]
        for column in free:
            use = self._use_of(column)
            if use and use is not Use.SCORE:
                self._take(column.path, use, _("goes with a rating"))
        free = [column for column in free if column.path not in self.choices]
        self._choose_by_responses(free)
        free = [column for column in free if column.path not in self.choices]
        numeric = [column for column in free if column.is_numeric and not is_amount(column.name)]
        clear = [column for column in numeric if is_quality(column.name)]
        for column in clear or _series(numeric) or numeric:
            self._take(column.path, Use.SCORE, _("small numbers beside who rated"))
        if clear and not self.of(Use.DIMENSION):
            for column in numeric:
                if column not in clear:
                    self._compare_scale(column, clear)
        self._choose_decimals(free)
        self._choose_words(free)
        self._doubt_labels(free)

    def _compare_scale(self, column: ScoreColumn, best: Sequence[ScoreColumn]) -> None:
        """Choose a column of numbers beside clearer scores if it may be one more."""
        if not self._varies(column):
            return
        scales = [other.scale for other in best]
        if column.scale in scales:
            self._take(column.path, Use.SCORE, _("on the same scale as other scores"))
        else:
            self._ask(column.path, (Use.SCORE, Use.UNUSED), _("is it one more score?"))

    def _choose_decimals(self, free: Iterable[ScoreColumn]) -> None:
        """Ask about decimals beside who rated, if there are no other scores."""
        if self.of(Use.SCORE):
            return
        parents = {path.rpartition(".")[0] for path in self.of(Use.RATER)}
        for column in free:
            parent = column.path.rpartition(".")[0]
            if parent in parents and column.is_decimal and has_score_name(column):
                question = _("is it a score? Only whole scores and halves can be imported")
                self._ask(column.path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_labels(self, free: Iterable[ScoreColumn]) -> None:
        """Ask about labels beside who rated, if there are no scores."""
        if self.of(Use.SCORE) or any(self.open_scores()):
            return
        for column in free:
            if not is_label(column.name) or not (column.is_numeric or column.texts):
                continue
            if column.words and not self._is_of_item(column):
                self._take(column.path, Use.SCORE, _("words of a known order"))
            else:
                self._ask(column.path, (Use.SCORE, Use.UNUSED), _("is it a score?"))

    def _is_of_item(self, column: ScoreColumn) -> bool:
        """Tell whether all raters of an item say the same."""
        about = self.of(Use.GROUP, *PROMPTS, Use.CONVERSATION, *ANSWERING)
        if not about or self._is_unique(about[0]):
            return False
        return self.profile.follows(column.path, about[0])

    def _choose_words(self, free: Iterable[ScoreColumn]) -> None:
        """Choose or ask about columns of few and short texts, which may be levels."""
        texts = []
        for column in free:
            is_free = column.path not in self.choices
            if is_free and column.texts and not is_amount(column.name):
                texts.append(column)
        has_scores = bool(self.of(Use.SCORE))
        levels = []
        for column in texts:
            if self._is_of_item(column):
                continue
            is_clear = column.words and is_quality(column.name)
            if is_clear or (not has_scores and self._varies(column)):
                levels.append(column)
        self._take_words([*levels, *_word_siblings(levels, texts)])

    def _varies(self, column: ScoreColumn) -> bool:
        """Tell whether a column says something else of the same rater, and of the same item."""
        raters = [path for path in self.of(Use.RATER) if "[" not in path]
        around = [*self.of(Use.GROUP, *PROMPTS)[:1], *raters]
        for path in around:
            other = self.profile.columns[path]
            repeats = other.distinct < other.filled
            if repeats and self.profile.follows(column.path, path):
                return False
        return True

    def _choose_item(self) -> None:
        """Choose what says of which item a rating is."""
        is_known = any(self.before[path].certainty is Certainty.SURE for path in self.of(Use.GROUP))
        if is_known or len(self.of(Use.ID)) > 1:
            return
        keys = [path for path in self.of(Use.METADATA, Use.ID, Use.GROUP) if may_be_key(path)]
        if not self.by_rows:
            self._choose_id(keys)
            return
        prompts = self.of(*PROMPTS)
        texts = [*prompts[:1], *self.of(Use.RESPONSE)[:1]]
        keys = [path for path in keys if self.profile.columns[path].distinct > 1] or keys
        keys = keys[:MOST_KEYS]
        best = max(keys, key=lambda path: self._key_rank(path, texts, keys), default=None)
        if prompts and (best is None or self._is_of_rows(best, prompts[0])):
            for path in self.of(Use.ID):
                self._take(path, Use.UNUSED, _("another one in every row"))
            self._take(prompts[0], Use.SHARED, _("rows with the same are one item"))
        elif best:
            for path in self.of(Use.ID, Use.GROUP):
                self._take(path, Use.UNUSED, _("names no item"))
            self._take(best, Use.GROUP, _("names the item of each rating"))

    def _choose_id(self, keys: Iterable[str]) -> None:
        """Choose the first key that is another one in every row, if there is none."""
        if self.of(Use.ID, Use.GROUP):
            return
        for path in keys:
            if self._is_unique(path):
                self._take(path, Use.ID, _("another one in every row"))
                return

    def _is_unique(self, path: str) -> bool:
        column = self.profile.columns[path]
        return column.distinct == column.filled == self.profile.rows

    def _is_of_rows(self, key: str, prompt: str) -> bool:
        """Tell whether a key names rows, and a prompt with its rater repeats in none."""
        if not self._is_unique(key) or self._is_unique(prompt):
            return False
        paths = (prompt, *self.of(*ANSWERING, Use.MODEL, Use.RATER, Use.DIMENSION, Use.TARGET))
        return self.profile.combinations(*paths) == len(self.profile.marks)

    def _key_rank(
        self, path: str, texts: Sequence[str], keys: Sequence[str]
    ) -> tuple[int, bool, int, int]:
        """Return how well a column names items: texts and other keys are the same for the same."""
        follows = self.profile.follows
        of_texts = sum(follows(text, path) for text in texts)
        of_keys = sum(follows(key, path) for key in keys)
        repeats = not self._is_unique(path)
        distinct = self.profile.columns[path].distinct
        return of_texts, repeats, of_keys, -distinct

    def _leave_rest(self) -> None:
        """Leave out what each rating may say otherwise."""
        lists = {path.partition("[")[0] for path in self.of(*RATING) if "[" in path}
        lists -= {path.partition("[")[0] for path in self.of(*ANSWERING)}
        rest: list[str] = []
        compare: list[str] = []
        items = self.of(Use.GROUP, Use.SHARED)
        for path in self.of(Use.METADATA):
            if path in self.choices:
                continue
            if path.partition("[")[0] in lists:
                self._take(path, Use.UNUSED, _("in a list of ratings"))
            elif self.by_rows and not self._goes_with(path, items):
                self._take(path, Use.UNUSED, _("each rating may have another"))
                others = compare if is_preference(last_name(path)) else rest
                others.append(path)
        if rest:
            words = _("Left out, as each rating may have another: %(columns)s.")
            self.remarks.append(filled(words, columns=", ".join(rest)))
        self.explain_preferences(compare)

    def _goes_with(self, path: str, items: Sequence[str]) -> bool:
        """Tell whether all rows of an item are known to say the same."""
        if not items or len(self.profile.marks) < self.profile.rows:
            return False
        return self.profile.follows(path, items[0])

    def _explain_numbers(self) -> None:
        """Say of scores of nobody that they may be some."""
        for column in self.free:
            if use_of(column.name) is Use.RATER:
                self._take(column.path, Use.METADATA, _("named as who rated, without scores"))
            is_number = column.is_numeric or column.is_decimal
            if is_human(column.name) and is_score(column.name) and column.is_numeric:
                self._ask(column.path, MAY_SCORE, _("is it a score of one person?"))
            elif has_score_name(column) and not column.list and is_number:
                reason = _("may be a score; nothing says who rated")
                self._take(column.path, Use.METADATA, reason)


def _word_siblings(
    best: Sequence[ScoreColumn], columns: Iterable[ScoreColumn]
) -> Iterator[ScoreColumn]:
    """Yield columns such as `Q_fair` beside `Q_safe` that have no other texts than these."""
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for column in best:
        first, *rest = re.split("[ _.-]", column.name)
        if rest:
            texts[first].update(column.texts)
    for column in columns:
        first = re.split("[ _.-]", column.name)[0]
        is_known = texts[first].issuperset(column.texts)
        if is_known and column not in best:
            yield column


def _series(columns: Sequence[ScoreColumn]) -> list[ScoreColumn]:
    """Return the longest series of names, such as Q1, Q2, Q3."""
    groups: defaultdict[str, list[ScoreColumn]] = defaultdict(list)
    for column in columns:
        stem = column.name.rstrip("0123456789")
        groups[stem].append(column)
    series = [group for stem, group in groups.items() if stem != group[0].name]
    return max(series, key=len, default=[])
