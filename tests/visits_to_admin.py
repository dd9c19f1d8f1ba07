"""Who comes to the admin's pages: Django's own, mended by templates/admin and
static/css/admin.css."""

from __future__ import annotations

from django.utils import timezone
from playwright.sync_api import expect

from tasks.models import Batch
from tests.factories import (
    PASSWORD,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.visitor import Visitor, Walk

CHANGE, HISTORY = "<path:object_id>/change/", "<path:object_id>/history/"
PEOPLE, RUBRICS = "admin/annotators/user/", "admin/rubrics/rubric/"
PROJECTS, BATCHES, ITEMS = "admin/tasks/project/", "admin/tasks/batch/", "admin/tasks/item/"
RATINGS, LEASES = "admin/tasks/rating/", "admin/tasks/lease/"
APP = "admin/(?P<app_label>annotators|tasks|rubrics)/$"

ADMINS_STATES: dict[str, set[str]] = {
    "admin/": {"full"},
    APP: {"full"},
    PEOPLE: {"full", "to choose from"},
    f"{PEOPLE}add/": {"empty", "refused"},
    f"{PEOPLE}<id>/password/": {"empty", "refused"},
    f"{PEOPLE}{CHANGE}": {"full", "refused"},
    f"{PEOPLE}{HISTORY}": {"full"},
    RUBRICS: {"full"},
    f"{RUBRICS}{CHANGE}": {"full"},
    PROJECTS: {"full", "nothing found"},
    f"{PROJECTS}{CHANGE}": {"full", "refused"},
    f"{PROJECTS}{HISTORY}": {"empty"},
    BATCHES: {"full"},
    f"{BATCHES}{CHANGE}": {"full"},
    f"{BATCHES}{HISTORY}": {"full"},
    ITEMS: {"full"},
    f"{ITEMS}{CHANGE}": {"full"},
    RATINGS: {"full"},
    f"{RATINGS}{CHANGE}": {"full"},
    LEASES: {"full"},
    f"{LEASES}{CHANGE}": {"full"},
}

ADMINS_NO_PAGE = {
    "admin/login/": "leads to the log-in of all",
    "admin/logout/": "leads to the log-out of all",
    "admin/jsi18n/": "a script",
}


def accounts(visitor: Visitor) -> Walk:
    """Make an account, and change it."""
    page = visitor.page
    visitor.become(make_user(name="admin-of-all", admin=True))
    _let_axe_style(visitor)
    visitor.go(f"/{PEOPLE}add/")
    yield "empty"
    page.get_by_label("Username").fill("a name")
    _save(visitor)
    yield "refused"
    page.get_by_label("Username").fill("new")
    for field in page.locator("[type=password]").all():
        field.fill(PASSWORD)
    with page.expect_navigation():
        page.locator("[name=_save]").click()
    expect(page.locator(".messagelist")).to_be_visible()
    yield "full"
    changed = page.url
    page.locator("[name=username]").fill("a name")
    _save(visitor)
    yield "refused"
    visitor.go(changed.replace("change", "password"))
    yield "empty"
    for field in page.locator("[type=password]").all():
        field.fill("short")
    with page.expect_navigation():
        page.locator("[name=set-password]").click()
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"
    for address in (changed.replace("change", "history"), f"/{PEOPLE}", "/admin/", "/admin/tasks/"):
        visitor.go(address)
        yield "full"
    visitor.go(f"/{PEOPLE}?_to_field=id&_popup=1")
    yield "to choose from"


def looking_up(visitor: Visitor) -> Walk:
    """Look up what there is, and pause a batch."""
    page = visitor.page
    ada, chief = make_user(name="ada-looked-up"), make_user(name="admin-too", admin=True)
    project = make_project(title="L" + "ong" * 60, annotators=[ada], leads=[chief])
    rating = make_rating(item=make_item(project=project, responses=["One.", "Two."]), annotator=ada)
    assert rating.lease
    other = make_submission(lease=rating.lease, comments={1: "On second thoughts."})
    rating.correct(other, based_on=1, now=timezone.now())
    batch = make_batch(project=project)
    lease = make_lease(item=make_item(batch=batch), annotator=ada, now=timezone.now())
    visitor.become(chief)
    _let_axe_style(visitor)
    for base, key in (
        (RUBRICS, project.rubric_id),
        (PROJECTS, project.pk),
        (BATCHES, batch.pk),
        (ITEMS, rating.item_id),
        (RATINGS, rating.pk),
        (LEASES, lease.pk),
    ):
        visitor.go(f"/{base}")
        yield "full"
        visitor.go(f"/{base}{key}/change/")
        yield "full"
    visitor.go(f"/{PROJECTS}?q=nothing-like-this")
    yield "nothing found"
    visitor.go(f"/{PROJECTS}{project.pk}/history/")
    yield "empty"
    visitor.go(f"/{PROJECTS}{project.pk}/change/")
    page.locator("[name=title]").fill(" ")
    _save(visitor)
    yield "refused"
    visitor.go(f"/{BATCHES}{batch.pk}/change/")
    page.locator("[name=status]").select_option(Batch.Status.PAUSED)
    with page.expect_navigation():
        page.locator("[name=_save]").click()
    visitor.go(f"/{BATCHES}{batch.pk}/history/")
    yield "full"


def _let_axe_style(visitor: Visitor) -> None:
    """What axe does itself: it comes by the browser's tools and has no address, where a page's
    breach has one."""
    visitor.complaints.allow(r"^Applying inline style .* \(:\d+\)$")


def _save(visitor: Visitor) -> None:
    """Press the button, and be told what is wrong."""
    with visitor.page.expect_navigation():
        visitor.page.locator("[name=_save]").click()
    expect(visitor.page.locator(".errorlist").first).to_be_visible()
