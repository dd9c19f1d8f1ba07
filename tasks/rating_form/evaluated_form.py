"""The evaluated form: every target with its rows, its comment and its claims, as frozen values."""

from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Effect
from rubrics.judging.parts import Aid
from rubrics.judging.scales import SIGN
from rubrics.judging.verdict import Reason
from tasks.answers.fact_checks import SEARCH, Clock, minutes, search_for
from tasks.answers.slot_answers import COMMENT, FieldName
from tasks.models import FactCheck

from .fields import FactPlace, Target
from .rating_words import claim_in_words
from .row_view import Row


class FieldError(NamedTuple):
    """An error at a field of a look-up."""

    field: str  # claim, outcome or sources
    message: str


class FormError(NamedTuple):
    """A line of the list of errors, which links to the element to mend."""

    element: str  # its id
    message: str


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
    errors: tuple[FieldError, ...] = ()

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
        return {name: minutes(time) for name, time in seconds.items()}

    @property
    def address(self) -> str:
        """The address that searches for the claim."""
        return search_for(self.claim, self.search)

    @property
    def wrong(self) -> frozenset[str]:
        """The fields with an error."""
        return frozenset(error.field for error in self.errors)


@dataclass(frozen=True, slots=True)
class EvaluatedTarget:
    """A response or a candidate set with everything asked about it."""

    target: Target
    rows: tuple[Row, ...]
    aid: Aid | None = None
    look_ups: tuple[Fact, ...] = ()
    comment: str = ""
    words_before: tuple[str, ...] = ()  # comment and claims of the rating being corrected
    fixed: bool = False  # read-only

    @property
    def key(self) -> str:
        return self.target.key

    @property
    def name(self) -> str:
        return self.target.name

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
        return any(not fact.blank or fact.errors for fact in self.look_ups)

    @property
    def aided(self) -> Row | None:
        """The row whose dimension uses look-ups of claims."""
        return next((row for row in self.rows if row.dimension.fact_check), None)

    @property
    def picked(self) -> tuple[str, ...]:
        """The scores picked so far, for the strip; "–" for none. More than six are counted."""
        picked: list[str] = []
        for row in self.rows:
            if row.dimension.scores:
                picked.append(SIGN if row.without else row.sign_of_score)
        if len(picked) <= 6:
            return tuple(picked)
        return (f"{len(picked) - picked.count('–')}/{len(picked)}",)


@dataclass(frozen=True, slots=True)
class EvaluatedForm:
    """The whole form."""

    responses: tuple[EvaluatedTarget, ...]
    sets: tuple[EvaluatedTarget, ...]
    shows_sets: bool
    sets_appear: bool = False  # the candidate sets are shown for the first time
    comment: str = ""
    not_sure: bool = False  # the annotator's note to themselves
    reply: str = ""  # to the questions about a rating that came back; no part of the rating
    notes: tuple[str, ...] = ()  # about several responses at once (RQ-04, RQ-11)
    new_remarks: tuple[tuple[Row, Reason], ...] = ()  # the rows' remarks not shown before
    new_notes: tuple[str, ...] = ()  # the notes not shown before
    errors: tuple[FormError, ...] = ()  # in page order, after a submit
    unseen: bool = False  # a submit must show the form once more before the rating is stored
    remarks_between: tuple[tuple[str, Reason], ...] = ()  # (row name, remark stored with its score)
    seen: frozenset[str] = field(default_factory=frozenset)  # names in `seen_names`; posted back

    @property
    def targets(self) -> tuple[EvaluatedTarget, ...]:
        return (*self.responses, *(self.sets if self.shows_sets else ()))

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(chain.from_iterable(target.rows for target in self.targets))

    @property
    def asks(self) -> bool:
        """True if a question of the program awaits its answer."""
        detections = chain.from_iterable(row.detections for row in self.rows)
        return any(detection.pending for detection in detections)

    @property
    def storable(self) -> bool:
        """True if nothing prevents storing the rating."""
        if self.errors or self.unseen or (self.sets and not self.shows_sets):
            return False
        return all(row.complete for row in self.rows)

    def along_with(self, row: Row) -> tuple[Row, ...]:
        """Return the other rows that this one may change.

        A ranking changes the same dimension of other targets, and a check of the whole response
        all dimensions of this one.
        """
        rows = self.rows
        is_whole = not row.dimension.scores
        ranked: set[str] = set()
        for other in rows:
            if (is_whole or other.dimension is row.dimension) and _is_ranked(other.dimension):
                ranked.add(other.dimension.code)
        changed: list[Row] = []
        for other in rows:
            is_same_target = is_whole and other.target == row.target
            if other.id != row.id and (is_same_target or other.dimension.code in ranked):
                changed.append(other)
        return tuple(changed)

    def row(self, identifier: str) -> Row | None:
        """Return the row with an element id, if any."""
        return next((row for row in self.rows if row.id == identifier), None)


def _is_ranked(dimension: Dimension) -> bool:
    return any(rule.effect is Effect.RANK_BELOW for rule in dimension.rules)
