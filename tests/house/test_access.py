"""No page shuts anyone out: each page in each of its states, zoomed, by keyboard, and the HTML
itself. WCAG 2.2, level AA. The states of a page take turns at light and dark, wide and on a phone.

One walk through all of it (visits.py) serves all tests here, since what takes long is loading
pages.
"""

from __future__ import annotations

import fcntl
import os
import pickle
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import resolve
from django.utils import timezone
from playwright.sync_api import Browser

from rubrics.documents.document import parse
from rubrics.models import Rubric, RubricDraft
from tasks.models import (
    ApiToken,
    Batch,
    ImportedRater,
    Invitation,
    Notice,
    RatingFile,
    StoredExport,
    Upload,
)
from tests.addresses import addresses
from tests.api.calling import make_token
from tests.checkers import LOOKS, ROOT, WIDE, check_html, look
from tests.conftest import Complaints, Served, Site
from tests.factories import make_item, make_project, make_user
from tests.made_rubrics import SKILLS
from tests.settings import FOLDER
from tests.visitor import Visitor, Walk

from .visits import (
    NO_PAGE,
    STATES,
    WALKS,
    WITHOUT_JAVASCRIPT,
)

# "transaction": the tables are emptied after the walk, and its connections given back.
pytestmark = pytest.mark.django_db(transaction=True)

BAD = """<html><head><title>x</title></head><body><main><label for="nowhere">x</label>
<p id="twice" style="color: #999; background: #aaa">pale</p><p id="twice">again</p><img
src="data:,">
<input id="wrong" aria-invalid="true"><a href="/" style="outline: none">unmarked</a>
<p style="width: 900px">too wide</p>
<i style="position: absolute; inset: 0; height: 9px">over</i>
<button aria-label="Leave">Save</button></main>
<div class="foot" style="position: fixed; inset: auto 0 0; height: 600px"></div></body></html>"""
BAD_PART = "<div><li>no list</li></div>"


