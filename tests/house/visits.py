"""Who comes to which page, and in what state they find it: a walk through every address of the
URLconf.

A walk is a generator over a browser page. It yields the name of a state whenever the page is in it;
which address that was, the served HTML says. `STATES` is what must have been seen in the end,
address by address: an address that is missing there, or a state nobody came to, fails
tests/house/test_access.py with its name.
"""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any
from unittest import mock

import psycopg
from django.conf import settings
from django.core.cache import cache
from django.test import Client, override_settings
from django.utils import timezone
from playwright.sync_api import FilePayload, expect

from annotators.accounts.reset_emails import answer_resets
from annotators.models import User
from config import outage
from config.lab_provider import LabProvider
from rubrics.documents.shipped import content
from rubrics.models import RubricDraft
from tasks.cases.asking import Subject, ask
from tasks.cases.case import cases_of
from tasks.cases.deciding import Choice, decide_case
from tasks.cases.rating_views import ratings_of
from tasks.importing.after_import import recount
from tasks.models import (
    Batch,
    Concern,
    Item,
    Membership,
    Notice,
    Project,
    ReturnedRating,
    StoredExport,
    Workday,
)
from tasks.models.dropping import decide_dropped
from tasks.models.list_renewal import renew_entry
from tasks.models.replies import reply_to
from tests.addresses import API, addresses
from tests.factories import (
    NOW,
    PASSWORD,
    imported_rating,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)
from tests.made_rubrics import ANSWERS
from tests.resets import link_of_last_email
from tests.visitor import Visitor, Walk
from tests.worker import work, work_on_files

from .visits_at_desk import (
    DESK_WALKS,
    without_javascript,
)
from .visits_at_once import (
    AT_ONCE_NO_PAGE,
    AT_ONCE_STATES,
    settling_at_once,
)
from .visits_erasing import ERASING_STATES, erasing
from .visits_going_back import (
    going_back,
    going_back_without_javascript,
)
from .visits_invited import (
    inviting,
    joining,
)
from .visits_of_versions import versions
from .visits_practising import (
    PRACTICE_NO_PAGE,
    PRACTICE_STATES,
    leading_practice,
    practising,
    practising_without_javascript,
)
from .visits_settling import (
    SETTLING_STATES,
    adjudicating,
    settling,
    settling_blind,
    settling_without_javascript,
)
from .visits_to_admin import (
    ADMINS_NO_PAGE,
    ADMINS_STATES,
    accounts,
    looking_up,
)
from .visits_to_rubrics import (
    RUBRICS_NO_PAGE,
    RUBRICS_STATES,
    starting,
    writing,
)
from .visits_to_tokens import TOKENS_NO_PAGE, TOKENS_STATES, making_tokens

ROWS = "id;prompt;model;response\n1;Why?;heron;So.\n2;How?;heron\n1;Why?;wren;\n"
SHEET = "question,answer,Anna,Ben,Cem\n" + "".join(
    f"Why {number}?,So.,{1 + number % 5},{2 + number % 3},{3.5 if number == 4 else 2}\n"
    for number in range(9)
)
FILE = ROWS + ";When?;wren;<b>Now</b>\n" * 5  # bad rows of two kinds, more of one than are shown
DESK, LEASE = "projects/<slug:slug>/desk/", "projects/<slug:slug>/desk/<int:lease>/"
PROJECT = "projects/<slug:slug>/"
TRY = "rubric-drafts/<int:pk>/try/<int:number>/"
BESIDE = "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/"
RATINGS, RATING = f"{PROJECT}ratings/", f"{PROJECT}ratings/<int:pk>/"

