"""A row of the form as the page shows it: one dimension of one target."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Without
from rubrics.judging.parts import Level
from rubrics.judging.scales import BLANK, SIGN, is_typed, nearest
from rubrics.judging.verdict import Clashes, Exclusion, Reason, Verdict
from tasks.answers.slot_answers import (
    ASKED,
    LINE,
    OWN,
    SCORE,
    TICKED,
    Entry,
    FieldName,
    SlotAnswers,
)

from .fields import Target
from .form_parts import CheckQuestion, Detection, FormPart, Tick, TickGroup
from .rating_words import ScoreWords


class Display(StrEnum):
    """The part of a verdict that a row shows, which depends on a setting of the project."""

    ALL = "all"
    REFUSAL = "refusal"  # only why the score that was tried is barred
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in words: the open scores, and a line for each limit."""

    tone: str  # forced, limited, open, clash, or silent where no rule can limit a score
    text: str
    limits: tuple[Reason, ...] = ()  # a limit each


@dataclass(frozen=True, slots=True, eq=False)
class Row(FormPart):
    """One dimension of one target: questions, ticks, verdict, scale.

    A row is equal only to itself, which makes it a fast cache key. Items with the same answers
    share their rows (`rows.row_at`).
    """

    dimension: Dimension
    target: Target
    questions: tuple[CheckQuestion, ...]  # none if a detected check decides the score (RQ-06)
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
    obstacles: tuple[str, ...] = ()  # what else is in the way but unanswered questions and no score
    # What does not go with what forces the score, if the row shows that.
    excluded: tuple[Exclusion, ...] = ()
    without: str = ""  # why it has no score: a `Without`
    number: str = ""  # what was entered, if the score is typed or there is none
    typed_score: str = ""  # what was entered before a rule forced the score
    misread: str = ""  # why that is no score
    corpus: tuple[CheckQuestion, ...] = ()
    remarks: tuple[Reason, ...] = ()  # on the score picked
    # Ids of scores and answers that need no verdict, see `rows`.
    silent_inputs: tuple[str, ...] = ()
    best: tuple[str, ...] = ()  # ids of the best answers, without those that a tick excludes
    remarks_seen: frozenset[str] = frozenset()  # rules whose remark was shown at another score
    proposals: tuple[Reason, ...] = ()  # from refuted claims
    detections: tuple[Detection, ...] = ()
    wrong_parts: tuple[CheckQuestion | Tick, ...] = ()  # questions and ticks with an error
    errors: tuple[str, ...] = ()  # of the score
    lacks_comment: bool = False  # the score needs a comment on the response, and the form is sent
    wants_comment: tuple[Reason, ...] = ()  # why the score will need one
    score_before: ScoreWords | None = None  # in the rating being corrected
    fixed: bool = False  # read-only

    sign = SIGN

    @property
    def is_typed(self) -> bool:
        """True if the score is typed as a number."""
        return is_typed(self.dimension)

    @property
    def input_value(self) -> str:
        """The score, else what was typed or chosen for one."""
        if self.without:
            return self.dimension.blank if self.without == Without.BLANK else ""
        return self.number if self.score is None else str(self.score)

    @property
    def typed_score_name(self) -> str:
        """The name of the field of the score that was entered before a rule forced another one."""
        return str(FieldName.read(self.name)._replace(check=SCORE, part=OWN))

    @property
    def refusal(self) -> tuple[Reason, ...]:
        """Why the score is refused, without what a line under the scores says."""
        lines = {(reason.clause, reason.short_text) for reason in self.headline.limits}
        reasons: list[Reason] = []
        for reason in self.barring:
            if (reason.clause, reason.short_text) not in lines:
                reasons.append(reason)
        return tuple(reasons)

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
            parts = (*self.questions, *self.ticks)
            return parts[0].focus if parts else self.id
        score = self.score
        if score is None:
            levels = [level for level, reasons in self.scale if not reasons]
            score = levels[0].score if levels else self.scale[0][0].score
        return f"{self.id}-{score}"

    @property
    def not_counted(self) -> tuple[tuple[str, Reason], ...]:
        """The answers that do not count beside what forces the score, for each reason."""
        refused = [exclusion for exclusion in self.excluded if exclusion.fact in self.facts]
        return self._by_reason(refused)

    @property
    def would_not_count(self) -> tuple[tuple[str, Reason], ...]:
        """The same of answers that nobody chose, for each reason that is not in `not_counted`.

        A correction has only these: an answer that does not count is not stored.
        """
        known = {reason for _facts, reason in self.not_counted}
        others = [exclusion for exclusion in self.excluded if exclusion.reason not in known]
        return self._by_reason(others)

    def _by_reason(self, excluded: Iterable[Exclusion]) -> tuple[tuple[str, Reason], ...]:
        by_reason: dict[Reason, set[str]] = defaultdict(set)
        for exclusion in excluded:
            by_reason[exclusion.reason].add(exclusion.fact)
        return tuple((self.dimension.labels_of(facts), why) for why, facts in by_reason.items())

    @property
    def excluded_ids(self) -> tuple[str, ...]:
        """The ids of the ticks and answers that do not go with what forces the score."""
        if not self.excluded:
            return ()
        ids = [tick.id for tick in self.ticks if tick.excluded]
        for question in (*self.questions, *self.corpus):
            ids += (f"{question.id}-{code}" for code in sorted(question.excluded))
        return tuple(ids)

    @property
    def in_words(self) -> ScoreWords:
        return ScoreWords.of(self.dimension, self.score, self.answers, self.without)

    @property
    def answers(self) -> SlotAnswers:
        """The answers that count; they are stored with the score."""
        if not self.applies:
            return SlotAnswers()
        answer_entries: list[Entry] = []
        for question in (*self.questions, *self.corpus):
            if question.counts:
                code = question.check.code
                answer_entries.append((code, "", question.answer))
                answer_entries += ((code, f"{LINE}{number}", TICKED) for number in question.marked)
        for tick in self.ticks:
            if tick.checked and tick.counts:
                answer_entries.append((tick.check.code, "", TICKED))
        for detection in self.detections:
            answer_entries.append((detection.check.code, ASKED, detection.answer))
        return SlotAnswers.of(answer_entries)

    @property
    def complete(self) -> bool:
        """True if nothing is left to do. Without a score, nothing is, unless answers clash."""
        if isinstance(self.judgement, Clashes):
            return False
        if self.without:
            return True
        # A missing answer about the whole response is left to the row that asks for it.
        codes = {check.code for check in self.dimension.checks}
        if not codes.isdisjoint(self.judgement.missing):
            return False
        if not self.dimension.scores:
            return True
        return self.score in self.judgement.open

    @property
    def applies(self) -> bool:
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
        answered = any(question.answer for question in (*self.questions, *self.corpus))
        return not self.input_value and not answered and not self.is_ticked

    @property
    def is_ticked(self) -> bool:
        answered = any(detection.answer == "yes" for detection in self.detections)
        return answered or any(tick.checked and tick.counts for tick in self.ticks)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        return tuple(chain.from_iterable(group.ticks for group in self.tick_groups))

    @property
    def notices(self) -> tuple[Reason, ...]:
        """Everything that the annotator must see once before the rating is stored."""
        return (*self.proposals, *self.remarks)

    @property
    def is_automatic(self) -> bool:
        """True if the score stands without being entered."""
        is_visible = self.display is Display.ALL or self.dimension.given
        if self.score is None or isinstance(self.judgement, Clashes) or not is_visible:
            return False
        return self.score == self.judgement.automatic_score
