"""Walks through the desk in all its states; tests/house/visits.py says what a walk is."""

from __future__ import annotations

from datetime import timedelta
from unittest import mock

from django.utils import timezone
from playwright.sync_api import expect

from annotators.models import Session
from tasks.models import Draft, Lease, Project, Rating, ReturnedRating
from tests.desk_keys import SAVED
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)
from tests.visitor import Visitor, Walk

LONG = "Mars has two moons, Phobos and Deimos; both are small and far from round. " * 8


def desks_without_an_item(visitor: Visitor) -> Walk:
    """What an annotator is told who has nothing to rate, or not yet."""
    ada = make_user(name="ada-waits")
    project = make_project(slug="wait", annotators=[ada], wanted=1)
    batch = make_batch(project=project)
    item = make_item(batch=batch)
    visitor.become(ada)
    visitor.go("/projects/wait/desk/")
    yield "to start"
    lease = make_lease(item=item, annotator=make_user(), now=timezone.now())
    visitor.go("/projects/wait/desk/")
    expect(visitor.page.locator("#desk")).to_contain_text("If the first one is not rated by")
    yield "all out"
    lease.release(now=timezone.now())
    for status in ("paused", "closed"):
        Project.objects.filter(pk=project.pk).update(status=status)
        visitor.go("/projects/wait/desk/")
        yield status
    Project.objects.filter(pk=project.pk).update(status="open")
    batch.refresh_from_db()
    batch.change(status="paused", rank=batch.rank, priority=batch.priority, annotators=[])
    visitor.go("/projects/wait/desk/")
    expect(visitor.page.locator("#desk")).to_contain_text("in paused batches")
    yield "batches paused"
    batch.change(status="closed", rank=batch.rank, priority=batch.priority, annotators=[])
    visitor.go("/projects/wait/desk/")
    expect(visitor.page.locator("#desk")).to_contain_text("batches are closed")
    yield "batches closed"
    batch.change(status="open", rank=batch.rank, priority=batch.priority, annotators=[])
    make_rating(item=item, annotator=ada)
    visitor.go("/projects/wait/desk/")
    expect(visitor.page.locator("#desk")).to_contain_text("rated all your items")
    yield "nothing left"


def warned(visitor: Visitor) -> Walk:
    """An item with a warning, and the limits of a day."""
    page = visitor.page
    ada = make_user(name="ada-warned")
    project = make_project(slug="warned", annotators=[ada], most_warned_daily=1)
    batch = make_batch(project=project)
    for _ in range(2):
        make_item(batch=batch, warning="Speaks of violence.", responses=["\u200b"])
    visitor.become(ada)
    visitor.go("/projects/warned/desk/")
    visitor.press("Start rating")
    expect(page.get_by_role("heading", name="This item has a warning")).to_be_visible()
    yield "covered"
    visitor.press("Open the item")
    expect(page.locator("#rating")).to_be_visible()
    visitor.settle()
    yield "opened"
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("All items left for you have a warning")).to_be_visible()
    visitor.go("/projects/warned/desk/")
    yield "as many with a warning as a day may bring"
    now = timezone.now()
    over = make_lease(
        item=make_item(batch=batch, warning="Blood."),
        annotator=ada,
        status="expired",
        ended_at=now,
        now=now,
    )
    visitor.send(f"/projects/warned/desk/{over.pk}/open/")
    expect(page.locator("#desk > .notice")).to_contain_text("We did not open that item")
    yield "not opened"
    Project.objects.filter(pk=project.pk).update(most_daily=1)
    make_item(batch=batch)
    visitor.go("/projects/warned/desk/")
    expect(page.get_by_text("You have reached today’s limit of")).to_be_visible()
    yield "as many as a day may bring"