# Address → the states in which it was seen. A number instead of an address: the page of that
# status.
STATES: dict[str, set[str]] = {
    "accounts/login/": {
        "to join",
        "empty",
        "refused",
        "too many attempts",
        "by the lab",
    },
    "accounts/logout/": {"asked"},
    "accounts/inactive/": {"told"},
    "accounts/reauthenticate/": {"empty", "refused", "a token made"},
    "accounts/password/change/": {"empty", "refused", "handed out"},
    "accounts/password/set/": {"empty", "refused"},
    "accounts/password/reset/": {"empty", "refused"},
    "accounts/password/reset/done/": {"told"},
    "accounts/password/reset/key/<base36:uidb36>-<key>/": {"empty", "refused", "barred"},
    "accounts/password/reset/key/done/": {"told"},
    "join/<str:token>/": {
        *("by link", "by e-mail", "to lead", "to adjudicate", "not theirs"),
        *("refused", "with an account", "signed in"),
    },
    "": {"in no project", "full", "leads nothing yet", "adjudicates"},
    "inbox/": {"empty", "full", "second page", "a reply to an adjudicator"},
    "profile/": {"full", "refused", "stored", "signed in elsewhere", "signed out elsewhere"},
    "work/": {"empty", "full", "second page"},
    "rubrics/<slug:slug>/<int:version>/scores/": {"response-quality"},
    "rubric-drafts/<int:pk>/scores/": {"with faults, some rows left out"},
    "rubrics/<slug:slug>/<int:version>/": {"response-quality", "dialogue", "second version"},
    "rubric-drafts/<int:pk>/changes/": {"full"},
    "projects/new/": {"empty", "refused"},
    "projects/new/sheet/": {"without a file"},
    "uploads/<int:pk>/": {"ratings"},
    PROJECT: {
        *("empty", "not begun", "full", "paused", "several dimensions", "invitations wait"),
        *("stays on a version", "may move to a version", "short of people, some dropped"),
    },
    f"{PROJECT}rubric/<int:version>/": {"with the tabs", "to an adjudicator"},
    f"{PROJECT}items/": {
        *("empty", "full", "loaded", "second page", "old"),
        *("filtered", "nothing found", "bad address"),
    },
    f"{PROJECT}items/<int:pk>/": {
        *("not rated", "full", "models shown", "imported ratings", "flagged", "dropped"),
        "decided",
    },
    f"{PROJECT}items/<int:pk>/drop/": {"refused"},
    f"{PROJECT}disagreements/<str:token>/ask/": {"asked", "refused"},
    f"{PROJECT}items/<int:pk>/panel/": {"refused", "a reply refused", "gone"},
    f"{PROJECT}people/": {
        "alone",
        "full",
        "full of invitations",
        "some wait",
        "link over",
        "names hidden",
        "imported raters",
    },
    f"{PROJECT}invitations/": {"refused"},
    f"{PROJECT}invitations/link/": {"refused", "no link yet, refused"},
    f"{PROJECT}invitations/list/": {"refused", "checked"},
    f"{PROJECT}export/": {"full", "of a list", "bad address"},
    f"{PROJECT}export/files/<int:pk>/": {"waits", "ready", "not made"},
    f"{PROJECT}settings/": {"full", "refused"},
    f"{PROJECT}duplicate/": {"refused"},
    f"{PROJECT}preview/": {"example", "full", "without JavaScript"},
    f"{PROJECT}preview/verdict/": {"barred", "sets appear", "without JavaScript"},
    f"{PROJECT}preview/submit/": {"refused", "would be stored"},
    f"{PROJECT}preview/texts/": {"as text"},
    f"{PROJECT}preview/corpus/": {"full"},
    TRY: {"never read", "full"},
    f"{TRY}verdict/": {"barred"},
    f"{TRY}submit/": {"refused", "would be stored"},
    f"{TRY}texts/": {"as text"},
    f"{TRY}corpus/": {"full"},
    f"{TRY}panel/": {"full", "candidate set"},
    "rubric-drafts/<int:pk>/try/paste/": {"refused"},
    f"{PROJECT}agreement/": {"empty", "full", "another measure", "imported ratings"},
    f"{PROJECT}agreement/<slug:table>.csv": {"refused"},
    f"{PROJECT}batches/<int:pk>/": {"full", "refused"},
    f"{PROJECT}upload/": {"empty", "without a file", "files of today"},
    f"{PROJECT}upload/<int:pk>/": {
        *("bad rows", "with the worker", "refused", "imported in part"),
    },
    f"{PROJECT}members/": {"refused"},
    f"{PROJECT}ratings.csv": {"refused"},
    DESK: {
        *(
            "to start",
            "practice",
            "all out",
            "batches paused",
            "batches closed",
            "paused",
            "closed",
            "nothing left",
            "dropped",
        ),
        *("as many as a day may bring", "as many with a warning as a day may bring"),
        *(
            "response-quality",
            "dialogue",
            "a look-up over time",
            "help",
            "what is missing, with the rubric",
            "pause",
            "skipping",
            "came back",
            "covered",
            "consequences held back",
            "the first of a text, a picture folded",
            "without JavaScript",
        ),
    },
    f"{LEASE}open/": {"opened", "not opened"},
    f"{LEASE}texts/": {"rendered", "differences"},
    f"{LEASE}draft/": {"saved", "written elsewhere", "submitted elsewhere"},
    f"{LEASE}verdict/": {
        "barred",
        "a barred score asked for",
        "nothing to look up",
        "a claim looked up",
        "a claim refuted",
        "without JavaScript",
        "sets appear",
        "corpus answered",
        *("long over", "long over, rated elsewhere"),
    },
    f"{LEASE}submit/": {"refused", "asked again", "next item", "nothing left"},
    f"{LEASE}skip/": {"refused", "next item, after many skips"},
    f"{LEASE}flag/": {"refused", "told"},
    f"{LEASE}renew/": {"ended"},
    f"{LEASE}corpus/": {"full", "nothing found", "on the desk"},
    **ADMINS_STATES,
    **TOKENS_STATES,
    **ERASING_STATES,
    **RUBRICS_STATES,
    **PRACTICE_STATES,
    **AT_ONCE_STATES,
    **SETTLING_STATES,
    RATINGS: {"empty", "full", "found", "nothing found"},
    RATING: {
        *("open", "begun", "came back", "read-only", "read-only, begun", "without JavaScript"),
        "beside its rating",
    },
    f"{RATING}verdict/": {"barred", "without JavaScript"},
    f"{RATING}draft/": {"saved", "written elsewhere"},
    f"{RATING}correct/": {"stored", "refused", "outdated", "read-only"},
    "400": {"too many fields"},
    "403": {"not theirs", "form of an earlier log-in", "form without a log-in"},
    "404": {"nothing there", "link cut off"},
    "410": {"ran out", "withdrawn", "used", "link used up"},
    "413": {"too large"},
    "429": {"too many requests"},
    "500": {"broken"},
    "503": {"database away", "kept to send again", "the lab's provider away"},
}

