"""The walk through the disagreements of a project: the queue, and its cases."""

from __future__ import annotations

from django.utils import timezone
from playwright.sync_api import expect

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.cases.ask_form import subject_of
from tasks.cases.asking import ask
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseEntry, CaseOpening, Membership, Project
from tasks.queue.submitting import correct_rating
from tests.disagreements.made_cases import case_of, project_with_people, rated, renew, some_cases
from tests.factories import (
    NOW,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.made_rubrics import scale, scales
from tests.visitor import Visitor, Walk

QUEUE = "projects/<slug:slug>/disagreements/"
SETTLING_STATES = {
    QUEUE: {"nothing rated", "full", "filtered", "all decided", "to an adjudicator"},
    f"{QUEUE}<str:token>/": {
        *("open", "refused", "next case", "decided", "changed since"),
        *("to decide first", "a number", "without JavaScript"),
    },
}


def settling(visitor: Visitor) -> Walk:
    """A lead settles cases, one after the other."""
    page = visitor.page
    lead = make_user(name="lea-settles")
    project = project_with_people(lead, slug="settled")
    visitor.become(lead)
    visitor.go("/projects/settled/disagreements/")
    yield "nothing rated"
    entries = some_cases(project)
    other = make_user()
    CaseOpening.objects.note(project, other, entries[2].token, now=timezone.now())
    visitor.go("/projects/settled/disagreements/")
    yield "full"
    page.locator(".queue-filter > summary").click()
    page.get_by_label("Saw or concluded").select_option("concluded")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**seen=concluded**")
    page.locator(".queue-filter > summary").click()
    yield "filtered"
    visitor.go(f"/projects/settled/disagreements/{entries[1].token}/")
    page.locator("summary", has_text="All answered alike").click()
    page.locator(".prompt > summary").click()
    yield "open"
    page.keyboard.press("a")
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    expect(page.locator("#decide [role=alert]")).to_be_visible()
    yield "refused"
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is saved.")).to_be_visible()
    yield "next case"
    yield from _decided(visitor, project, entries[1])
    for entry in entries:
        visitor.go(f"/projects/settled/disagreements/{entry.token}/")
        page.keyboard.press("5")
        page.get_by_label("Reason").fill("In between.")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).not_to_contain_text(entry.item.external_id)
    visitor.go("/projects/settled/disagreements/")
    yield "all decided"


def _decided(visitor: Visitor, project: Project, entry: CaseEntry) -> Walk:
    """A case that is decided, and then changes."""
    address = f"/projects/settled/disagreements/{entry.token}/?state="
    visitor.go(f"{address}decided")
    yield "decided"
    rating = case_of(entry).answers[1].rating
    assert rating.lease
    submission = make_submission(lease=rating.lease, values={1: 5, 2: 4})
    correct_rating(rating, submission, based_on=1, now=timezone.now())
    renew(entry.item, project)
    visitor.go(f"{address}changed")
    yield "changed since"


def settling_blind(visitor: Visitor) -> Walk:
    """A score before the answers, on a scale of many levels."""
    lead = make_user(name="lea-blind")
    project = project_with_people(lead, slug="blind", decides_first=True)
    some_cases(project)
    visitor.become(lead)
    entry = CaseEntry.objects.filter(project=project).of_project(project)[0]
    visitor.go(f"/projects/blind/disagreements/{entry.token}/")
    yield "to decide first"
    whole = scale("whole", "Whole", 0, ["Bad", *[""] * 18, "Good"], blank="Not applicable")
    rubric = Rubric.objects.load(parse(scales(whole)), now=NOW)[0]
    project = project_with_people(lead, slug="numbers", rubric=rubric)
    item = make_item(project=project, responses=["Two."])
    for number, membership in enumerate(project.memberships.filter(role="annotator")):
        make_rating(item=item, annotator=membership.user, values={1: 6 * number})
    renew(item, project)
    token = CaseEntry.objects.get(project=project).token
    visitor.go(f"/projects/numbers/disagreements/{token}/")
    visitor.page.get_by_label("Another score").last.fill("7")
    yield "a number"


def settling_without_javascript(visitor: Visitor) -> Walk:
    """The same page without its script."""
    lead = make_user(name="lea-without-scripts")
    project = project_with_people(lead, slug="without-scripts")
    entry = rated(project, "item", 4, 7, 7)
    visitor.become(lead)
    visitor.go(f"/projects/without-scripts/disagreements/{entry.token}/")
    yield "without JavaScript"


def adjudicating(visitor: Visitor) -> Walk:
    """An adjudicator goes from the start page to a case and the rubric."""
    page = visitor.page
    project = project_with_people(make_user(), slug="adjudicated")
    some_cases(project)
    judge = make_user(name="judy-adjudicates")
    for title in ("adjudicated", "L" + "ong" * 60):
        if title != project.slug:
            project = make_project(title=title)
        make_membership(project=project, user=judge, role=Membership.Role.ADJUDICATOR)
    visitor.become(judge)
    visitor.go("/")
    yield "adjudicates"
    page.get_by_role("link", name="Settle adjudicated").click()
    yield "to an adjudicator"
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Rubric").click()
    yield "to an adjudicator"
    asked = CaseEntry.objects.filter(project__slug="adjudicated")[0]
    answer = case_of(asked).answers[0]
    _ask(asked, judge)
    assert answer.rating.lease
    submission = make_submission(lease=answer.rating.lease, values={1: 4, 2: 4})
    correct_rating(answer.rating, submission, based_on=1, reply="Read-" * 40, now=timezone.now())
    visitor.go("/inbox/")
    yield "a reply to an adjudicator"


def _ask(entry: CaseEntry, by: User) -> None:
    """Ask all whose answers are in a case."""
    case = case_of(entry)
    ask(subject_of(case), ratings_of(case.item), "Why-" * 60, by=by, now=timezone.now())