def rating_quality(visitor: Visitor) -> Walk:
    """Two items of the rubric "response quality", with all that can go wrong on the way."""
    page = visitor.page
    ada = make_user(name="ada-rates")
    project = make_project(slug="quality", annotators=[ada], wanted=1)
    project.memberships.update(view="text")
    batch = make_batch(project=project)
    make_item(
        batch=batch,
        messages=[
            ("user", "Hello"),
            ("assistant", "شلونك"),
            ("user", f"And?\n\n```\n{'x = 1 ' * 60}\n```"),
        ],
        responses=[
            ("heron", LONG),
            ("wren", " "),
            ("heron", "# Two\n\n| a | b |\n|---|---|\n| 1 | $x^2$ |"),
        ],
        context=LONG,
        system="Be brief.",
        reference="Two.",
        source="https://moons.example/",
    )
    visitor.become(ada)
    visitor.start("quality")
    yield "response-quality"
    page.keyboard.press("z")
    expect(page.get_by_role("dialog", name="Paused")).to_be_visible()
    yield "pause"
    page.keyboard.press("z")
    for view in ("Rendered", "Differences"):
        page.locator("#look").get_by_role("button", name=view).click()
        expect(page.locator("#look [aria-pressed=true]")).to_contain_text(view)
        yield view.lower()
    visitor.go("/projects/quality/desk/")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    yield "help"
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_contain_text("Not submitted.")
    expect(page.locator("#rubric")).to_be_visible()
    yield "what is missing, with the rubric"
    page.keyboard.press(".")
    page.keyboard.press("s")
    expect(page.locator("#concern")).to_have_attribute("open", "")
    yield "skipping"
    page.locator("#concern").get_by_role("button", name="Skip").click()
    expect(page.locator("#concern .errorlist")).to_be_visible()
    yield "refused"
    visitor.go("/projects/quality/desk/")
    page.keyboard.press("s")
    page.locator("#concern").get_by_role("button", name="Flag").click()
    expect(page.locator("#concern .errorlist")).to_be_visible()
    yield "refused"
    page.locator("#concern").get_by_label("It is in a language").check()
    page.locator("#concern").get_by_role("button", name="Flag").click()
    expect(page.locator("#flagged")).to_have_text("Flagged")
    yield "told"
    current = page.locator(".target.current")
    current.get_by_role("checkbox", name="Language error").check()
    expect(current.locator(".level.barred").first).to_be_visible()
    visitor.settle()
    yield "barred"
    current.locator(".level:not(.barred) input").first.check(force=True)
    visitor.settle()
    current.locator(".level.barred input").last.click(force=True)
    expect(page.locator("#announcer")).not_to_have_text("")
    yield "a barred score asked for"
    page.locator("#comment").fill("Of two minds.")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    yield "saved"
    with page.context.new_page() as other:
        other.goto("/projects/quality/desk/")
        other.locator("#comment").fill("Of one mind.")
        expect(other.locator("#draft-state")).to_have_text(SAVED)
    page.locator("#comment").fill("Of three minds.")
    expect(page.get_by_role("link", name="Open that version")).to_be_visible()
    yield "written elsewhere"
    page.keyboard.press("Control+Enter")
    expect(page.locator("#errors")).to_be_focused()
    visitor.settle()
    yield "refused"
    lease = Lease.objects.get(annotator=ada)
    lease.release(now=timezone.now())
    make_lease(item=lease.item, annotator=make_user(), now=timezone.now())
    visitor.complaints.allow("status of 409 ")
    page.evaluate("() => htmx.trigger(document.body, 'evenhand:active')")
    expect(page.locator("#lease-state")).to_contain_text("is over")
    yield "ended"


def long_texts(visitor: Visitor) -> Walk:
    """An item with a folded picture in its prompt, and the beginning of a long response."""
    ada = make_user(name="ada-reads")
    picture = f"data:image/png;base64,{'iVBORw0KGgo' * 900}"
    prompt = [("user", f"Which moon is it?\n\n![A moon]({picture})")]
    project = make_project(slug="long", annotators=[ada])
    make_item(project=project, messages=prompt, responses=[LONG * 180])
    visitor.become(ada)
    visitor.start("long")
    expect(visitor.page.get_by_text("files in the text are folded")).to_be_visible()
    expect(visitor.page.get_by_text("The first 100,000 of")).to_be_visible()
    yield "the first of a text, a picture folded"