# Addresses that never answer with a page of their own, each with what they do instead.
NO_PAGE = {
    **{written: "an operation of the API" for written, _ in addresses() if written.startswith(API)},
    f"{API}openapi.json": "a document",
    "api/client.py": "a download",
    f"{PROJECT}upload/<int:pk>/faults.csv": "a download",
    "uploads/<int:pk>/faults.csv": "a download",
    "examples/": "a download",
    "accounts/lab/": "of a provider: leads to it",
    "accounts/lab/callback/": "of a provider: leads on from it",
    f"{PROJECT}export/files/": "takes a form, and leads to the file",
    f"{PROJECT}export/files/<int:pk>/file/": "a download",
    f"{PROJECT}days.csv": "a download",
    f"{PROJECT}hours.csv": "a download",
    f"{PROJECT}members/<int:user>/": "takes a form, and leads to the people",
    f"{PROJECT}raters/<int:pk>/": "takes a form, and leads to the people",
    f"{PROJECT}raters/files/<int:pk>/": "takes a form, and leads to the people",
    f"{PROJECT}invitations/<int:pk>/send/": "takes a form, and leads to the people",
    f"{PROJECT}invitations/<int:pk>/withdraw/": "takes a form, and leads to the people",
    f"{PROJECT}status/": "takes a form, and leads to the project",
    f"{PROJECT}delete/": "takes a form, and leads to the settings",
    f"{PROJECT}rubric/": "takes a form, and leads to the project",
    f"{PROJECT}rubric/offer/": "takes a form, and leads to the settings",
    f"{PROJECT}models/": "takes a form, and leads to the item or the list",
    "work/own-data.csv": "a download",
    "profile/sessions/end/": "takes a form, and leads to the profile",
    "inbox/<int:pk>/": "takes a form, and leads to what a notice is about",
    "inbox/read/": "takes a form, and leads to the inbox",
    f"{DESK}start/": "takes a form, and leads to the desk",
    BESIDE: "a part of the desk, of a rubric",
    f"{RATINGS}last/": "leads to the last rating",
    **ADMINS_NO_PAGE,
    **TOKENS_NO_PAGE,
    **RUBRICS_NO_PAGE,
    **PRACTICE_NO_PAGE,
    **AT_ONCE_NO_PAGE,
    f"{BESIDE}practice/": "a part of the desk",
    f"{BESIDE}<str:consequences>/": "a part of the desk",
}


# --- passwords and log-in ---


def logging_in(visitor: Visitor) -> Walk:
    """Log in, and be told why not."""
    page = visitor.page
    make_user(name="ada")
    visitor.go("/accounts/login/")
    yield "empty"
    for state in ("refused", "too many attempts"):
        with override_settings(ACCOUNT_RATE_LIMITS={"login_failed": "1/5m/key"}):
            page.get_by_label("Name or e-mail").fill("ada")
            page.get_by_label("Password", exact=True).fill("not this")
            with page.expect_navigation():
                visitor.press("Sign in")
            expect(page.locator(".errorlist")).to_be_visible()
            yield state
    visitor.complaints.allow("status of 429 ")
    with override_settings(ACCOUNT_RATE_LIMITS={"login": "1/m/ip"}):
        cache.clear()
        for _ in range(2):
            page.get_by_label("Password", exact=True).fill("not this")
            with page.expect_navigation():
                visitor.press("Sign in")
        expect(page.locator("h1")).to_contain_text("Too many requests")
        yield "too many requests"
    cache.clear()
    lab = LabProvider("http://127.0.0.1:9", "evenhand", "secret", "Example Lab")
    with override_settings(LAB_PROVIDER=lab, PASSWORDS="createsuperuser"):
        visitor.go("/accounts/login/")
        yield "by the lab"
        visitor.complaints.allow("status of 503 ")
        visitor.press("Sign in with Example Lab")
        expect(page.locator("h1")).to_contain_text("You are not signed in")
        yield "the lab's provider away"


