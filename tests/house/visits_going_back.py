"""Walks through one's own ratings and their corrections; visits.py says what a walk is."""

from __future__ import annotations

from django.utils import timezone
from playwright.sync_api import expect

from tasks.models import Batch, Project, Rating, ReturnedRating
from tasks.queue.submitting import correct_rating, submit_lease
from tests.desk_keys import SAVED
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.visitor import Visitor, Walk

LONG = "Mars has two moons, Phobos and Deimos; both are small and far from round. " * 3


def rated(slug: str, name: str) -> Rating:
    """Someone has rated three items: one with a warning, one as an extra, one corrected since."""
    ada = make_user(name=name)
    project = make_project(slug=slug, annotators=[ada], wanted=1)
    batch = make_batch(project=project, name="Moons-without-a-break" * 6)
    now = timezone.now()
    make_rating(item=make_item(batch=batch, warning="Speaks of violence."), annotator=ada, now=now)
    item = make_item(batch=batch)
    late = make_lease(item=item, annotator=ada, status="expired", ended_at=now, now=now)
    make_rating(item=item, annotator=make_user(), now=now)
    submit_lease(late, make_submission(lease=late), now=now)
    last = make_rating(
        item=make_item(
            batch=batch, prompt=LONG, responses=["Two, and both are small. " + "llanfair" * 20, " "]
        ),
        annotator=ada,
        now=now,
        comment="a-word-without-a-break" * 12,
        comments={1: "شلونك"},
        facts=[(1, "Mars has two moons", "holds", "https://moons.example/")],
    )
    assert last.lease is not None
    better = make_submission(
        lease=last.lease, values={1: 6}, comment="Better", comments={1: "شلونك"}
    )
    return correct_rating(last, better, based_on=1, now=now)


def going_back(visitor: Visitor) -> Walk:
    """The list, and a correction with all that can come in its way."""
    page = visitor.page
    new = make_user(name="ada-new")
    make_project(slug="none", annotators=[new])
    visitor.become(new)
    visitor.go("/projects/none/ratings/")
    yield "empty"
    rating = rated("back", "ada-back")
    address = f"/projects/back/ratings/{rating.pk}/"
    visitor.become(rating.annotator)
    visitor.go("/projects/back/ratings/")
    yield "full"
    visitor.go("/projects/back/ratings/?q=round+better")
    yield "found"
    visitor.go("/projects/back/ratings/?q=Jupiter")
    yield "nothing found"
    visitor.go("/projects/back/ratings/last/")
    page.locator("#r1-quality .before summary").click()
    yield "open"
    page.locator("#r1-quality").get_by_role("checkbox", name="Language error").check()
    expect(page.locator("#r1-quality .level.barred").first).to_be_visible()
    visitor.settle()
    yield "barred"
    page.locator("#comment").fill("Best.")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    yield "saved"
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_focused()
    visitor.settle()
    yield "refused"
    visitor.go(address)
    expect(page.get_by_role("heading", name="You started a correction")).to_be_visible()
    yield "begun"
    visitor.complaints.allow("status of 409 ")
    with page.context.new_page() as other:
        other.goto(address)
        other.locator("#comment").fill("Of one mind.")
        expect(other.locator("#draft-state")).to_have_text(SAVED)
    page.locator("#comment").fill("Of three minds.")
    expect(page.get_by_role("link", name="Open that version")).to_be_visible()
    yield "written elsewhere"
    page.get_by_role("button", name="Discard my changes").click()
    expect(page.locator("#comment")).to_have_value("Of one mind.")  # only its own was given up
    page.get_by_role("button", name="Discard my changes").click()
    expect(page.get_by_role("heading", name="You started a correction")).to_have_count(0)
    page.locator("#comment").fill("Once more.")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    page.locator("#submit").click()
    expect(page.locator("#desk > .notice")).to_contain_text("Your first answers are kept")
    visitor.settle()
    yield "stored"
    page.locator("#comment").fill("And once more.")
    assert rating.supersedes is not None
    assert rating.supersedes.lease is not None
    said = make_submission(lease=rating.supersedes.lease, values={1: 7}, comment="Elsewhere")
    correct_rating(rating, said, based_on=3, now=timezone.now())
    page.locator("#submit").click()
    expect(page.get_by_role("heading", name="in another window")).to_be_visible()
    visitor.settle()
    yield "outdated"
    Batch.objects.filter(project=rating.project).update(status="closed")
    page.locator("#submit").click()
    expect(page.get_by_role("heading", name="You can no longer save")).to_be_visible()
    visitor.settle()
    yield "read-only"
    visitor.go(address)  # which sends what the browser kept of the refused submits
    visitor.go(address)
    yield "read-only, begun"
    extra = Rating.objects.get(annotator=rating.annotator, kind="extra")
    visitor.go(f"/projects/back/ratings/{extra.pk}/")
    yield "read-only"
    Project.objects.filter(pk=rating.project_id).update(status="open")
    Batch.objects.filter(project=rating.project).update(status="open")
    ReturnedRating.objects.send_back(extra, "Look again.", cause="flag 1", now=timezone.now())
    visitor.go(f"/projects/back/ratings/{extra.pk}/")
    expect(page.get_by_text("Look again.")).to_be_visible()
    yield "came back"


def going_back_without_javascript(visitor: Visitor) -> Walk:
    """A correction as a plain form."""
    rating = rated("plain-back", "ada-plain-back")
    visitor.become(rating.annotator)
    visitor.go(f"/projects/plain-back/ratings/{rating.pk}/")
    yield "without JavaScript"
    visitor.page.get_by_role("checkbox", name="Language error").first.check()
    visitor.press("Check")
    expect(visitor.page.get_by_text("Open: 2, 3, 4.", exact=True)).to_be_visible()
    yield "without JavaScript"