def submitting_quality(visitor: Visitor) -> Walk:
    """From one item to the next and the last; one that came back; one revised behind one's back."""
    page = visitor.page
    ada = make_user(name="ada-submits")
    project = make_project(slug="on", annotators=[ada], wanted=1)
    batch = make_batch(project=project)
    make_item(batch=batch, responses=["Mars has two moons. " * 9])
    for _ in range(3):
        make_item(batch=batch, responses=["\u200b"])
    visitor.become(ada)
    visitor.start("on")
    page.keyboard.type("a7")
    visitor.settle()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#asked")).to_be_focused()
    visitor.settle()
    yield "asked again"
    page.locator(".detection").get_by_label("no", exact=True).check()
    visitor.settle()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("1 of 4 rated")).to_be_visible()
    visitor.settle()
    yield "next item"
    with page.context.new_page() as other:
        other.goto("/projects/on/desk/")
        other.wait_for_function("() => document.activeElement.closest('[data-row]')")
        other.keyboard.press("Control+Enter")
        expect(other.get_by_text("2 of 4 rated")).to_be_visible()
    page.locator("#comment").fill("Two, or llanfair" + "gogogoch" * 9)
    expect(page.locator("#beside h2")).to_have_text("You already rated this item")
    yield "submitted elsewhere"
    page.get_by_role("link", name="Compare both").click()
    expect(page.get_by_role("heading", name="This version was not submitted")).to_be_visible()
    yield "beside its rating"
    visitor.go("/projects/on/desk/")
    visitor.settle()
    page.keyboard.press("s")
    page.locator("#concern").get_by_label("It is distressing").check()
    with mock.patch("annotators.desk.views.ASKED_AFTER", 1):
        page.locator("#concern").get_by_role("button", name="Skip").click()
        expect(page.locator("#announcer")).to_have_text("Skipped. The next item is here.")
    visitor.settle()
    yield "next item, after many skips"
    lease = Lease.objects.filter(status="live").get(annotator=ada)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("No items are left for you")).to_be_visible()
    yield "nothing left"
    rating = Rating.objects.get(lease=lease)
    ReturnedRating.objects.send_back(rating, "Look again.", cause="flag 1", now=timezone.now())
    visitor.go("/projects/on/desk/")
    expect(page.get_by_text("Look again.")).to_be_visible()
    yield "came back"


def long_over(visitor: Visitor) -> Walk:
    """An item that was the annotator's weeks ago, with what another window saved of it, or not."""
    page = visitor.page
    ada = make_user(name="ada-late")
    make_item(project=make_project(slug="late", annotators=[ada]), responses=["Two."])
    visitor.become(ada)
    visitor.start("late")
    lease = Lease.objects.get(annotator=ada)
    weeks_ago = timezone.now() - timedelta(days=20)
    Lease.objects.filter(pk=lease.pk).update(
        status="expired", started_at=weeks_ago, expires_at=weeks_ago, ended_at=weeks_ago
    )
    expect(page.locator("#r1-quality")).to_be_focused()
    page.keyboard.press("l")
    expect(page.locator("#desk")).to_contain_text("This item was yours until")
    yield "long over"
    make_rating(item=lease.item, annotator=ada)
    visitor.complaints.allow("status of 409 ")
    page.evaluate(
        """async (url) => {
      const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
      document.body.insertAdjacentHTML("beforeend", `<form method="post" action="${url}">
        <input name="csrfmiddlewaretoken" value="${token}"><input name="comment" value="Else">
        <input name="draft_writer" value="${"e".repeat(16)}"></form>`);
      document.body.lastElementChild.submit();
    }""",
        f"/projects/late/desk/{lease.pk}/verdict/",
    )
    expect(page.locator("#desk .conflict")).to_contain_text("in another window")
    yield "long over, rated elsewhere"


def looking_claims_up(visitor: Visitor) -> Walk:
    """A claim that is looked up, runs out of time, and is refuted."""
    page = visitor.page
    ada = make_user(name="ada-looks")
    project = make_project(slug="look", annotators=[ada])
    make_item(project=project, responses=["Mars has two moons.", "Three."])
    visitor.become(ada)
    visitor.start("look")
    page.keyboard.press("w")
    page.locator("[data-look-up]").first.click()
    expect(page.locator("#r1-fact-1-errors")).to_be_visible()
    yield "nothing to look up"
    page.context.route("https://duckduckgo.com/**", lambda route: route.fulfill(body="Found."))
    page.locator("#r1-fact-1-claim").fill("Mars has two moons.")
    with page.context.expect_page() as opened:
        page.locator("[data-look-up]").first.click()
    opened.value.close()
    expect(page.locator("#r1-fact-1-none")).to_be_focused()
    yield "a claim looked up"
    draft = Draft.objects.get(annotator=ada)
    draft.answers["r1.fact.1.clock"] = "0+1"
    draft.save()
    visitor.go("/projects/look/desk/")
    expect(page.locator("#r1-fact-1-over")).to_be_visible()
    yield "a look-up over time"
    page.locator("#r1-fact-1-refuted").check(force=True)
    expect(page.locator("#r1-proposals .remark")).to_be_visible()
    visitor.settle()
    yield "a claim refuted"