def passwords(visitor: Visitor) -> Walk:
    """Forget a password, get another, change it."""
    page = visitor.page
    max_ = make_user(name="max", email="max@example.org")
    visitor.go("/accounts/inactive/")
    yield "told"
    visitor.go("/accounts/password/reset/")
    yield "empty"
    page.get_by_role("textbox").fill("max@example")
    page.locator("form.stack").evaluate("form => { form.noValidate = true; }")
    page.locator("form.stack button").click()
    expect(page.locator(".errorlist")).to_be_visible()
    yield "refused"
    page.get_by_role("textbox").fill("max@example.org")
    page.locator("form.stack button").click()
    page.wait_for_url("**/done/")
    yield "told"
    answer_resets(timezone.now())
    link = link_of_last_email()
    visitor.go(link)
    yield "empty"
    for field in page.locator("[type=password]").all():
        field.fill("short")
    page.get_by_role("button", name="Save the password").click()
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"
    for field in page.locator("[type=password]").all():
        field.fill(f"another {PASSWORD}")
    page.get_by_role("button", name="Save the password").click()
    page.wait_for_url("**/key/done/")
    yield "told"
    visitor.go(link)
    yield "barred"
    max_.refresh_from_db()
    visitor.become(max_)
    for address in ("/accounts/password/change/", "/accounts/reauthenticate/"):
        visitor.go(address)
        yield "empty"
        for field in page.locator("[type=password]").all():
            field.fill("not this")
        page.locator("form.stack button").click()
        expect(page.locator(".errorlist").first).to_be_visible()
        yield "refused"
    User.objects.filter(pk=max_.pk).update(must_change_password=True)
    visitor.go("/profile/")
    yield "handed out"
    User.objects.filter(pk=max_.pk).update(must_change_password=False)
    visitor.go("/accounts/logout/")
    yield "asked"
    max_.set_unusable_password()
    max_.save()
    visitor.become(max_)
    visitor.go("/accounts/password/set/")
    yield "empty"
    for field in page.locator("[type=password]").all():
        field.fill("short")
    page.locator("form.stack button").click()
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"


# --- what everyone has, and what leads have ---


def own_pages(visitor: Visitor) -> Walk:
    """The start page, the profile, the rubrics."""
    page = visitor.page
    visitor.become(make_user(name="nobody"))
    visitor.go("/")
    yield "in no project"
    visitor.go("/work/")
    yield "empty"
    visitor.go("/inbox/")
    yield "empty"
    visitor.become(make_user(name="chief", admin=True))
    visitor.go("/")
    yield "leads nothing yet"
    pat = make_user(name="pat")
    rated = make_project(title="Rated", annotators=[pat], most_daily=5)
    mine = make_rating(item=make_item(project=rated), annotator=pat, now=timezone.now())
    make_lease(item=make_item(project=rated), annotator=pat, now=timezone.now())
    ReturnedRating.objects.send_back(mine, "Again.", cause="flag 1", now=timezone.now())
    make_item(project=make_project(title="Not begun", annotators=[pat]))
    make_project(title="Rated and paused", annotators=[pat], leads=[pat], status="paused")
    make_project(
        title="L" + "ong" * 60, rubric=make_rubric(slug="dialogue"), annotators=[pat], leads=[pat]
    )
    make_project(title="Long ago", leads=[pat]).archive(now=timezone.now())
    visitor.become(pat)
    visitor.go("/")
    page.locator(".archived > summary").click()
    yield "full"
    visitor.go("/profile/")
    yield "full"
    page.get_by_label("Skip the item").fill("7")
    page.get_by_label("Flag the item").fill("Q")
    page.get_by_label("Show or hide the rubric").fill("Q")
    visitor.press("Save")
    expect(page.locator(".errorlist")).to_have_count(3)
    yield "refused"
    visitor.go("/profile/")
    visitor.press("Save")
    expect(page.locator(".messages")).to_be_visible()
    yield "stored"
    for agent in ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "L" + "ong" * 60, ""):
        elsewhere = Client(headers={"User-Agent": agent})
        elsewhere.post("/accounts/login/", {"login": "pat", "password": PASSWORD})
    visitor.go("/profile/")
    yield "signed in elsewhere"
    visitor.press("Sign out everywhere else")
    expect(page.locator(".messages")).to_be_visible()
    yield "signed out elsewhere"
    for slug in ("response-quality", "dialogue"):
        visitor.go(f"/rubrics/{slug}/1/")
        yield slug
    visitor.go("/rubrics/response-quality/1/")
    page.get_by_role("link", name="Which scores are open").click()
    yield "response-quality"
    draft = RubricDraft.objects.start(ANSWERS, by=pat, now=timezone.now())
    draft.keep(draft.content | {"summary": ""}, by=pat, now=timezone.now())
    with mock.patch("rubrics.pages.score_tables.MOST_WORK", 10_000):
        visitor.go(f"/rubric-drafts/{draft.pk}/scores/")
    expect(page.get_by_text("Some rows are left out").first).to_be_visible()
    yield "with faults, some rows left out"


def make_history(project: Project) -> None:
    """Days of work, someone who stopped, someone far faster than the others, and a flag."""
    now, fay = timezone.now(), make_user(name="fay")
    project.admit(fay, role=Membership.Role.ANNOTATOR)
    for ago in (21, 20, 19):
        make_rating(item=make_item(project=project), annotator=fay, now=now - timedelta(days=ago))
    Workday.objects.filter(project=project).update(recent=[200] * 20)
    Workday.objects.filter(project=project, annotator__username="ben").update(recent=[50] * 20)
    lease = make_lease(item=make_item(project=project), annotator=fay, now=now)
    lease.flag(reason="broken", note="This-goes-on-and-on" * 20, now=now)
    lease.release(now=now)


