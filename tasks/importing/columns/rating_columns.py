"""The proposal which columns of a file are ratings, and of whom. No Django but its translations.

Ratings of a clear structure are chosen with a reason. Doubtful ones are asked about.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from ..files.rows import filled
from .choices import Certainty, ColumnChoice
from .layout import Layout
from .names import fold, variant
from .profile import Profile
from .rating_names import (
    WHO,
    is_amount,
    is_human,
    is_label,
    is_machine,
    is_model,
    is_preference,
    is_quality,
    is_score,
    is_self_doubt,
    last_name,
    use_of,
)
from .rating_people import PersonColumn, people_in
from .rating_scoring import common_spellings, proposed_scoring
from .score_cells import orders_of
from .score_columns import ScoreColumn
from .scoring import Said, Scoring, code_of
from .uses import ANSWERING, PROMPTS, RATING, Use

ENTRIES = ("annotation", "rating", "score", "review", "evaluation", "judg", "human", "expert")
MACHINES = re.compile("moderation|toxic|detox|perspectiveapi|metadata|usage|params|config")
PLACES = (".rank", ".start", ".end")  # in an order or a text
KEYS = ("item", "doc", "key", "row", "nr", "no", "number", "idx", "index")
FEW = 0.9  # of the rows: fewer different ones repeat each other
MAY_SCORE = (Use.SCORE, Use.METADATA)


@dataclass(frozen=True)
class RatingProposal:
    """The choices about columns of ratings, whose they are, and how they are written."""

    choices: Mapping[str, ColumnChoice]
    said: Mapping[str, Said]
    scoring: Scoring
    remarks: Sequence[str]


def propose_ratings(
    profile: Profile, choices: Mapping[str, ColumnChoice], layout: Layout
) -> RatingProposal:
    """Return what of the columns is ratings, beside what they are else."""
    decision = RatingDecision(profile, choices, layout)
    decision.decide()
    uses, said = decision.uses, decision.said
    scoring = proposed_scoring(profile, uses, said, layout.rater)
    if open_uses := dict.fromkeys(decision.open_scores(), Use.SCORE):
        words = proposed_scoring(profile, uses | open_uses, said, layout.rater).words
        scoring = scoring.with_scales(scoring.scales, words)
    decision.explain_preferences([name for name, code in scoring.dimensions.items() if not code])
    return RatingProposal(decision.choices, decision.said, scoring, decision.remarks)


@dataclass
class RatingDecision:
    """The choices about ratings, made one after another."""

    profile: Profile
    before: Mapping[str, ColumnChoice]  # what the columns are without ratings
    layout: Layout
    choices: dict[str, ColumnChoice] = field(default_factory=dict)
    said: dict[str, Said] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.columns = {
            path: ScoreColumn(column, self.profile.rows)
            for path, column in self.profile.columns.items()
        }

    @property
    def uses(self) -> dict[str, Use]:
        return {path: choice.use for path, choice in {**self.before, **self.choices}.items()}

    def of(self, *uses: Use) -> list[str]:
        return [path for path, use in self.uses.items() if use in uses]

    @property
    def free(self) -> list[ScoreColumn]:
        """The filled columns about which nothing is decided."""
        free = [column for path, column in self.columns.items() if self._is_free(path)]
        return [column for column in free if column.column.filled]

    def _is_free(self, path: str) -> bool:
        before = self.before[path]
        is_known = before.reason == str(self.layout.label)
        return before.use is Use.METADATA and not is_known and path not in self.choices

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
            self._doubt_scores()
        else:
            self.choices = {
                path: choice for path, choice in self.choices.items() if choice.use is Use.METADATA
            }
        self._explain_numbers()

    @property
    def by_rows(self) -> bool:
        """True if each row is of one rater."""
        raters = [self.columns[path] for path in self.of(Use.RATER)]
        return any(not (column.list or column.is_list) for column in raters)

    def open_scores(self) -> Iterator[str]:
        for path, choice in self.choices.items():
            if choice.certainty is Certainty.OPEN and Use.SCORE in choice.options:
                yield path

    # --- a layout knows them ---

    def _check_layout(self) -> None:
        """Leave out what is no score, and ask about texts that may be levels."""
        self.said |= self.layout.said(self.profile.sample)
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

    # --- raters ---

    def _choose_raters(self) -> None:
        has_scores = any(is_score(column.name) for column in self.free)
        for column in self.free:
            names = column.column.entries or column.column
            values = [*names.counts]
            if use_of(column.name) is not Use.RATER or not values or names.marks:
                continue
            if fold(column.name) == "userid" and not has_scores:
                continue
            if all(map(is_model, values)):
                question = _("is it a person who rated? The values look like models")
                self._doubt_rater(column.path, question)
            else:
                self._take(column.path, Use.RATER, _("named as who rated"))

    # --- lists ---

    def _choose_in_responses(self) -> None:
        """Choose scores that stand in an entry with a response."""
        lists = {path.rpartition("[*]")[0] for path in self.of(*ANSWERING) if "[*]" in path}
        for column in self.free:
            is_rated = self.by_rows or max(column.sizes, default=0) > 1
            is_rated = is_rated and (bool(self.of(Use.RATER)) or is_quality(column.name))
            if column.list in lists and column.is_numeric and is_rated and _may_score(column):
                self._take(column.path, Use.SCORE, _("scores in the entry of a response"))

    def _choose_entries(self) -> None:
        """Choose scores in a list of objects, one for each rater."""
        inside = {path.rpartition("[*]")[0] for path in self.of(Use.RATER) if "[*]" in path}
        beginnings = tuple(name for name in inside if name)
        for column in self.free:
            is_inside = bool(beginnings) and column.path.startswith(beginnings)
            if is_inside and (use := self._use_of(column)):
                self._take(column.path, use, _("in a list with who rated"))
        for column in self.free:
            is_entry = any(word in fold(column.list) for word in ENTRIES)
            if is_entry and column.list not in inside and self._is_score(column):
                self._take(column.path, Use.SCORE, _("in a list of ratings"))
        lists = {self.columns[path].list for path in self.of(Use.SCORE)} - inside - {""}
        for column in self.free:
            if column.list in lists and WHO.fullmatch(fold(column.name)):
                self._take(column.path, Use.RATER, _("in a list of ratings"))
                lists.remove(column.list)

    def _choose_lists(self) -> None:
        """Choose lists of scores, one for each rater."""
        lists = [column for column in self.free if column.is_list and column.is_numeric]
        lists = [
            column for column in lists if max(column.sizes, default=0) > 1 and _may_score(column)
        ]
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

    # --- a row for each rating ---

    def _choose_by_rows(self) -> None:
        free = [column for column in self.free if not column.list and not column.is_list]
        free = [column for column in free if not MACHINES.search(fold(column.path))]
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

    def _choose_by_responses(self, free: Iterable[ScoreColumn]) -> None:
        """Choose scores that have a response's name or mark in their names."""
        responses = self.of(*ANSWERING)
        if len(responses) < 2:
            return
        marks = {variant(last_name(path))[1]: path for path in responses}
        stems: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
        of_responses: dict[str, tuple[str, str]] = {}
        for column in filter(self._is_score, free):
            for path in responses:
                name = last_name(path)
                if fold(column.name).startswith(fold(name)):
                    of_responses[column.path] = path, column.name[len(name) :]
            stem, mark = variant(column.name)
            stems[stem][mark] = column
        for stem, columns in stems.items():
            if columns.keys() == marks.keys() and len(columns) == len(responses):
                for mark, column in columns.items():
                    of_responses.setdefault(column.path, (marks[mark], stem))
        for path, (response, name) in of_responses.items():
            self._take(path, Use.SCORE, filled(_("scores of “%(column)s”"), column=response))
            self.said[path] = Said(dimension=code_of(name.strip(" _.-")), response=response)
        scored = [self.columns[path] for path in of_responses]
        self._take_words([column for column in scored if column.texts])

    def _compare_scale(self, column: ScoreColumn, best: Sequence[ScoreColumn]) -> None:
        """Choose a column of numbers beside clearer scores if it may be one more."""
        scales = [other.scale for other in best]
        if column.scale in scales and self._varies(column):
            self._take(column.path, Use.SCORE, _("on the same scale as other scores"))
        elif self._varies(column):
            self._ask(column.path, (Use.SCORE, Use.UNUSED), _("is it one more score?"))

    def _choose_decimals(self, free: Iterable[ScoreColumn]) -> None:
        """Ask about decimals beside who rated, if there are no other scores."""
        parents = {path.rpartition(".")[0] for path in self.of(Use.RATER)}
        for column in [] if self.of(Use.SCORE) else free:
            is_sibling = column.path.rpartition(".")[0] in parents
            if is_sibling and column.is_decimal and _has_score_name(column):
                question = _("is it a score? Only whole scores and halves can be imported")
                self._ask(column.path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_labels(self, free: Iterable[ScoreColumn]) -> None:
        """Ask about labels beside who rated, if there are no scores."""
        if self.of(Use.SCORE) or any(self.open_scores()):
            return
        for column in free:
            if is_label(column.name) and (column.is_numeric or column.texts):
                if column.words and not self._is_of_item(column):
                    self._take(column.path, Use.SCORE, _("words of a known order"))
                else:
                    self._ask(column.path, (Use.SCORE, Use.UNUSED), _("is it a score?"))

    def _is_of_item(self, column: ScoreColumn) -> bool:
        """Tell whether all raters of an item say the same."""
        around = self.of(Use.GROUP, *PROMPTS)[:1]
        return all(self.profile.follows(column.path, path) for path in around)

    def _choose_words(self, free: Iterable[ScoreColumn]) -> None:
        """Choose or ask about columns of few and short texts, which may be levels."""
        free = [column for column in free if column.texts and column.path not in self.choices]
        free = [column for column in free if not is_amount(column.name)]
        free = [
            column
            for column in free
            if self._varies(column) or (column.words and is_quality(column.name))
        ]
        if self.of(Use.SCORE):
            free = [column for column in free if column.words and is_quality(column.name)]
        self._take_words(free)

    def _take_words(self, columns: Sequence[ScoreColumn]) -> None:
        """Choose columns whose texts have a known order, and ask about the others."""
        orders = orders_of({column.path: column.texts for column in columns})
        for column in columns:
            if orders[column.path]:
                self._take(column.path, Use.SCORE, _("words of a known order"))
            else:
                question = _("is it a score? Then put its texts in order below")
                self._ask(column.path, MAY_SCORE, question)

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

    # --- a column for each person ---

    def _choose_people(self) -> None:
        free = [column for column in self.free if not column.list and not column.is_list]
        self._choose_by_responses([column for column in free if column.is_numeric])
        if self.of(Use.SCORE):
            for path in self.of(Use.SCORE):
                self._take(path, Use.METADATA, _("may be a score; nothing says who rated"))
            return
        people = people_in(free)
        for person in people:
            path = person.column.path
            self.said[path] = Said(person.name, person.dimension)
            if person.question:
                self._ask(path, MAY_SCORE, person.question)
            elif not person.column.texts:
                self._take(path, Use.SCORE, _("a column for each rater"))
        self._take_words([person.column for person in people if person.column.texts])
        self._choose_comments(people)

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
                self.said[column.path] = Said(whose[0])
            else:
                self._ask(column.path, (Use.COMMENT, Use.METADATA), _("whose comment?"))

    # --- what goes with ratings ---

    def _choose_item(self) -> None:
        """Choose what says of which item a rating is."""
        if any(self.before[path].certainty is Certainty.SURE for path in self.of(Use.GROUP)):
            return
        keys = [path for path in self.of(Use.METADATA, Use.ID, Use.GROUP) if _is_key(path)]
        if not self.by_rows:
            if not self.of(Use.ID, Use.GROUP):
                unique = [path for path in keys if self._is_unique(path)]
                for path in unique[:1]:
                    self._take(path, Use.ID, _("another one in every row"))
            return
        prompts = self.of(*PROMPTS)
        texts = [*prompts[:1], *self.of(Use.RESPONSE)[:1]]
        keys = [path for path in keys if self.profile.columns[path].distinct > 1] or keys
        best = max(keys, key=lambda path: self._key_rank(path, texts, keys), default=None)
        if prompts and (best is None or self._is_of_rows(best, prompts[0])):
            for path in self.of(Use.ID):
                self._take(path, Use.UNUSED, _("another one in every row"))
            self._take(prompts[0], Use.SHARED, _("rows with the same are one item"))
        elif best:
            for path in self.of(Use.ID, Use.GROUP):
                self._take(path, Use.UNUSED, _("names no item"))
            self._take(best, Use.GROUP, _("names the item of each rating"))

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
        column = self.profile.columns[path]
        of_texts = sum(self.profile.follows(text, path) for text in texts)
        of_keys = sum(self.profile.follows(key, path) for key in keys)
        return of_texts, not self._is_unique(path), of_keys, -column.distinct

    def _leave_rest(self) -> None:
        """Leave out what each rating may say otherwise."""
        lists = {path.partition("[")[0] for path in self.of(*RATING) if "[" in path}
        lists -= {path.partition("[")[0] for path in self.of(*ANSWERING)}
        rest: list[str] = []
        compare: list[str] = []
        items = self.of(Use.GROUP, Use.SHARED)
        for path in self.of(Use.METADATA):
            if path in self.choices and self.choices[path].use is Use.METADATA:
                continue
            if path.partition("[")[0] in lists:
                self._take(path, Use.UNUSED, _("in a list of ratings"))
            elif self.by_rows and not self._goes_with(path, items):
                self._take(path, Use.UNUSED, _("each rating may have another"))
                (compare if is_preference(last_name(path)) else rest).append(path)
        if rest:
            words = _("Left out, as each rating may have another: %(columns)s.")
            self.remarks.append(filled(words, columns=", ".join(rest)))
        self.explain_preferences(compare)

    def _goes_with(self, path: str, items: Sequence[str]) -> bool:
        """Tell whether all rows of an item are known to say the same."""
        if not items or len(self.profile.marks) < self.profile.rows:
            return False
        return self.profile.follows(path, items[0])

    def _doubt_preferences(self) -> None:
        """Leave out what compares responses, or ask of which response it is."""
        answers = self.of(*ANSWERING)
        lists = [path for path in answers if "[" in path or self.columns[path].is_list]
        if (len(answers) < 2 and not lists) or self.of(Use.TARGET):
            return
        several = {path.partition("[")[0] for path in lists}
        compare = []
        for path in self.of(Use.SCORE):
            if self.said.get(path, Said()).response or path.partition("[")[0] in several:
                continue
            scale = self.columns[path].scale
            if self.columns[path].texts or (scale and scale[1] <= max(2, len(answers))):
                self._take(path, Use.METADATA, _("compares the responses"))
                compare.append(path)
            else:
                question = _("it does not say which of the responses it rates: leave it out?")
                self._ask(path, (Use.UNUSED, Use.METADATA), question)
        self.explain_preferences(compare)

    def explain_preferences(self, names: Sequence[str]) -> None:
        """Say once that preferences have no place."""
        if names:
            words = _("Left out, as it compares responses: %(columns)s.")
            self.remarks.append(filled(words, columns=", ".join(names)))

    def _doubt_repeats(self) -> None:
        """Ask about scores if one person has several rows for one response."""
        if not self.by_rows or self.of(Use.TIME, Use.EXPORTED, Use.CHECK):
            return
        about = (*PROMPTS, Use.CONVERSATION, Use.GROUP, *ANSWERING, Use.MODEL, Use.CONTEXT)
        paths = self.of(*about, Use.RATER, Use.DIMENSION, Use.TARGET)
        if len(paths) < 2 or self.profile.combinations(*paths) >= FEW * len(self.profile.marks):
            return
        question = _("a person has several rows for one response: does this column say the rating?")
        for path in [*self.of(Use.SCORE), *self.open_scores()]:
            self._ask(path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_scores(self) -> None:
        """Ask about scores of two scales, with a code, of a machine, or of how sure a rater is."""
        scores = [path for path in self.of(Use.SCORE) if self.before[path].use is not Use.SCORE]
        for path in scores:
            column, question = self.columns[path], ""
            if column.codes:
                words = _("does %(codes)s mean no answer? Then say so below")
                question = filled(words, codes=", ".join(map(str, column.codes)))
            elif column.has_scales:
                question = _("its scores are of several scales: is it a score?")
            elif self.by_rows and len(scores) > 1 and is_self_doubt(column.name):
                question = _("is it a score, or how sure the rater is?")
            elif self.by_rows and is_machine(column.name):
                question = _("is it a score of the rater, or of a model?")
            if question:
                self._ask(path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_spellings(self) -> None:
        """Ask whether names that differ in capitals and blanks alone are one person.

        In an export that a layout knows they are accounts.
        """
        for path in self.of(Use.RATER):
            if self.before[path].use is Use.RATER:
                continue
            column = self.profile.columns[path]
            spellings = common_spellings((column.entries or column).counts)
            names = [f"“{name}” = “{common}”" for name, common in spellings.items()]
            if names:
                words = _("one person each: %(names)s?")
                self._doubt_rater(path, filled(words, names=", ".join(names)))

    def _doubt_rater(self, path: str, question: str) -> None:
        """Ask about a column that is used as proposed if the answer is yes."""
        options = (Use.RATER, Use.METADATA)
        self.choices[path] = ColumnChoice(path, Use.RATER, Certainty.OPEN, "", options, question)

    def _explain_numbers(self) -> None:
        """Say of scores of nobody that they may be some."""
        for column in self.free:
            if use_of(column.name) is Use.RATER:
                self._take(column.path, Use.METADATA, _("named as who rated, without scores"))
            is_number = column.is_numeric or column.is_decimal
            if is_human(column.name) and is_score(column.name) and column.is_numeric:
                self._ask(column.path, MAY_SCORE, _("is it a score of one person?"))
            elif _has_score_name(column) and not column.list and is_number:
                reason = _("may be a score; nothing says who rated")
                self._take(column.path, Use.METADATA, reason)

    # --- common ---

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
        return Use.SCORE if self._is_score(column) else None

    def _is_score(self, column: ScoreColumn) -> bool:
        return _has_score_name(column) and (column.is_numeric or bool(column.texts))

    def _take(self, path: str, use: Use, reason: str) -> None:
        self.choices[path] = ColumnChoice(path, use, Certainty.LIKELY, reason)

    def _ask(self, path: str, options: tuple[Use, ...], question: str) -> None:
        self.choices[path] = ColumnChoice(
            path, Use.UNDECIDED, Certainty.OPEN, "", options, question
        )


def _has_score_name(column: ScoreColumn) -> bool:
    return is_quality(column.name) and not is_amount(column.name)


def _may_score(column: ScoreColumn) -> bool:
    return not is_amount(column.name)


def _series(columns: Sequence[ScoreColumn]) -> list[ScoreColumn]:
    """Return the longest series of names, such as Q1, Q2, Q3."""
    groups: defaultdict[str, list[ScoreColumn]] = defaultdict(list)
    for column in columns:
        groups[column.name.rstrip("0123456789")].append(column)
    series = [group for stem, group in groups.items() if stem != group[0].name]
    return max(series, key=len, default=[])


def _is_key(path: str) -> bool:
    name = last_name(path)
    return fold(name) in KEYS or fold(name).endswith("id") or name == "#"