def rating_dialogue(visitor: Visitor) -> Walk:
    """Two responses of one model by the rubric "dialogue", then the model's candidate set, and its
    corpus."""
    page = visitor.page
    ada = make_user(name="ada-talks")
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[ada])
    batch = make_batch(project=project)
    for number in range(60):
        make_item(
            batch=batch,
            persona=["i keep bees.", "i live in " + "llanfair" * 9],
            messages=[("user", f"what do you do on day {number}?")],
            responses=[
                ("gull", f"i look after my bees on day {number}."),
                ("gull", f"honey, honey {number % 3}"),
            ],
        )
    visitor.become(ada)
    visitor.start("talk")
    yield "dialogue"
    for key in ("r1", "r2"):
        for keys in ("4", "ccr5", "4"):
            expect(page.locator(f"#{key} [data-row].current")).to_be_visible()
            page.keyboard.type(keys)
            visitor.settle()
    expect(page.locator("#s1-diversity")).to_be_visible()
    yield "sets appear"
    page.locator("#m1-diversity-corpus_high-yes").check(force=True)
    expect(page.get_by_text("Distinct words")).to_be_visible()
    visitor.settle()
    yield "corpus answered"
    page.locator("#m1-histories").get_by_role("link", name="Next page").click()
    expect(page.locator("#m1-histories")).to_contain_text("Page 2 of 2")
    yield "on the desk"
    lease = Lease.objects.get(annotator=ada)
    for query, state in (("", "full"), ("&q=wasp", "nothing found")):
        visitor.go(f"/projects/talk/desk/{lease.pk}/corpus/?model=m1{query}")
        yield state
    visitor.go("/projects/talk/desk/")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#errors")).to_be_focused()
    visitor.settle()
    yield "refused"


def without_javascript(visitor: Visitor) -> Walk:
    """The desk as plain forms. Scripts of the page don't run; those of a test do."""
    page = visitor.page
    ada = make_user(name="ada-plain")
    make_item(project=make_project(slug="plain", annotators=[ada]), responses=["Two.", "Three."])
    visitor.become(ada)
    visitor.start("plain")
    yield "without JavaScript"
    page.get_by_role("checkbox", name="Language error").first.check()
    visitor.press("Check")
    expect(page.get_by_text("Open: 2, 3, 4.", exact=True)).to_be_visible()
    yield "without JavaScript"
    page.get_by_label("Comment on the whole item").fill("Of two minds.")
    Session.objects.all().delete()
    visitor.complaints.allow("status of 403 ")
    visitor.press("Check")
    expect(page.get_by_role("textbox", name="Not saved")).to_have_value("Of two minds.")
    yield "form without a log-in"
    visitor.become(ada)
    visitor.go("/projects/plain/desk/1/verdict/".replace("1", str(Lease.objects.latest("pk").pk)))
    expect(page.get_by_text("Open: 2, 3, 4.", exact=True)).to_be_visible()


def holding_back(visitor: Visitor) -> Walk:
    """A desk that names no score until a row is answered."""
    ada = make_user(name="ada-answers")
    project = make_project(slug="after", annotators=[ada], consequences="after")
    item = make_item(batch=make_batch(project=project))
    make_lease(item=item, annotator=ada, now=timezone.now())
    visitor.become(ada)
    visitor.go("/projects/after/desk/")
    expect(visitor.page.locator(".consequence").first).to_have_text("Faults")
    visitor.settle()
    yield "consequences held back"


DESK_WALKS = (
    desks_without_an_item,
    warned,
    rating_quality,
    long_texts,
    submitting_quality,
    long_over,
    looking_claims_up,
    rating_dialogue,
    holding_back,
    without_javascript,
)
