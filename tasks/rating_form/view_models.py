"""View models of the rating form: frozen values that the page shows and the lease stores."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from rubrics.scales import BLANK, SIGN, is_typed, nearest
from rubrics.schema import (
    Aid,
    Check,
    Clashes,
    Dimension,
    Effect,
    Exclusion,
    Kind,
    Level,
    Reason,
    Verdict,
    Without,
)
from tasks.answers import ASKED, COMMENT, LINE, OWN, SCORE, TICKED, FieldName, SlotAnswers
from tasks.fact_checks import SEARCH, Clock, minutes, search_for
from tasks.models import FactCheck

from .fields import FactPlace, ScoreWords, Target, claim_in_words, element_id


class Display(StrEnum):
    """The part of a verdict that a row shows, which depends on a setting of the project."""

    ALL = "all"
    REFUSAL = "refusal"  # only why the score that was tried is barred
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the persona that an answer may be about."""

    name: str
    number: int  # from 1
    text: str
    checked: bool


@dataclass(frozen=True, slots=True, eq=False)  # each class below says what makes it equal
class FormPart:
    """A part of the form, under the name of its field."""

    name: str
    # The question that decides whether this part is asked; "" if it is asked, None if it is not.
    after: str | None = field(default="", kw_only=True)

    @property
    def counts(self) -> bool:
        """True if it is asked. Any other answer stays in the draft, and asserts nothing."""
        return self.after == ""

    @property
    def id(self) -> str:
        return element_id(self.name)

    @property
    def focus(self) -> str:
        """The id of the element to go to."""
        return self.id


class AboutCorpus(NamedTuple):
    """An answer about a corpus (DQ-11), which stands on every page of the batch.

    An answer on the page that is not the one that the page was shown is a click. It is saved, and
    the last click counts.
    """

    given: str  # on the page; "" for none, as below
    shown: str  # to the page
    stored: str
    check: str  # its code

    @property
    def is_click(self) -> bool:
        """True if it was clicked on the page and is not stored yet."""
        return self.given not in ("", self.shown, self.stored)

    @property
    def is_news(self) -> bool:
        """True if another answer is stored than the one that the page was shown."""
        return self.shown != self.stored

    @property
    def answer(self) -> str:
        return self.given if self.is_click else self.stored


@dataclass(frozen=True, slots=True)
class Question(FormPart):
    """A check that must be answered."""

    check: Check
    given: str  # code of the answer; "" for none
    good: frozenset[str]  # codes of the answers that assert no fault; affects the styling only
    marks: tuple[Mark, ...] = ()  # the persona's lines, if the answer may name some (DQ-06)
    error: str = ""
    about_corpus: AboutCorpus | None = None  # only for a question about a corpus (DQ-11)
    excluded: frozenset[str] = frozenset()  # answers that do not go with what forces the score

    @property
    def has_many(self) -> bool:
        """True if the answers need a line of their own: they have many letters, with gaps."""
        return sum(len(answer.wording) + 3 for answer in self.check.answers) > 36

    @property
    def counts(self) -> bool:
        """True if it is asked, and what forces the score does not exclude its answer."""
        return self.after == "" and self.given not in self.excluded

    @property
    def is_clicked(self) -> bool:
        """True for an answer about a corpus that is still to be saved."""
        return self.about_corpus is not None and self.about_corpus.is_click

    @property
    def marked(self) -> tuple[int, ...]:
        """The numbers of the marked lines; none unless the answer given asserts a fact."""
        bears_out = any(answer.sets and answer.code == self.given for answer in self.check.answers)
        return tuple(mark.number for mark in self.marks if mark.checked) if bears_out else ()

    @property
    def focus(self) -> str:
        """The id of the first answer."""
        return f"{self.id}-{self.check.answers[0].code}"