@dataclass
class Seen:
    """What came of the walk."""

    states: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    focused: set[str] = field(default_factory=set)  # kinds of controls
    looked: dict[str, str] = field(default_factory=dict)  # kinds of elements that axe saw
    served: list[tuple[str, Served]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    batches: set[str] = field(default_factory=set)


def address_of(served: Served) -> str:
    """The address of the URLconf that an answer is of, or its status where it is an error's
    page."""
    if (
        served.status >= 400
        and served.html.lstrip().startswith("<!doctype")
        and served.status != 409
    ):
        return str(served.status)
    return resolve(served.address).route


def comes_with_others(served: Served) -> bool:
    """Whether a page asks for it by itself: the rubric beside an item, the panel beside a form."""
    is_page = served.html.lstrip().startswith("<!doctype")
    return "/beside/" in served.address or ("/panel/" in served.address and not is_page)


def walk_through(
    walk: Callable[[Visitor], Walk],
    browser: Browser,
    site: Site,
    options: dict[str, Any],
    seen: Seen,
) -> None:
    """One walk, each of its states looked at, and all HTML kept that was served."""
    scripts = walk not in WITHOUT_JAVASCRIPT
    own = {"base_url": site.url, "java_script_enabled": scripts, "color_scheme": "light"}
    context = browser.new_context(**{**options, **own})
    context.set_default_timeout(10_000)
    complaints = Complaints()
    complaints.listen_to(context)
    page = context.new_page()
    page.set_viewport_size(WIDE)
    site.tape, address = [], ""
    try:
        for state in walk(Visitor(page, complaints, site.url)):
            site.wait_until_idle()
            page.wait_for_load_state()  # the browser may still read what the site has sent
            tape, site.tape = site.tape, []
            asked = [served for served in tape if not comes_with_others(served)]
            address = address_of(asked[-1]) if asked else address
            name = f"/{address}, {state}"
            # Every address is seen wide and on a phone, light and dark: its states take turns.
            number, few = len(seen.states[address]), len(STATES.get(address, ()))
            looks = LOOKS[:2] if few < 2 else LOOKS[number % 4 :][:1]
            # Django's own pages have large letters, which `below` does not tell from small ones.
            large = address.startswith("admin/")
            wholes = len(looks) if large else int(not number)
            seen.states[address].add(state)
            seen.served += [(name, served) for served in tape]
            seen.findings += [
                f"{name}: {finding}"
                for finding in look(
                    page,
                    known=seen.focused,
                    scripts=scripts,
                    looks=looks,
                    looked=seen.looked,
                    whole=wholes,
                    large=large,
                )
            ]
    finally:  # else every test after it in this process would fail
        context.close()
        site.wait_until_closed()
        site.tape = None
    seen.complaints += complaints.left


@pytest.fixture
def seen(
    _site: Site, browser: Browser, browser_context_args: dict[str, Any], django_db_blocker: Any
) -> Seen:
    """All that there is to see, looked at: by the first test that asks, for those in other
    processes too."""
    kept = Path(os.environ[FOLDER]) / "seen"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            found = look_at_all(_site, browser, browser_context_args, django_db_blocker)
            kept.write_bytes(pickle.dumps(found))
        return pickle.loads(kept.read_bytes())  # noqa: S301  # a file of our own


def look_at_all(site: Site, browser: Browser, options: dict[str, Any], blocker: Any) -> Seen:
    seen = Seen()
    with blocker.unblock():
        try:
            for walk in WALKS:
                walk_through(walk, browser, site, options, seen)
            # The names that tests give; "items" is one too, after an uploaded file.
            seen.batches = set(
                Batch.objects.filter(name__contains="-").values_list("name", flat=True)
            )
        finally:
            site.tape = None
            connections.close_all()
    return seen


def test_every_address_has_its_states_or_a_reason_to_have_none() -> None:
    every = {written for written, _example in addresses()}
    visited = {address for address in STATES if not address.isdigit()}
    missed = every - visited - set(NO_PAGE)
    assert missed == set(), "addresses that nobody visits: add them to tests/house/visits.py"
    assert visited | set(NO_PAGE) <= every, "addresses that are gone"


def test_every_page_of_an_error_is_among_what_is_visited() -> None:
    pages = {file.stem.partition("_")[0] for file in (ROOT / "templates").glob("[0-9]*.html")}
    assert pages == {address for address in STATES if address.isdigit()}


@pytest.mark.parametrize("written", list(NO_PAGE))
def test_an_address_without_a_page_has_none(client: Client, written: str) -> None:
    lea = make_user(name="lea", admin=True)
    project = make_project(slug="some-slug", leads=[lea], annotators=[lea])
    make_item(project=project)
    Upload.objects.create(
        pk=1,
        project=None if written.startswith("uploads/") else project,
        uploader=lea,
        file_name="a.csv",
        stored_at=timezone.now(),
    )
    StoredExport.objects.create(
        pk=1 if "files/<" in written else 10**6,  # the next one that is ordered has the key 1
        project=project,
        lead=lea,
        options={},
        file_name="a.xlsx",
        is_zipped=False,
        ordered_at=timezone.now(),
        made_at=timezone.now(),
    )
    ImportedRater.objects.create(pk=1, project=project, name="Dora")
    RatingFile.objects.create(pk=1, project=project, file_name="a.csv", created_at=timezone.now())
    Notice.objects.create(pk=1, user=lea, project=project, kind="added", created_at=timezone.now())
    Invitation.objects.create(
        pk=1,
        project=project,
        role="annotator",
        email="gil@example.org",
        made_by=lea,
        made_at=timezone.now(),
        expires_at=timezone.now(),
    )
    long_ago = timezone.now() - timedelta(days=40)
    token, _secret = make_token(owner=lea, project=project, days=30, now=long_ago)
    ApiToken.objects.filter(pk=token.pk).update(id=1)
    if NO_PAGE[written] == "a download":
        Rubric.objects.load(parse(SKILLS | {"slug": "some-slug"}), now=timezone.now())
    draft = RubricDraft.objects.start(SKILLS, by=lea, now=timezone.now())
    RubricDraft.objects.filter(pk=draft.pk).update(id=1)
    client.force_login(lea)
    [example] = {example for each, example in addresses() if each == written}
    answer = client.get(f"/{example}")
    if NO_PAGE[written] == "a download":
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith("attachment")
    elif NO_PAGE[written] == "an operation of the API":
        assert answer.status_code in (401, 405)
        assert answer.headers["Content-Type"] == "application/problem+json"
    elif NO_PAGE[written] == "a document":
        assert answer.headers["Content-Type"] == "application/json"
    elif NO_PAGE[written] == "a script":
        assert answer.headers["Content-Type"].startswith("text/javascript")
    elif NO_PAGE[written].startswith("of a provider"):
        assert answer.status_code == 404  # no setting names one
    elif NO_PAGE[written].startswith("a part of the desk"):
        assert answer.status_code == 404  # of no rubric
    elif NO_PAGE[written] == "what the desk fetches":
        assert answer.status_code == 200
    elif NO_PAGE[written].startswith("leads"):
        assert answer.status_code == 302
    else:
        assert answer.status_code == 302
        # Of these only the end of sign-ins has to be told which.
        assert client.post(f"/{example}", {"session": "others"}).status_code == 302


def test_every_page_was_seen_in_every_state_and_nothing_is_wrong_with_any(seen: Seen) -> None:
    assert len(seen.served) > len(STATES)
    expected = {(address, state) for address, states in STATES.items() for state in states}
    found = {(address, state) for address, states in seen.states.items() for state in states}
    of_annotators = [
        (name, served.html)
        for name, served in seen.served
        if resolve(served.address).app_name == "annotators"
    ]
    assert len(of_annotators) > 100
    assert len(seen.batches) > 10
    assert {
        "not seen": expected - found,
        "seen and not expected": found - expected,
        "axe, reach, sight and ties": seen.findings,
        "console": seen.complaints,
        "names of batches, told to annotators": [
            name for name, html in of_annotators if any(batch in html for batch in seen.batches)
        ],
    } == {
        "not seen": set(),
        "seen and not expected": set(),
        "axe, reach, sight and ties": [],
        "console": [],
        "names of batches, told to annotators": [],
    }


@pytest.mark.ci
def test_all_html_that_was_served_is_valid(seen: Seen, tmp_path: Path) -> None:
    assert check_html(seen.served, tmp_path) == []


def test_the_look_at_a_page_sees_what_is_wrong(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(BAD)
    found = "\n".join(look(page, known=set()))
    page.close()
    for fault in (
        "does not say its language",
        "has 0 h1",
        'for="nowhere" leads nowhere',
        "two things are #twice",
        "#wrong is wrong",
        "cannot be seen",
        "the foot hides <input",
        "wide, light: color-contrast",
        "wide, light: contrast of 1.",
        "phone, dark: image-alt",
        "wide, light: label-content-name-mismatch",
        "scroll sideways",
    ):
        assert fault in found


@pytest.mark.ci
def test_the_nu_html_checker_sees_what_is_wrong(tmp_path: Path) -> None:
    served = [
        ("bad", Served("GET", "/bad/", 200, "<!doctype html>" + BAD)),
        ("part", Served("GET", "/", 200, BAD_PART)),
    ]
    [*said] = check_html(served, tmp_path)
    assert any("bad (GET /bad/): error: Duplicate ID" in each for each in said)
    assert any("part (GET /): error: Element “li” not allowed" in each for each in said)
