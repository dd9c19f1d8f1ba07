"""Who comes to the admin's pages: Django's own, mended by templates/admin and
static/css/admin.css."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.factories import PASSWORD, make_rubric, make_user
from tests.visitor import Visitor, Walk

CHANGE, HISTORY = "<path:object_id>/change/", "<path:object_id>/history/"
PEOPLE, RUBRICS = "admin/annotators/user/", "admin/rubrics/rubric/"
APP = "admin/(?P<app_label>annotators|rubrics)/$"

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
    for address in (
        changed.replace("change", "history"),
        f"/{PEOPLE}",
        "/admin/",
        "/admin/rubrics/",
    ):
        visitor.go(address)
        yield "full"
    visitor.go(f"/{PEOPLE}?_to_field=id&_popup=1")
    yield "to choose from"


def looking_up(visitor: Visitor) -> Walk:
    """Look up a rubric."""
    visitor.become(make_user(name="admin-too", admin=True))
    _let_axe_style(visitor)
    visitor.go(f"/{RUBRICS}")
    yield "full"
    visitor.go(f"/{RUBRICS}{make_rubric().pk}/change/")
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