def made_by_a_worker(visitor: Visitor) -> Walk:
    """Have a workbook made that is too large for a request."""
    heading = visitor.page.get_by_role("heading", level=2)
    with mock.patch("tasks.exporting.views.MOST_ROWS_AT_ONCE", 0):
        visitor.go("/projects/eggs/export/?shape=scores&format=xlsx")
        visitor.press("Have it made")
    expect(heading).to_have_text("The file waits")
    yield "waits"
    work()
    expect(heading).to_have_text("The file is ready")
    yield "ready"
    order = StoredExport.objects.get()
    order.made_at = None
    order.save(update_fields=["made_at"])
    order.refuse("Row 1 has a text of 40,000 letters.")
    visitor.go(f"/projects/eggs/export/files/{order.pk}/")
    yield "not made"


def leading(visitor: Visitor) -> Walk:
    """A project from its first day on."""
    page = visitor.page
    lea, ben = make_user(name="lea"), make_user(name="ben")
    new = make_project(slug="new", title="New", leads=[lea])
    visitor.become(lea)
    visitor.go("/projects/new/")
    yield "empty"
    visitor.send("/projects/new/", title=" ", wanted="0")
    yield "refused"
    visitor.go(f"/projects/{new.slug}-one/", status=404)
    yield "nothing there"
    project = make_project(slug="eggs", title="Eggs", leads=[lea])
    visitor.go("/projects/eggs/")
    yield "empty"
    visitor.go("/projects/eggs/items/")
    yield "empty"
    visitor.go("/projects/eggs/upload/")
    yield "empty"
    upload = page.get_by_label("File", exact=True)
    visitor.send("/projects/eggs/upload/")
    yield "without a file"
    upload.set_input_files({"name": "items.csv", "mimeType": "text/csv", "buffer": FILE.encode()})
    visitor.press("Upload")
    yield "with the worker"
    work_on_files()
    expect(page.get_by_text("6 rows can’t be loaded")).to_be_visible()
    yield "bad rows"
    page.get_by_label("Name of the batch").fill("x")
    visitor.press("Import 1 item")
    work_on_files()
    expect(page.get_by_text("Imported as batch “x”")).to_be_visible()
    yield "imported in part"
    visitor.go("/projects/eggs/upload/")
    yield "files of today"
    upload.set_input_files({"name": "items.xml", "mimeType": "text/xml", "buffer": b"<a/>"})
    visitor.press("Upload")
    work_on_files()
    expect(page.get_by_text("is of a format that is not read")).to_be_visible()
    yield "refused"
    visitor.go("/projects/eggs/upload/")
    good = FILE.replace("1;", "3;").partition("2;")[0]
    upload.set_input_files({"name": "more.csv", "mimeType": "text/csv", "buffer": good.encode()})
    visitor.press("Upload")
    work_on_files()
    visitor.press("Import 1 item")
    work_on_files()
    expect(page.get_by_text("Imported as batch “more”")).to_be_visible()
    visitor.go("/projects/eggs/items/")
    yield "loaded"
    project.admit(ben, role=Membership.Role.ANNOTATOR)
    visitor.go("/projects/eggs/")
    page.locator("#status-menu > summary").click()
    yield "not begun"
    make_rating(item=Item.objects.filter(project=project).earliest("pk"), annotator=ben)
    paused = make_batch(project=project, name="a-name-without-a-break" * 8, status="paused")
    visitor.go("/projects/eggs/")
    page.locator("#status-menu > summary").click()
    visitor.press("Pause")
    expect(page.get_by_text("The project is paused.")).to_be_visible()
    page.locator("#status-menu > summary").click()
    yield "paused"
    visitor.press("Open")
    for tab in ("items", "people", "export"):
        visitor.go(f"/projects/eggs/{tab}/")
        yield "full"
    visitor.go("/projects/eggs/ratings.csv?batches=none&since=2026-03-02")
    yield "refused"
    yield from made_by_a_worker(visitor)
    visitor.go("/projects/eggs/people/")
    page.get_by_label("Name", exact=True).fill("whoever")
    visitor.press("Add member")
    expect(page.get_by_text("There is no account named")).to_be_visible()
    yield "refused"
    visitor.go("/projects/eggs/agreement/")
    yield "empty"
    for person in (ben, make_user(name="cleo-who-has-a-long-name"), make_user(name="dina")):
        for value, item in enumerate(project.items.order_by("pk")[:2], start=4):
            if not item.ratings.filter(annotator=person).exists():
                make_rating(item=item, annotator=person, values={1: value})
    work()
    visitor.go("/projects/eggs/agreement/")
    expect(page.get_by_role("heading", name="Pairs")).to_be_visible()
    page.get_by_text("Table", exact=True).click()
    page.get_by_text("How this is computed").click()
    yield "full"
    visitor.go("/projects/eggs/agreement/?measure=same&revisions=first")
    yield "another measure"
    visitor.go("/projects/eggs/agreement/pairs.csv?measure=luck")
    yield "refused"
    with mock.patch("tasks.item_pages.listing.ON_A_PAGE", 1):
        visitor.go("/projects/eggs/items/?after=1")
        yield "second page"
    for list_or_export, states in (
        ("items", {"low=9&q=so": "bad address", "q=nowhere": "nothing found"}),
        ("export", {"low=9": "bad address", "q=so&low=2": "of a list"}),
    ):
        for query, state in states.items():
            visitor.go(f"/projects/eggs/{list_or_export}/?{query}")
            yield state
    visitor.go("/projects/eggs/items/?sort=-spread&low=2&flagged=")
    page.locator("summary", has_text="Score").click()
    yield "filtered"
    with mock.patch("tasks.item_pages.list_views.missing_since", return_value=NOW):
        visitor.go("/projects/eggs/items/")
        yield "old"
    read = make_item(project=project, persona=["I sing."], warning="It may upset.")
    visitor.go(f"/projects/eggs/items/{read.pk}/")
    yield "not rated"
    for person, value in ((ben, 3), (make_user(name="emil"), 6)):
        project.admit(person, role=Membership.Role.ANNOTATOR)
        asked = make_rating(
            item=read,
            annotator=person,
            values={1: value},
            comments={1: "Long-" * 40},
            facts=[(1, "It is so.", "holds", "")],
        )
    ReturnedRating.objects.send_back(asked, "Why-" * 40, cause="lead", now=timezone.now())
    visitor.go(f"/projects/eggs/items/{read.pk}/")
    yield "full"
    visitor.press("Show models")
    yield "models shown"
    panel = f"/projects/eggs/items/{read.pk}/panel/"
    question = {"ask-rating": str(asked.pk), "ask-question": " "}
    visitor.send(panel, act="ask", **question)
    yield "refused"
    case_form = {"act": "decide-quality", "decide-quality-choice": "anew"}
    visitor.send(panel, **case_form, **{"decide-quality-score": "99"})
    yield "refused"
    visitor.send(panel, act="decide-courage")
    yield "gone"
    renew_entry(read)
    case_address = f"/projects/eggs/disagreements/{read.cases.order_by('place')[0].token}"
    visitor.send(f"{case_address}/ask/", to="all", text=" ")
    yield "refused"
    ask(Subject(read), ratings_of(read), "Why-" * 40, by=lea, now=timezone.now())
    visitor.go(f"{case_address}/ask/")
    yield "asked"
    case = cases_of(read, read.responses.order_by("position")[0].pk, ratings_of(read))[0]
    choice = Choice(None, 5, "rubric", "Because-" * 30)
    decide_case(case, choice, version=case.version, by=lea, now=timezone.now())
    visitor.go(f"/projects/eggs/items/{read.pk}/")
    yield "decided"
    make_history(project)
    visitor.go("/projects/eggs/")
    page.locator("#days-table > summary").click()
    expect(page.get_by_text("far faster than the others")).to_be_visible()
    yield "full"
    spoken = make_project(slug="spoken", rubric=make_rubric(slug="dialogue"), leads=[lea])
    make_rating(item=make_item(project=spoken), annotator=ben, now=timezone.now())
    visitor.go("/projects/spoken/")
    yield "several dimensions"
    visitor.go("/projects/eggs/settings/")
    yield "full"
    visitor.send("/projects/eggs/settings/", wanted="0", lease_minutes="0")
    yield "refused"
    visitor.send("/projects/eggs/duplicate/", title=" ")
    yield "refused"
    visitor.go(f"/projects/eggs/batches/{paused.pk}/")
    yield "full"
    visitor.send(f"/projects/eggs/batches/{paused.pk}/", priority="5000")
    yield "refused"