@dataclass(frozen=True, slots=True)
class Tick(FormPart):
    """A check that may be ticked, or that the program has detected."""

    check: Check
    checked: bool
    good: bool = False  # as in `Question`
    error: str = ""
    excluded: bool = False  # as in `Question`

    @property
    def counts(self) -> bool:
        """True if it is asked, and goes with what forces the score."""
        return self.after == "" and not self.excluded

    @property
    def locked(self) -> bool:
        """True if the program has detected it."""
        return self.check.kind is Kind.DETECTED


class TickGroup(NamedTuple):
    """Ticks that do the same to the scores, under a heading that says what: "at most 4"."""

    heading: str
    ticks: tuple[Tick, ...]
    lines: int = 0  # the room for the heading, where it changes; 0 if it does not


@dataclass(frozen=True, slots=True)
class Detection(FormPart):
    """A check that the program detects and the annotator did not tick.

    The program asks about it at submit. The answer is stored, even if it is no.
    """

    check: Check
    question: str
    answer: str

    @property
    def pending(self) -> bool:
        return self.answer not in ("yes", "no")


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in words: the open scores, and a line for each limit."""

    tone: str  # forced, limited, open, clash, or silent where no rule can limit a score
    text: str
    lines: tuple[Reason, ...] = ()  # a limit each


@dataclass(frozen=True, slots=True, eq=False)
class Row(FormPart):
    """One dimension of one target: questions, ticks, verdict, scale.

    A row is equal only to itself, which makes it a fast cache key. Items with the same answers
    share their rows (`rows.row_at`).
    """

    dimension: Dimension
    target: Target
    questions: tuple[Question, ...]  # none if a detected check decides the score (RQ-06)
    tick_groups: tuple[TickGroup, ...]
    # Each level and why it is barred. Of a scale that is typed, the levels that are described.
    scale: tuple[tuple[Level, tuple[Reason, ...]], ...]
    headline: Headline
    judgement: Verdict | Clashes
    facts: frozenset[str]
    score: int | None
    barring: tuple[Reason, ...] = ()  # why the score is refused
    display: Display = Display.ALL
    names_scores: bool = True  # the headings over the ticks say what each does to the scores
    reserves: bool = False  # what is not shown yet has its room
    obstacles: tuple[str, ...] = ()  # what else is in the way but open questions and no score
    # What does not go with what forces the score, if the row shows that.
    excluded: tuple[Exclusion, ...] = ()
    without: str = ""  # why it has no score: a `Without`
    number: str = ""  # what was entered, if the score is typed or there is none
    own_score: str = ""  # what was entered before a rule forced the score
    misread: str = ""  # why that is no score
    corpus: tuple[Question, ...] = ()
    none_of_these: Tick | None = None  # only if the project asks for a reason at every score
    remarks: tuple[Reason, ...] = ()  # on the score picked
    quiet: tuple[str, ...] = ()  # ids of scores and answers that need no verdict, see `rows`
    best: tuple[str, ...] = ()  # ids of the best answers, without those that a tick excludes
    asked_before: frozenset[str] = frozenset()  # rules whose remark was shown at another score
    proposals: tuple[Reason, ...] = ()  # from refuted claims
    detections: tuple[Detection, ...] = ()
    mistakes: tuple[tuple[str, str, str], ...] = ()  # (element id, check, message)
    errors: tuple[str, ...] = ()
    lacks_comment: bool = False  # the score needs a comment on the response, and the form is sent
    wants_comment: tuple[Reason, ...] = ()  # why the score will need one
    before: ScoreWords | None = None  # in the rating being corrected
    fixed: bool = False  # read-only

    sign = SIGN

    @property
    def is_typed(self) -> bool:
        """True if the score is typed as a number."""
        return is_typed(self.dimension)

    @property
    def given(self) -> str:
        """The score, else what was typed or chosen for one."""
        if self.without:
            return self.dimension.blank if self.without == Without.BLANK else ""
        return self.number if self.score is None else str(self.score)

    @property
    def own_score_name(self) -> str:
        """The name of the field of the score that was entered before a rule forced another one."""
        return str(FieldName(*FieldName.read(self.name)[:2], SCORE, OWN))

    @property
    def refusal(self) -> tuple[Reason, ...]:
        """Why the score is refused, without what a line under the scores says."""
        lines = {(reason.clause, reason.said) for reason in self.headline.lines}
        return tuple(reason for reason in self.barring if (reason.clause, reason.said) not in lines)

    @property
    def is_secret(self) -> bool:
        """True if the answers give a score that may not be shown."""
        return self.dimension.given and self.display is not Display.ALL

    @property
    def sign_of_score(self) -> str:
        """The score in the strip; “–” for none."""
        return "–" if self.score is None or self.is_secret else str(self.score)

    @property
    def blank_id(self) -> str:
        """The id of the answer without a score."""
        return f"{self.id}-{BLANK}"

    @property
    def nearest(self) -> Level | None:
        """The described level that is nearest to the score."""
        return None if self.score is None else nearest(self.dimension, self.score)

    @property
    def entry(self) -> str:
        """The id of the element to focus in the scale: the score picked, else the first open."""
        if self.is_typed:
            return f"{self.id}-number"
        if not self.scale:
            return next((each.focus for each in (*self.questions, *self.ticks)), self.id)
        first = next((level for level, reasons in self.scale if not reasons), self.scale[0][0])
        return f"{self.id}-{first.score if self.score is None else self.score}"

    @property
    def not_counted(self) -> tuple[tuple[str, Reason], ...]:
        """The answers that do not count beside what forces the score, for each reason."""
        return self._by_reason(each for each in self.excluded if each.fact in self.facts)

    @property
    def would_not_count(self) -> tuple[tuple[str, Reason], ...]:
        """The same of answers that nobody chose, for each reason that is not in `not_counted`.

        A correction has only these: an answer that does not count is not stored.
        """
        counted = {reason for _facts, reason in self.not_counted}
        return self._by_reason(each for each in self.excluded if each.reason not in counted)

    def _by_reason(self, excluded: Iterable[Exclusion]) -> tuple[tuple[str, Reason], ...]:
        by_reason: dict[Reason, set[str]] = defaultdict(set)
        for exclusion in excluded:
            by_reason[exclusion.reason].add(exclusion.fact)
        return tuple((self.dimension.listed(facts), why) for why, facts in by_reason.items())

    @property
    def excluded_ids(self) -> tuple[str, ...]:
        """The ids of the ticks and answers that do not go with what forces the score."""
        if not self.excluded:
            return ()
        ids = [tick.id for tick in self.ticks if tick.excluded]
        for question in (*self.questions, *self.corpus):
            ids += [f"{question.id}-{code}" for code in sorted(question.excluded)]
        return tuple(ids)

    @property
    def in_words(self) -> ScoreWords:
        return ScoreWords.of(self.dimension, self.score, self.answers, self.without)

    @property
    def answers(self) -> SlotAnswers:
        """The answers that count; they are stored with the score."""
        if not self.is_asked:
            return SlotAnswers()
        asked = [each for each in (*self.questions, *self.corpus) if each.counts]
        ticks = [
            tick
            for tick in (*self.ticks, self.none_of_these)
            if tick and tick.checked and tick.counts
        ]
        return SlotAnswers.of(
            (
                *((each.check.code, "", each.given) for each in asked),
                *(
                    (each.check.code, f"{LINE}{number}", TICKED)
                    for each in asked
                    for number in each.marked
                ),
                *((each.check.code, "", TICKED) for each in ticks),
                *((each.check.code, ASKED, each.answer) for each in self.detections),
            )
        )

    @property
    def complete(self) -> bool:
        """True if nothing is left to do. Without a score, nothing is, unless answers clash."""
        if isinstance(self.judgement, Clashes):
            return False
        if self.without:
            return True
        # A missing answer about the whole response is left to the row that asks for it.
        own = {check.code for check in self.dimension.checks}
        return own.isdisjoint(self.judgement.missing) and (
            not self.dimension.scores
            or (
                self.score in self.judgement.open
                and (self.none_of_these is None or self.none_of_these.checked is not self.is_ticked)
            )
        )

    @property
    def is_asked(self) -> bool:
        """False if the condition of the dimension does not hold."""
        return self.without != Without.NOT_ASKED

    @property
    def swaps_verdict(self) -> bool:
        """True if a score changes nothing but the verdict.

        If a rule forces the score, the answer without a score changes the buttons: scores can be
        picked again.
        """
        is_forced = isinstance(self.judgement, Verdict) and self.judgement.forced is not None
        is_plain = not (self.dimension.blank and is_forced)
        is_news = self.reserves and not self.names_scores
        return bool(self.dimension.checks) and is_plain and not is_news

    @property
    def is_conditional(self) -> bool:
        """True if answers decide what else is asked here."""
        return any(check.when.names for check in self.dimension.checks)

    @property
    def untouched(self) -> bool:
        """True if the row has no answer, no tick and no score."""
        answered = any(question.given for question in (*self.questions, *self.corpus))
        return not self.given and not answered and not self.is_ticked

    @property
    def is_ticked(self) -> bool:
        answered = any(detection.answer == "yes" for detection in self.detections)
        return answered or any(tick.checked and tick.counts for tick in self.ticks)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        return tuple(tick for group in self.tick_groups for tick in group.ticks)

    @property
    def told(self) -> tuple[Reason, ...]:
        """Everything that the annotator must see once before the rating is stored."""
        return (*self.proposals, *self.remarks)

    @property
    def is_automatic(self) -> bool:
        """True if the score stands without being entered."""
        is_visible = self.display is Display.ALL or self.dimension.given
        if self.score is None or isinstance(self.judgement, Clashes) or not is_visible:
            return False
        return self.score == self.judgement.automatic


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim that the annotator looked up (RQ-02), or an empty line for one."""

    place: FactPlace
    claim: str = ""
    outcome: str = ""
    sources: str = ""  # addresses, one a line
    clock: Clock | None = None  # None if no look-up was started
    sealed: str = ""  # the clock, as the form has it
    now: int = 0  # the time of the request, if there is a clock: Unix time
    limit: int = 0  # seconds for the look-up
    search: str = SEARCH  # address of the search, without the claim
    errors: tuple[tuple[str, str], ...] = ()  # (claim, outcome or sources; message)

    outcomes = FactCheck.Outcome.choices

    @property
    def blank(self) -> bool:
        return not (self.claim.strip() or self.outcome or self.sources.strip())

    @property
    def in_words(self) -> str:
        return claim_in_words(self.claim, self.outcome, self.sources)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The sources, one each, without blank lines."""
        return tuple(filter(None, map(str.strip, self.sources.splitlines())))

    @property
    def seconds(self) -> int | None:
        """The time spent on the look-up; None if none was started."""
        return self.clock.seconds(self.now) if self.clock else None

    @property
    def left(self) -> int:
        """Seconds left for the look-up."""
        return max(0, self.limit - (self.seconds or 0))

    @property
    def is_over_time(self) -> bool:
        """True if the look-up has used up its time (RQ-02)."""
        return self.clock is not None and not self.left

    @property
    def times(self) -> dict[str, str]:
        """The time spent, left and allowed, such as 2:07."""
        seconds = {"spent": self.seconds or 0, "left": self.left, "limit": self.limit}
        return {name: minutes(each) for name, each in seconds.items()}

    @property
    def address(self) -> str:
        """The address that searches for the claim."""
        return search_for(self.claim, self.search)

    @property
    def wrong(self) -> frozenset[str]:
        """The fields with an error."""
        return frozenset(name for name, _text in self.errors)


@dataclass(frozen=True, slots=True)
class EvaluatedTarget:
    """A response or a candidate set with everything asked about it."""

    shown: Target
    rows: tuple[Row, ...]
    aid: Aid | None = None
    facts: tuple[Fact, ...] = ()
    comment: str = ""
    before: tuple[str, ...] = ()  # comment and claims of the rating being corrected
    fixed: bool = False  # read-only

    @property
    def key(self) -> str:
        return self.shown.key

    @property
    def name(self) -> str:
        return self.shown.name

    @property
    def comment_name(self) -> str:
        """The name of the field with the comment."""
        return str(FieldName(self.key, COMMENT))

    @property
    def complete(self) -> bool:
        return all(row.complete for row in self.rows)

    @property
    def uncommented(self) -> Row | None:
        """The row whose score needs a comment that is missing."""
        return next((row for row in self.rows if row.lacks_comment), None)

    @property
    def looked_up(self) -> bool:
        return any(not fact.blank or fact.errors for fact in self.facts)

    @property
    def aided(self) -> Row | None:
        """The row whose dimension uses look-ups of claims."""
        return next((row for row in self.rows if row.dimension.fact_check), None)

    @property
    def picked(self) -> tuple[str, ...]:
        """The scores picked so far, for the strip; "–" for none. More than six are counted."""
        picked = tuple(
            SIGN if row.without else row.sign_of_score for row in self.rows if row.dimension.scores
        )
        return picked if len(picked) <= 6 else (f"{len(picked) - picked.count('–')}/{len(picked)}",)


@dataclass(frozen=True, slots=True)
class EvaluatedForm:
    """The whole form."""

    responses: tuple[EvaluatedTarget, ...]
    sets: tuple[EvaluatedTarget, ...]
    shows_sets: bool
    sets_appear: bool = False  # the candidate sets are shown for the first time
    comment: str = ""
    not_sure: bool = False  # the annotator's note to themselves
    notes: tuple[str, ...] = ()  # about several responses at once (RQ-04, RQ-11)
    remarked: tuple[tuple[Row, Reason], ...] = ()  # the rows' remarks not shown before
    news: tuple[str, ...] = ()  # the notes not shown before
    errors: tuple[tuple[str, str], ...] = ()  # (element id, message) in page order, after a submit
    unseen: bool = False  # a submit must show the form once more before the rating is stored
    between: tuple[tuple[str, Reason], ...] = ()  # (row name, remark stored with its score)
    seen: frozenset[str] = field(default_factory=frozenset)  # all that was shown; posted back

    @property
    def targets(self) -> tuple[EvaluatedTarget, ...]:
        return (*self.responses, *(self.sets if self.shows_sets else ()))

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for target in self.targets for row in target.rows)

    @property
    def asks(self) -> bool:
        """True if a question of the program awaits its answer."""
        return any(detection.pending for row in self.rows for detection in row.detections)

    @property
    def storable(self) -> bool:
        """True if nothing prevents storing the rating."""
        return (
            not self.errors
            and not self.unseen
            and all(row.complete for row in self.rows)
            and (self.shows_sets or not self.sets)
        )

    def along_with(self, row: Row) -> tuple[Row, ...]:
        """Return the other rows that this one may change.

        A ranking changes the same dimension of other targets, and a check of the whole response
        all dimensions of this one.
        """
        is_whole = not row.dimension.scores
        changed = {
            each.dimension.code
            for each in self.rows
            if (is_whole or each.dimension is row.dimension)
            and any(rule.effect is Effect.RANK_BELOW for rule in each.dimension.rules)
        }
        return tuple(
            other
            for other in self.rows
            if other.dimension.code in changed or (is_whole and other.target == row.target)
            if other.id != row.id
        )

    def row(self, identifier: str) -> Row | None:
        """Return the row with an element id, if any."""
        return next((row for row in self.rows if row.id == identifier), None)
