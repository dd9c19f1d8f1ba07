"""Prove that the rules of a rubric work, whatever an annotator answers.

A case is a choice that an annotator can complete: one answer to each question that is asked, each
tick and each detected check either way, and nothing that clashes unless a force decides. The proof
searches all cases (`cases`), so it is exact. Half-answered forms are no cases, and may leave no
score open.

A finding names the fewest facts that show it: none of them can be left out. The rubric must be
well-formed (`wellformed`).
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from django.utils.translation import get_language, gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.schema import Rubric
from .cases import Cases
from .finding import Finding, finding_at
from .idle_rules import rules_and_scores_without_use
from .proof_claims import (
    can_meet,
    cases_without_score,
    dead_ends,
    rival_forces,
    unasked_checks,
    unmet_rankings,
)
from .solver import MOST_WORK, Solver, TooManyStepsError

# For each dimension. A number of steps, not of seconds: a document loads everywhere or nowhere. The
# steps among many rules end earlier (MOST_WORK), and so do those of many dimensions together. The
# shipped rubrics take a tenth of that.
STEPS = 300_000


def findings(rubric: Rubric) -> Iterator[Finding]:
    """Yield what the proof finds in a well-formed rubric: of each kind of fault at least one."""
    work = 0
    for dimension in rubric.parts:
        if work >= MOST_WORK:
            yield _unproved(dimension, pgettext("after “did not prove that”", "its rules work"))
            continue
        proved, more = _proved(dimension, get_language())
        work += more
        yield from proved


@lru_cache(maxsize=256)
def _proved(dimension: Dimension, language: str | None) -> tuple[tuple[Finding, ...], int]:
    """Return the findings in the active language, and the work that they took."""
    solver = _solver(dimension)
    proved = tuple(_findings_of(dimension, solver))
    return proved, solver.work


def _solver(dimension: Dimension) -> Solver:
    return Solver(len(dimension.facts) + 1, STEPS)


def _findings_of(dimension: Dimension, solver: Solver) -> Iterator[Finding]:
    claim = pgettext("after “did not prove that”", "each question can be asked")
    try:
        cases = Cases(dimension, solver)
    except TooManyStepsError:
        yield _unproved(dimension, claim)
        return
    # What breaks a claim, and the claim.
    claims = {
        unasked_checks: claim,
        dead_ends: pgettext("after “did not prove that”", "answers can go together"),
        cases_without_score: pgettext("after “did not prove that”", "a score always stays open"),
        rival_forces: pgettext("after “did not prove that”", "forces of equal precedence agree"),
        unmet_rankings: pgettext("after “did not prove that”", "scores can always be in order"),
        rules_and_scores_without_use: pgettext(
            "after “did not prove that”", "each rule and each score has a use"
        ),
    }
    path = f"dimensions.{dimension.code}." if dimension.scores else ""
    try:
        if dimension.when.names and not cases.exist([]):
            yield finding_at(f"{path}when", _("no answers meet it; change it"))
            return
        for find_breaches in claims:
            claim = claims[find_breaches]
            for finding in find_breaches(cases):
                yield Finding(f"{path}{finding.text}", finding.is_fault)
    except TooManyStepsError:
        yield _unproved(dimension, claim)


def _unproved(dimension: Dimension, claim: str) -> Finding:
    path = "checks"
    message = _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler checks")
    if dimension.scores:
        path = f"dimensions.{dimension.code}.rules"
        message = _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler rules")
    return finding_at(path, message, steps=STEPS, claim=claim)


@lru_cache(maxsize=256)
def meeting_forces(dimension: Dimension) -> frozenset[str]:
    """Return the forces that can meet one that forces another score: their order decides."""
    codes: set[str] = set()
    try:
        cases = Cases(dimension, _solver(dimension))
        for one, other in combinations(cases.statements.forces, 2):
            if can_meet(cases, one, other):
                codes |= {one.code, other.code}
    except TooManyStepsError:
        codes.update(rule.code for rule in dimension.rules if rule.effect is Effect.FORCE)
    return frozenset(codes)