def imported_ratings(visitor: Visitor) -> Walk:
    """A sheet as it is looked at, and a project made of one, in which some scores break rules."""
    lea = make_user(name="lea-imports", admin=True)
    project = make_project(slug="sheet", leads=[lea], imported="places")
    visitor.become(lea)
    visitor.go("/projects/new/")
    visitor.send("/projects/new/sheet/")
    yield "without a file"
    sheet: FilePayload = {
        "name": "more.csv",
        "mimeType": "text/csv",
        "buffer": SHEET.encode(),
    }
    visitor.page.get_by_label("File", exact=True).set_input_files(sheet)
    visitor.press("Look at the file")
    work_on_files()
    expect(visitor.page.get_by_label("Scale of quality")).to_be_visible()
    yield "ratings"
    rule = project.rubric.schema.dimensions[0].rules[0].code
    for number in range(1, 4):
        item = make_item(project=project)
        for place, name in enumerate(("Dora", "Eli", "A-name-without-a-break" * 4)):
            values = {1: 1 + (number + 2 * place) % 7, 2: 1 + number}
            imported_rating(item=item, by=name, values=values, breaks={1: [rule]})
    imported_rating(item=make_item(project=project), by="Dora", values={1: 2, 2: 3})
    recount(project, now=NOW)
    work()
    visitor.go("/projects/sheet/agreement/")
    yield "imported ratings"
    visitor.go(f"/projects/sheet/items/{item.pk}/")
    yield "imported ratings"
    visitor.go("/projects/sheet/people/")
    yield "imported raters"


