"""The answers given so far, laid over what is asked. Rules are decided in `rubrics.rules` alone; here they
are asked, and the outcome is arranged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from django.utils.translation import gettext as _

from rubrics import detectors, rules
from rubrics.schema import (
    Check,
    Clashes,
    Detector,
    Dimension,
    Effect,
    ItemVerdict,
    Judged,
    Kind,
    Reason,
    Scope,
    Unit,
    Verdict,
)

from . import wording
from .desk import (
    MOST_FACTS,
    NONE_OF_THESE,
    TICKED,
    Desk,
    ShownResponse,
    ShownSet,
    element_id,
    field_of,
)
from .parts import (
    Choice,
    Detection,
    Fact,
    Mark,
    Question,
    Row,
    ScaleLevel,
    Sheet,
    TargetSheet,
    Tick,
    TickGroup,
)

Target = ShownResponse | ShownSet

# In `seen` once the candidate sets have been shown: only then can something be missing there.
SETS = "sets"


def evaluate(
    desk: Desk, answers: Mapping[str, str], *, seen: Iterable[str] = (), submitting: bool = False
) -> Sheet:
    """The form with these answers.

    `seen`: what has been remarked or asked before, as `row name/rule`. `submitting`: what is missing becomes
    an error, and the program says what it detected.
    """
    already = frozenset(seen)
    first = _Stage(desk, answers, already, submitting)
    responses = tuple(first.targets(Unit.RESPONSE))
    # Once shown they stay: a score taken back must not take away what was entered there.
    shows_sets = bool(desk.sets) and (SETS in already or all(target.complete for target in responses))
    second = _Stage(desk, answers, already, submitting and shows_sets and SETS in already)
    sets = tuple(target for target in second.targets(Unit.CANDIDATE_SET) if target.rows)
    sheet = Sheet(
        responses=responses,
        sets=sets,
        shows_sets=shows_sets and bool(sets),
        sets_appear=shows_sets and bool(sets) and SETS not in already,
        comment=answers.get("comment", ""),
    )
    return _finished(sheet, first, already)


def _finished(sheet: Sheet, stage: _Stage, already: frozenset[str]) -> Sheet:
    """With what holds between responses, and with what the annotator must be shown before going on."""
    between = _Between(stage)
    responses = tuple(
        replace(
            target,
            rows=tuple(
                replace(row, errors=(*row.errors, *between.errors.get(row.name, ()))) for row in target.rows
            ),
        )
        for target in sheet.responses
    )
    said = {f"{row.name}/{remark.rule}" for row in sheet.rows for remark in row.remarks} | between.said
    if sheet.shows_sets:
        said.add(SETS)
    unseen = stage.submitting and (not said <= already or any(row.unseen for row in sheet.rows))
    sheet = replace(
        sheet,
        responses=responses,
        notes=tuple(dict.fromkeys(between.notes)),
        between=tuple(between.kept),
        unseen=unseen,
        seen=already | said,
    )
    return replace(sheet, errors=tuple(dict.fromkeys(wording.summary(sheet)))) if stage.submitting else sheet


@dataclass(frozen=True)
class _Stage:
    """One evaluation: everything that a row is made from. What is judged or compared once is kept, for each
    row asks for it again."""

    desk: Desk
    answers: Mapping[str, str]
    seen: frozenset[str]
    submitting: bool
    known: dict[tuple[str, str], Judged] = field(default_factory=dict)
    decided: dict[str, ItemVerdict] = field(default_factory=dict)
    worded: dict[tuple[str, str], str] = field(default_factory=dict)

    def targets(self, unit: Unit) -> Iterator[TargetSheet]:
        shown: tuple[Target, ...] = self.desk.responses if unit is Unit.RESPONSE else self.desk.sets
        for target in shown:
            rows = tuple(
                self.row(dimension, target)
                for dimension in self.desk.dimensions(unit)
                if target in self.desk.targets(dimension)
            )
            aids = [aid for row in rows for aid in row.dimension.aids if aid.kind == "fact_check"]
            yield TargetSheet(
                shown=target,
                rows=rows,
                aid=aids[0] if aids else None,
                facts=tuple(self.facts(target)) if aids else (),
                comment=self.answers.get(f"{target.key}.comment", ""),
            )

    def verdicts(self, dimension: Dimension) -> ItemVerdict:
        if dimension.code not in self.decided:
            self.decided[dimension.code] = rules.judge_item(
                dimension,
                [self.judged(dimension, target) for target in self.desk.targets(dimension)],
                twins=self.twins if self.compares(dimension) else (),
            )
        return self.decided[dimension.code]

    def compares(self, dimension: Dimension) -> bool:
        """Whether it matters which responses are twins."""
        return self.submitting and any(rule.between is Detector.TWINS for rule in dimension.rules)

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        signatures = [(response.key, detectors.signature(response.text)) for response in self.desk.responses]
        return tuple(
            (first, second)
            for (first, one), (second, other) in combinations(signatures, 2)
            if detectors.alike(one, other)
        )

    def judged(self, dimension: Dimension, target: Target) -> Judged:
        """What is asserted of a target, and the score given to it."""
        place = dimension.code, target.key
        if place not in self.known:
            self.known[place] = self._judged(dimension, target)
        return self.known[place]

    def _judged(self, dimension: Dimension, target: Target) -> Judged:
        detected = frozenset(
            check.code
            for check in dimension.checks
            if check.kind is Kind.DETECTED and self.is_detected(check, target)
        )
        if rules.silenced(dimension, detected):
            # Nothing else is asked, so nothing else counts, and the score follows by itself.
            verdict = rules.judge(dimension, detected)
            return Judged(target.key, detected, verdict.forced if isinstance(verdict, Verdict) else None)
        answers = {check.code: self.given(dimension, target, check) for check in dimension.checks}
        answered = {check.code for check in dimension.checks if check.asked and answers[check.code]}
        facts = detected | dimension.asserted_by(answers)
        given = self.answers.get(f"{target.key}.{dimension.code}", "")
        score = int(given) if given in {str(score) for score in dimension.scores} else None
        return Judged(target.key, facts, score, frozenset(answered))

    def given(self, dimension: Dimension, target: Target, check: Check) -> str:
        """The answer to a check, "" for none. What the program asked about is answered there alone."""
        name = field_of(dimension, target, check)
        if check.kind is Kind.DETECTED:
            return ""
        if check.asked:
            given = self.answers.get(name, "")
            return given if any(answer.code == given for answer in check.answers) else ""
        asked = self.answers.get(f"{name}.asked", "")
        if asked:
            return TICKED if asked == "yes" else ""
        return self.answers.get(name, "")

    def is_detected(self, check: Check, target: Target) -> bool:
        text = target.text if isinstance(target, ShownResponse) else ""
        match check.detector:
            case Detector.EMPTY:
                return isinstance(target, ShownResponse) and detectors.is_empty(text)
            case Detector.REPEATS:
                return detectors.repeats(text) is not None
            case Detector.SAME_AS_QUERY:
                return detectors.same_as_query(text, self.desk.query)
            case Detector.TWINS | None:
                return False

    def row(self, dimension: Dimension, target: Target) -> Row:
        name = f"{target.key}.{dimension.code}"
        judged = self.judged(dimension, target)
        judgement = self.verdicts(dimension).of(target.key)
        verdict = judgement if isinstance(judgement, Verdict) else None
        score = judged.score
        detections = tuple(self.detections(dimension, target, judged))
        asked = {detection.code for detection in detections}
        ticks = tuple(self.ticks(dimension, target, judged, judgement, without=asked))
        headline = wording.headline(judgement)
        errors: list[str] = []
        if self.submitting and verdict:
            if score is None:
                errors.append(wording.unscored(dimension, verdict))
            else:
                errors += [wording.barred(score, reason) for reason in verdict.bars(score)]
        return Row(
            name=name,
            id=element_id(name),
            dimension=dimension,
            target=target,
            questions=tuple(self.questions(dimension, target, judged, judgement, Scope.TARGET)),
            corpus=tuple(self.questions(dimension, target, judged, judgement, Scope.CORPUS)),
            tick_groups=self.grouped(dimension, ticks),
            none_of_these=self.none_of_these(dimension, target, bool(judged.facts)),
            levels=tuple(
                ScaleLevel(
                    id=element_id(f"{name}.{level.score}"),
                    level=level,
                    checked=level.score == score,
                    # Checks that exclude one another bar every score until one is taken back.
                    reasons=verdict.bars(level.score) if verdict else headline.reasons,
                )
                for level in sorted(dimension.levels, key=lambda level: level.score)
            ),
            headline=headline,
            judgement=judgement,
            facts=judged.facts,
            score=score,
            remarks=verdict.remarks_on(score) if verdict and score is not None else (),
            detections=detections,
            unseen=any(detection.pending for detection in detections),
            errors=tuple(errors),
        )

    def questions(
        self,
        dimension: Dimension,
        target: Target,
        judged: Judged,
        judgement: Verdict | Clashes,
        scope: Scope,
    ) -> Iterator[Question]:
        silenced = rules.silenced(dimension, judged.facts)
        for check in dimension.checks:
            if silenced or not check.asked or check.scope is not scope:
                continue
            name = field_of(dimension, target, check)
            given = self.answers.get(name, "")
            missing = isinstance(judgement, Verdict) and check.code in judgement.missing
            yield Question(
                name=name,
                id=element_id(name),
                check=check,
                # By letter one would pass through the other answer, and this one is kept when it is given.
                key=check.key if scope is Scope.TARGET else "",
                choices=tuple(
                    Choice(
                        id=element_id(f"{name}.{answer.code}"),
                        value=answer.code,
                        wording=answer.wording,
                        help=answer.help,
                        checked=answer.code == given,
                        best=answer.code == check.best,
                        good=answer.code == check.best
                        if check.best
                        else answer.sets not in _against(dimension),
                    )
                    for answer in check.answers
                ),
                marks=tuple(self.marks(name)) if check.marks_persona else (),
                error=_clash_at(check, judgement)
                or (_("Not answered yet.") if missing and self.submitting else ""),
            )

    def marks(self, question: str) -> Iterator[Mark]:
        for number, text in enumerate(self.desk.persona, start=1):
            name = f"{question}.line.{number}"
            yield Mark(name, element_id(name), number, text, bool(self.answers.get(name)))

    def ticks(
        self,
        dimension: Dimension,
        target: Target,
        judged: Judged,
        judgement: Verdict | Clashes,
        without: Collection[str],
    ) -> Iterator[Tick]:
        silenced = rules.silenced(dimension, judged.facts)
        for check in dimension.checks:
            locked = check.kind is Kind.DETECTED
            if (
                check.asked
                or check.code in without
                or (check.code not in judged.facts and (locked or silenced))
            ):
                continue
            name = field_of(dimension, target, check)
            yield Tick(
                name=name,
                id=element_id(name),
                check=check,
                checked=check.code in judged.facts,
                locked=locked,
                good=check.code not in dimension.faults,
                error=_clash_at(check, judgement),
            )

    def grouped(self, dimension: Dimension, ticks: Iterable[Tick]) -> tuple[TickGroup, ...]:
        """Ticks of one consequence together, in the order in which each consequence first appears."""
        groups: dict[str, list[Tick]] = {}
        for tick in ticks:
            place = dimension.code, tick.check.code
            if place not in self.worded:
                self.worded[place] = wording.consequence(dimension, tick.check.code)
            groups.setdefault(self.worded[place], []).append(tick)
        return tuple(TickGroup(consequence, tuple(group)) for consequence, group in groups.items())

    def none_of_these(self, dimension: Dimension, target: Target, ticked: bool) -> Tick | None:
        if not self.desk.asks_reason(dimension):
            return None
        name = f"{target.key}.{dimension.code}.{NONE_OF_THESE}"
        checked = bool(self.answers.get(name))
        return Tick(
            name=name,
            id=element_id(name),
            check=Check(code=NONE_OF_THESE, kind=Kind.TICK, wording=_("None of these")),
            checked=checked,
            locked=False,
            error=wording.reason_error(ticked, checked) if self.submitting else "",
        )

    def detections(self, dimension: Dimension, target: Target, judged: Judged) -> Iterator[Detection]:
        """Only at submit, and only of what was not ticked: the program helps the eye and does not lead it."""
        if rules.silenced(dimension, judged.facts):
            return
        for check in dimension.checks:
            name = field_of(dimension, target, check)
            answer = self.answers.get(f"{name}.asked", "")
            if check.kind is not Kind.TICK or not check.detector:
                continue
            asking = self.submitting and not self.answers.get(name)
            if (answer or asking) and self.is_detected(check, target):
                text = target.text if isinstance(target, ShownResponse) else ""
                yield Detection(
                    name=f"{name}.asked",
                    id=element_id(f"{name}.asked"),
                    code=check.code,
                    key=check.key,
                    question=wording.what_was_seen(check, text),
                    answer=answer,
                )

    def facts(self, target: Target) -> Iterator[Fact]:
        """Those filled in, and empty ones for the next: one at least, and three in all."""
        filled = 0
        blanks: list[Fact] = []
        for number in range(1, MOST_FACTS + 1):
            prefix = f"{target.key}.fact.{number}"
            fact = Fact(
                prefix=prefix,
                id=element_id(prefix),
                number=number,
                claim=self.answers.get(f"{prefix}.claim", ""),
                outcome=self.answers.get(f"{prefix}.outcome", ""),
                sources=self.answers.get(f"{prefix}.sources", ""),
            )
            if fact.blank:
                blanks.append(fact)
                continue
            filled += 1
            yield replace(fact, errors=tuple(wording.fact_errors(fact))) if self.submitting else fact
        yield from blanks[: max(1, 3 - filled)]


class _Between:
    """What holds between the responses of the item: scores out of order (RQ-11), remarks, twins (RQ-04)."""

    def __init__(self, stage: _Stage) -> None:
        names = {response.key: response.name for response in stage.desk.responses}
        self.notes: list[str] = []
        self.errors: dict[str, list[str]] = {}
        self.kept: list[tuple[str, Reason]] = []
        self.said: set[str] = set()
        for dimension in stage.desk.dimensions(Unit.RESPONSE):
            verdicts = stage.verdicts(dimension)
            for found in verdicts.out_of_order:
                text = wording.out_of_order(names[found.lower], names[found.higher], found.reason)
                self.notes.append(text)
                if stage.submitting:
                    for key in (found.lower, found.higher):
                        self.errors.setdefault(f"{key}.{dimension.code}", []).append(text)
            for remark in verdicts.remarks:
                first, second = remark.keys
                self.notes.append(wording.remark_between(names[first], names[second], remark.reason))
                self.said.add(f"{first}+{second}.{dimension.code}/{remark.reason.rule}")
                self.kept += [(f"{key}.{dimension.code}", remark.reason) for key in remark.keys]
            if stage.compares(dimension):
                self.notes += [wording.twins(names[one], names[other]) for one, other in stage.twins]


def _clash_at(check: Check, judgement: Verdict | Clashes) -> str:
    """What is wrong at a check that cannot hold together with others."""
    if isinstance(judgement, Verdict):
        return ""
    return " ".join(
        f"{clash.text} ({clash.clause})"
        for clash in judgement.clashes
        if not set(check.facts).isdisjoint(clash.checks)
    )


def _against(dimension: Dimension) -> frozenset[str]:
    """The facts that only keep the score down: one that also raises it elsewhere (DQ-12) is no fault."""
    raising = {name for rule in dimension.rules if rule.effect is Effect.FLOOR for name in rule.when.positive}
    return dimension.faults - raising
