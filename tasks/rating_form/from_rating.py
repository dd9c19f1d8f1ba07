"""Form data from a stored rating: its answers by field name, on its annotator's desk."""

from collections.abc import Iterator, Mapping, Sequence

from tasks.fact_checks import Clock
from tasks.models import FactCheck, Placement, Rating
from tasks.rating_form.fields import TICKED, FactPlace, FormSlot
from tasks.rating_form.item_view import ItemView, ShownResponse, ShownSet


def answers_of(rating: Rating, desk: ItemView) -> dict[str, str]:
    """Return all answers of a rating by field name."""
    targets: dict[int | str, ShownResponse | ShownSet] = {each.pk: each for each in desk.responses}
    targets |= {shown.model: shown for shown in desk.sets}
    answers = {"comment": rating.comment} | ({"not_sure": TICKED} if rating.not_sure else {})
    for score in rating.scores.all():
        target = targets.get(score.model if score.response_id is None else score.response_id)
        if target is not None:
            place = desk.place(desk.rubric.dimension(score.dimension), target)
            answers |= {place.name: str(score.value), **dict(_given(place, score.checks))}
    for placement in Placement.objects.filter(rating=rating):
        answers[f"{targets[placement.response_id].key}.comment"] = placement.comment
    # The answer to a question of the program stands in for the tick that it is stored as.
    ticks = {name.removesuffix(".asked") for name in rating.asked}
    answers = {name: given for name, given in answers.items() if name not in ticks}
    return answers | rating.asked | look_ups_of(rating, desk.responses)


def _given(place: FormSlot, checks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields of the answers that are stored with a score."""
    names = {name.split(".")[2]: name for name in place.names if name.count(".") == 2}
    for code, given in checks.items():
        if code in names:
            yield names[code], given
        elif code.endswith(".lines"):
            question = names[code.removesuffix(".lines")]
            yield from ((f"{question}.line.{line}", TICKED) for line in given.split(","))


def look_ups_of(rating: Rating, responses: Sequence[ShownResponse]) -> dict[str, str]:
    """Return the fields of the claims that were looked up, with their clocks stopped."""
    keys = {response.pk: response.key for response in responses}
    answers: dict[str, str] = {}
    for fact in FactCheck.objects.filter(rating=rating):
        clock = "" if fact.seconds is None else str(Clock(fact.seconds))
        names = FactPlace(keys[fact.response_id], fact.position).names
        answers |= zip(names, (fact.claim, fact.outcome, fact.sources, clock), strict=True)
    return answers