def previewing(visitor: Visitor) -> Walk:
    """The desk as a lead tries it."""
    page = visitor.page
    lea = make_user(name="lea-tries")
    project = make_project(slug="tried", leads=[lea])
    visitor.become(lea)
    visitor.go("/projects/tried/preview/")
    visitor.settle()
    yield "example"
    make_item(project=project, responses=["Two."], warning="Long-" * 40)
    visitor.go("/projects/tried/preview/")
    visitor.settle()
    yield "full"
    page.get_by_label("Language error").check()
    expect(page.locator("#r1-quality .level.barred").first).to_be_visible()
    visitor.settle()
    yield "barred"
    page.locator("#submit").click()
    expect(page.locator(".summary.errors")).to_be_visible()
    visitor.settle()
    yield "refused"
    page.locator("#look-view").click()
    expect(page.locator("#look-view")).to_have_attribute("aria-pressed", "false")
    yield "as text"
    visitor.go("/projects/tried/preview/")
    visitor.settle()
    page.locator("[data-best]").first.click()
    visitor.settle()
    page.locator("#r1-quality-7").check()
    visitor.settle()
    page.locator("#submit").click()
    expect(page.get_by_text("A submit would store this")).to_be_visible()
    visitor.settle()
    yield "would be stored"
    talk = make_project(slug="tried-talk", rubric=make_rubric(slug="dialogue"), leads=[lea])
    batch = make_batch(project=talk)
    for number in range(7):
        said = [("gull", f"reply {number}"), ("gull", f"other {number}")]
        make_item(batch=batch, messages=[("user", f"turn {number}")], responses=said)
    visitor.go("/projects/tried-talk/preview/")
    for key in ("r1", "r2"):
        for _ in ("quality", "coherence"):
            expect(page.locator(f"#{key} [data-row].current")).to_be_visible()
            page.keyboard.type("4")
            visitor.settle()
    expect(page.locator("#s1-diversity")).to_be_visible()
    yield "sets appear"
    visitor.go("/projects/tried-talk/preview/corpus/?model=m1")
    yield "full"


def trying_a_draft(visitor: Visitor) -> Walk:
    """The desk, and the panel beside the editor, under a rubric that is not published yet."""
    page = visitor.page
    lea = make_user(name="lea-drafts")
    visitor.become(lea)
    unread = {"slug": "unread", "title": "Unread", "dimensions": []}
    nothing = RubricDraft.objects.start(unread, by=lea, now=timezone.now())
    visitor.go(f"/rubric-drafts/{nothing.pk}/try/1/")
    yield "never read"
    talk: Any = copy.deepcopy(content("dialogue"))
    draft = RubricDraft.objects.start(talk, by=lea, now=timezone.now())
    where = f"/rubric-drafts/{draft.pk}/try"
    visitor.go(f"{where}/1/panel/?dimension=diversity")
    sets = page.get_by_label("Try on").input_value()
    yield "candidate set"
    visitor.go(f"{where}/1/panel/")
    page.get_by_label("Grammar errors").check()
    expect(page.locator("#try .level.barred").last).to_be_visible()
    yield "full"
    visitor.send(f"{where}/paste/", first="x" * 20_001)
    yield "refused"
    visitor.go(f"{where}/1/")
    visitor.settle()
    yield "full"
    page.get_by_label("Grammar errors").check()
    expect(page.locator("#r1-quality .level.barred").first).to_be_visible()
    visitor.settle()
    yield "barred"
    page.locator("#submit").click()
    expect(page.locator(".summary.errors")).to_be_visible()
    visitor.settle()
    yield "refused"
    page.locator("#look-view").click()
    expect(page.locator("#look-view")).to_have_attribute("aria-pressed", "false")
    yield "as text"
    for row in ("quality", "coherence"):
        page.locator(f"#r1-{row}-3").check()
        visitor.settle()
    page.locator("#submit").click()
    expect(page.get_by_text("A submit would store this")).to_be_visible()
    visitor.settle()
    yield "would be stored"
    visitor.go(f"{where}/{sets}/corpus/?model=m1")
    yield "full"


def previewing_without_javascript(visitor: Visitor) -> Walk:
    """The same without scripts."""
    lea = make_user(name="lea-without")
    project = make_project(slug="plain-preview", leads=[lea])
    make_item(project=project, responses=["Two."])
    visitor.become(lea)
    visitor.go("/projects/plain-preview/preview/")
    yield "without JavaScript"
    visitor.page.get_by_label("Language error").check()
    visitor.press("Check")
    yield "without JavaScript"


