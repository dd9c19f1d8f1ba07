"""A result of agreement as a page has it: with the names of people, and in their order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

from tasks.agreement.stored import DifferingUnit, Pair, Result
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.lead_pages.model_names import NumberedModels
from tasks.models import Project
from tasks.models.imported import names_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """A result, the names of its people by their numbers, and the times that pages tell."""

    result: Result
    names_by_number: Mapping[int, str]  # in the order of the names
    made_at: datetime | None = None  # None of a first look, which is not stored
    acted_at: datetime | None = None  # when something was dropped or taken back since, if it was

    def names_among(self, numbers: Collection[int]) -> list[str]:
        """Return the names of some people, in the order of the names."""
        return [name for number, name in self.names_by_number.items() if number in numbers]


def page_result(project: Project, result: Result, made_at: datetime | None = None) -> PageResult:
    """Return a result with the names of people, or their pseudonyms if leads see no names."""
    agreement = PageResult(result=result, names_by_number={}, made_at=made_at)
    return with_names(agreement, names_for_leads(project, result.annotators))


def with_names(agreement: PageResult, names_by_number: Mapping[int, str]) -> PageResult:
    """Return the figures with these names of people by their numbers, and in their order."""
    result = agreement.result
    in_order = replace(
        result,
        annotators=list(names_by_number),
        team=_among(result.team, names_by_number),
        slots=_among(result.slots, names_by_number),
        pairs=_pairs_in_order(result.pairs, names_by_number),
        furthest=[_scores_in_order(unit, names_by_number) for unit in result.furthest],
    )
    return replace(agreement, result=in_order, names_by_number=names_by_number)


def without_people(result: Result) -> Result:
    """Return a result without the figures and the scores of single people."""
    return replace(result, annotators=[], team=[], slots=[], pairs=[], without=None, furthest=[])


def for_lead(agreement: PageResult, model_names: NumberedModels) -> PageResult:
    """Return the figures with models as a lead sees them."""
    result = agreement.result
    in_order = sorted(result.models, key=lambda part: model_names.sort_key(part.name))
    models = [replace(part, name=model_names.of(part.name)) for part in in_order]
    furthest = []
    for unit in result.furthest:
        model = model_names.of(unit.model)
        furthest.append(replace(unit, model=model))
    return replace(agreement, result=replace(result, models=models, furthest=furthest))


def names_for_leads(project: Project, person_numbers: Collection[int]) -> dict[int, str]:
    """Return the names of people by their numbers, or their pseudonyms if leads see no names."""
    if project.names_annotators:
        return names_of(person_numbers)
    pseudonyms = {}
    for number, pseudonym in pseudonyms_of(project, stores=False).items():
        if number in person_numbers:
            pseudonyms[number] = pseudonym
    return pseudonyms


def _among(numbers: Collection[int], in_order: Mapping[int, str]) -> list[int]:
    return [number for number in in_order if number in numbers]


def _pairs_in_order(pairs: Sequence[Pair], in_order: Mapping[int, str]) -> list[Pair]:
    pair_of = {frozenset((pair.first, pair.second)): pair for pair in pairs}
    rows = []
    for first, second in combinations(in_order, 2):
        pair = pair_of.get(frozenset((first, second)))
        if pair:
            rows.append(replace(pair, first=first, second=second))
    return rows


def _scores_in_order(unit: DifferingUnit, in_order: Mapping[int, str]) -> DifferingUnit:
    score_of = dict(unit.scores_of_people)
    scores = [(number, score_of[number]) for number in in_order if number in score_of]
    return replace(unit, scores_of_people=scores)
