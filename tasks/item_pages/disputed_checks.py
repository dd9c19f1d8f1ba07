"""The checks on which ratings of one target differ."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope
from tasks.item_pages.list_rows import ListedScore


def most_disputed(listed_scores: Sequence[ListedScore], dimensions: tuple[Dimension, ...]) -> str:
    """Return the check on which ratings of one target differ most often, or the first of those."""
    answers_by_target: dict[tuple[str, int | str], list[Mapping[str, str]]] = defaultdict(list)
    for score in listed_scores:
        answers_by_target[score.dimension, score.target].append(score.check_answers)
    times: Counter[tuple[str, str]] = Counter()
    for (dimension_code, _target), answers in answers_by_target.items():
        for code in _differing_checks(answers):
            times[dimension_code, code] += 1
    most = 0
    wording = ""
    for dimension in dimensions:
        for check in dimension.checks:
            number = times[dimension.code, check.code]
            if check.scope is Scope.TARGET and number > most:
                most = number
                wording = check.wording
    return wording


def _differing_checks(answers_by_rating: Sequence[Mapping[str, str]]) -> set[str]:
    """Return the checks that ratings of one target answer differently; "" is no answer."""
    first, *others = (checks.items() for checks in answers_by_rating)
    differing = set()
    for other in others:
        differing |= {code for code, answer in other ^ first if answer}
    return differing