def deciding(visitor: Visitor) -> Walk:
    """What annotators told of items."""
    lea, ben = make_user(name="lea-too"), make_user(name="ben-too")
    project = make_project(slug="told", leads=[lea], annotators=[ben])
    visitor.become(lea)
    batch = make_batch(project=project)
    lease = make_lease(item=make_item(batch=batch), annotator=ben, now=timezone.now())
    note = "This-goes-on-and-on" * 20
    lease.flag(reason="broken", note=note, now=timezone.now())
    lease.skip(reason="distressing", note=note, now=timezone.now())
    concern = Concern.objects.filter(project=project).latest("pk")
    there = f"/projects/told/items/{concern.item_id}/"
    visitor.go(there)
    yield "flagged"
    reply = f"reply-{concern.pk}"
    visitor.send(f"{there}panel/", act=reply, **{f"{reply}-decision": "perhaps"})
    yield "a reply refused"
    visitor.send(f"{there}drop/", act="drop")
    yield "refused"
    reply_to(concern, Concern.Decision.DROP, by=lea, now=timezone.now(), answer="Thank you.")
    visitor.go(there)
    yield "dropped"
    held = make_item(batch=batch)
    make_item(batch=batch)
    make_lease(item=held, annotator=ben, now=timezone.now())
    decide_dropped(held, True, why="Faulty.", by=lea, now=timezone.now())
    visitor.go("/projects/told/")
    yield "short of people, some dropped"
    for title in ("Told", "L" + "ong" * 60):
        other = make_project(title=title, annotators=[ben], shows_own_agreement=True)
        done = make_batch(project=other)
        for _number in range(20):
            item = make_item(batch=done)
            for person, value in ((ben, 6), (lea, 7)):
                make_rating(item=item, annotator=person, values={1: value}, now=timezone.now())
        Batch.objects.filter(pk=done.pk).update(status="closed")
        rating = make_rating(
            item=make_item(batch=make_batch(project=other)),
            annotator=ben,
            now=timezone.now(),
            active_seconds=9,
        )
    ReturnedRating.objects.send_back(rating, "Why-" * 60, cause="flag 1", now=timezone.now())
    visitor.become(ben)
    visitor.go("/projects/told/desk/")
    yield "dropped"
    visitor.go("/work/")
    yield "full"
    visitor.go("/work/?page=2&month=2020-01")
    yield "second page"
    Notice.objects.filter(user=ben, kind="decision").update(read_at=timezone.now())
    visitor.go("/inbox/")
    yield "full"
    with mock.patch("annotators.inbox.ON_A_PAGE", 1):
        newest = Notice.objects.of(ben)[0]
        visitor.go(f"/inbox/?notice={newest.pk}")
        yield "second page"


# --- errors ---


def errors(visitor: Visitor) -> Walk:
    """The pages of what went wrong."""
    page = visitor.page
    visitor.become(make_user(name="eve"))
    visitor.go("/projects/new/", status=403)
    yield "not theirs"
    visitor.go("/profile/")
    with override_settings(DATA_UPLOAD_MAX_NUMBER_FIELDS=2):
        visitor.complaints.allow("status of 400 ")
        visitor.send("/profile/", one="1", two="2")
        yield "too many fields"
    visitor.go("/profile/")
    with override_settings(LARGEST_FORM=1):
        visitor.complaints.allow("status of 413 ")
        visitor.send("/profile/", one="1")
        yield "too large"
    visitor.go("/profile/")
    page.context.clear_cookies(name=settings.CSRF_COOKIE_NAME)
    visitor.press("Save")
    expect(page.locator("h1")).to_contain_text("has expired")
    yield "form of an earlier log-in"
    visitor.complaints.allow("status of 50[03] ")
    with mock.patch("annotators.home.render", side_effect=RuntimeError("on purpose")):
        visitor.go("/", status=500)
        yield "broken"
    with mock.patch.object(outage.last_wait, "is_fresh", return_value=True):
        visitor.go("/", status=503)
        yield "database away"
    visitor.go("/profile/")
    full = psycopg.errors.DiskFull("on purpose")
    with mock.patch("annotators.accounts.profile.ProfileForm.is_valid", side_effect=full):
        visitor.press("Save")
        expect(page.get_by_role("button", name="Send again")).to_be_visible()
        yield "kept to send again"


WALKS = (
    logging_in,
    passwords,
    own_pages,
    leading,
    imported_ratings,
    previewing,
    trying_a_draft,
    previewing_without_javascript,
    deciding,
    starting,
    writing,
    inviting,
    joining,
    accounts,
    looking_up,
    making_tokens,
    erasing,
    versions,
    adjudicating,
    settling,
    settling_at_once,
    settling_blind,
    settling_without_javascript,
    *DESK_WALKS,
    going_back,
    going_back_without_javascript,
    practising,
    practising_without_javascript,
    leading_practice,
    errors,
)
WITHOUT_JAVASCRIPT = (
    without_javascript,
    going_back_without_javascript,
    practising_without_javascript,
    previewing_without_javascript,
    settling_without_javascript,
)
