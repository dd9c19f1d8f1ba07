"""Who settles many cases at once, and looks at the cases by clause."""

from __future__ import annotations

from unittest import mock

from django.utils import timezone
from playwright.sync_api import expect

from annotators.models import User
from tasks.cases.case import cases_of
from tasks.cases.deciding import Choice, decide_case
from tasks.cases.rating_views import ratings_of
from tasks.models import Item, Project, Rating
from tasks.models.list_renewal import renew_entry
from tests.factories import make_item, make_project, make_rating, make_user
from tests.visitor import Visitor, Walk

ROOM = "projects/<slug:slug>/disagreements/"
AT_ONCE_STATES: dict[str, set[str]] = {
    f"{ROOM}medians/": {
        *("empty", "full", "refused", "settled", "taken back, some decided anew"),
        "answers are hidden",
    },
    f"{ROOM}by-clause/": {"empty", "few decisions", "full"},
}
AT_ONCE_NO_PAGE = {
    f"{ROOM}medians/<uuid:bulk>/take-back/": "takes a form, and leads to the medians",
}


def settling_at_once(visitor: Visitor) -> Walk:
    """Settle cases by their medians, take that back, and look at them by clause."""
    page = visitor.page
    lea = make_user(name="lea-who-settles-what-others-leave-open")
    people = [make_user(name=f"someone-with-a-long-name-{number}") for number in range(3)]
    project = make_project(slug="medians", leads=[lea], annotators=people)
    medians = "/projects/medians/disagreements/medians/"
    by_clause = "/projects/medians/disagreements/by-clause/"
    visitor.become(lea)
    for address in (medians, by_clause):
        visitor.go(address)
        yield "empty"
    items = [_rated(project, people, (5, 6, 7)) for _item in range(3)]
    items.append(_rated(project, people, (2, 3, 4), ticks=("language_error",)))
    _rated(project, people, (4, 5, 6), ticks=("language_error", "language_error"))
    Rating.objects.filter(item=items[0], annotator=people[0]).update(annotator=lea)
    visitor.go(medians)
    yield "full"
    visitor.send(medians, cases="x", reason="Because-" * 40)
    yield "refused"
    visitor.go(medians)
    page.get_by_role("button", name="Settle 3").click()
    expect(page.get_by_text("are settled by their medians.")).to_be_visible()
    yield "settled"
    _decide(items[0], lea)
    visitor.go(medians)
    page.get_by_role("button", name="Take 2 back").click()
    expect(page.get_by_text("was decided anew since")).to_be_visible()
    yield "taken back, some decided anew"
    visitor.go(by_clause)
    yield "few decisions"
    for _item in range(8):
        _decide(_rated(project, people, (4, 5, 7)), lea)
    with (
        mock.patch("tasks.cases.decision_figures.LEAST", 8),
        mock.patch("tasks.cases.distances.LEAST", 8),
    ):
        visitor.go(by_clause)
        expect(page.get_by_role("columnheader", name="Person")).to_be_visible()
        yield "full"
    project.change(decides_first=True)
    visitor.go(medians)
    yield "answers are hidden"


def _rated(
    project: Project, people: list[User], values: tuple[int, ...], ticks: tuple[str, ...] = ()
) -> Item:
    item = make_item(project=project, responses=[("heron", "Two.")])
    for number, (person, value) in enumerate(zip(people, values, strict=True)):
        score = make_rating(item=item, annotator=person, values={1: value}).scores.get()
        score.checks |= dict.fromkeys(ticks[number : number + 1], "yes")
        score.save(update_fields=["checks"])
    item.refresh_from_db()
    item.project = project
    renew_entry(item)
    return item


def _decide(item: Item, lead: User) -> None:
    """Adopt the highest answer, which no rule bars."""
    (case,) = cases_of(item, item.responses.get().pk, ratings_of(item))
    highest = max(case.answers, key=lambda answer: answer.value or 0)
    choice = Choice(highest.person, None, "slip")
    decide_case(case, choice, version=case.version, by=lead, now=timezone.now())
