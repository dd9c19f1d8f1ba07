"""Renew the entries of the cases of items.

`list_renewal.py` calls it, together with the renewal of the items' entries in the list, which it
has locked.
"""

from collections import defaultdict
from collections.abc import Sequence
from hashlib import md5

from rubrics.judging.case_figures import figures_of, first_figures_of
from rubrics.judging.dimension import Dimension

from .case_answers import CaseAnswers, answers_on
from .case_entries import CaseEntry, token_of
from .decisions import ScoreDecision
from .projects import Project


def renew_cases(project: Project, item_keys: Sequence[int]) -> None:
    """Make the entries of the cases of these items anew."""
    dimensions = project.rubric.schema.scored_dimensions
    decisions = ScoreDecision.objects.standing_digests(item_keys)
    entries_by_item: dict[int, list[CaseEntry]] = defaultdict(list)
    for case in answers_on(item_keys):
        if case.dimension not in dimensions:
            continue
        decision = _decision(case, decisions.get(case.key, ""))
        entry = _entry(project, case, dimensions[case.dimension], decision)
        if entry:
            entries_by_item[case.item].append(entry)
    entries: list[CaseEntry] = []
    for of_item in entries_by_item.values():
        put_in_order(of_item, list(dimensions), seed=project.seed)
        entries += of_item
    CaseEntry.objects.filter(item__in=item_keys).delete()
    CaseEntry.objects.bulk_create(entries, batch_size=1_000)


def _decision(case: CaseAnswers, decided_on: str) -> CaseEntry.Decision:
    """Return if a decision stands, which was on answers with a digest; "" if there is none."""
    if not decided_on:
        return CaseEntry.Decision.NONE
    if decided_on != case.seen:
        return CaseEntry.Decision.CHANGED
    return CaseEntry.Decision.STANDS


def _entry(
    project: Project, case: CaseAnswers, dimension: Dimension, decision: CaseEntry.Decision
) -> CaseEntry | None:
    """Return the entry of a case, or None if nothing ever differed and nobody decided."""
    answers = case.current_answers
    figures = figures_of(dimension, answers)
    first = first_figures_of(dimension, case.first_answers)
    if not (decision or figures.differs_at_all or first.spread or first.is_mixed):
        return None
    return CaseEntry(
        project=project,
        batch_id=case.batch,
        item_id=case.item,
        dimension=case.dimension,
        response_id=case.response,
        model=case.model,
        token=token_of(project, case.item, case.dimension, case.target),
        values=[answer.value for answer in answers],
        spread=figures.spread,
        first_spread=first.spread,
        is_mixed=figures.is_mixed,
        was_mixed=first.is_mixed,
        is_forced_apart=figures.is_forced_apart,
        checks=[f"{case.dimension}:{code}" for code in figures.checks],
        is_seen=figures.is_seen,
        pairs=figures.pairs,
        seen_pairs=figures.seen_pairs,
        squares=figures.squares,
        spread_without=dict(figures.spread_without),
        is_complete=case.is_complete,
        decision=decision,
    )


def put_in_order(entries: Sequence[CaseEntry], dimensions: Sequence[str], *, seed: int) -> None:
    """Put the cases of one item in order: its targets by chance, each in the rubric's order."""
    item_spread = max(entry.spread for entry in entries)

    def order(entry: CaseEntry) -> tuple[str, int]:
        # Of each item another order: else a model's place would be the same everywhere.
        words = f"{seed}.{entry.item_id}.{entry.target}"
        by_chance = md5(words.encode(), usedforsecurity=False).hexdigest()
        return by_chance, dimensions.index(entry.dimension)

    for place, entry in enumerate(sorted(entries, key=order, reverse=True), 1):
        entry.place = place
        entry.item_spread = item_spread
