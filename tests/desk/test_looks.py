"""Text, rendered, or the differences: what the desk shows, and what of it is stored with the
rating."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser, LexborNode

from annotators.desk import text_views as looking
from annotators.models import User
from tasks.models import Lease, Membership, Project, Rating, Score
from tasks.models.new_projects import start_project
from tasks.text.render import LONGEST, Rendering, rendering
from tests.desk_steps import FAULTLESS, HTMX
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)

from .drawn_rows import (
    desk as rows_desk,
    drawn,
)
from .hostile import HOSTILE

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client) -> User:
    """Logged in, in the browser that the tests have."""
    ada = make_user(name="ada")
    client.force_login(ada)
    return ada


def lend(project: Project, ada: User, *responses: str, **fields: Any) -> Lease:
    item = make_item(
        batch=project.batches.first() or make_batch(project=project), responses=responses, **fields
    )
    return make_lease(item=item, annotator=ada, now=timezone.now())


def address(lease: Lease, step: str) -> str:
    return f"/projects/eggs/desk/{lease.pk}/{step}/"


def faultless(lease: Lease) -> dict[str, str]:
    answers: dict[str, str] = {}
    for place in range(1, len(lease.responses) + 1):
        answers |= {f"r{place}.quality.{code}": value for code, value in FAULTLESS.items()}
        answers[f"r{place}.quality"] = "6"
    return answers


def page(client: Client) -> LexborHTMLParser:
    return LexborHTMLParser(client.get("/projects/eggs/desk/").content.decode())


def text(page: LexborHTMLParser, name: str) -> LexborNode:
    [found] = page.css(f"[data-said='{name}']")
    return found


def view(page: LexborHTMLParser) -> str | None:
    [field] = page.css("#rating input[name=view]")
    return field.attributes["value"]


def texts(client: Client, lease: Lease, **asked: str) -> LexborHTMLParser:
    return LexborHTMLParser(
        client.post(address(lease, "texts"), asked, headers=HTMX).content.decode()
    )


# --- the view that one begins with ---


def test_a_new_project_shows_its_texts_rendered(client: Client, ada: User) -> None:
    now = timezone.now()
    project = start_project(
        title="Eggs", slug="eggs", rubric=make_rubric(), wanted=1, by=None, now=now
    )
    project.admit(ada, role=Membership.Role.ANNOTATOR)
    lend(project, ada, "**Six** minutes.")
    shown = page(client)
    assert text(shown, "r1").html == (
        '<div class="text rendered" data-said="r1" dir="auto" lang="">'
        "<p><strong>Six</strong> minutes.</p>\n</div>"
    )
    assert view(shown) == "rendered"


def test_a_project_that_the_program_before_this_one_makes_is_rendered_too(project: Project) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tasks_project SET view = DEFAULT")
    project.refresh_from_db()
    assert project.view == "rendered"


def test_texts_are_shown_as_they_were_written_where_the_lead_says_so(
    client: Client, project: Project, ada: User
) -> None:
    Project.objects.update(view="text")
    lend(project, ada, "**Six** minutes.")
    shown = page(client)
    assert (
        text(shown, "r1").html
        == '<div class="text" data-said="r1" dir="auto" lang="">**Six** minutes.</div>'
    )
    assert view(shown) == "text"


def test_code_is_marked_as_code_in_a_text_as_it_was_written(
    client: Client, project: Project, ada: User
) -> None:
    Project.objects.update(view="text")
    written = "Call `f`:\n```\n<b>\n```"
    lend(project, ada, written, messages=[("user", written)])
    shown = page(client)
    for name in ("1", "r1"):
        node = text(shown, name)
        assert [each.text() for each in node.css("code")] == ["`f`", "```\n<b>\n```"]
        assert node.text() == written


def test_every_text_of_the_item_is_rendered(client: Client, project: Project, ada: User) -> None:
    turns = [("user", "*1*"), ("assistant", "*2*")]
    lend(
        project,
        ada,
        "*A*",
        "*B*",
        messages=turns,
        context="*context*",
        system="*system*",
        reference="*reference*",
    )
    shown = page(client)
    names = ["context", "system", "1", "2", "reference", "r1", "r2"]
    assert [node.attributes["data-said"] for node in shown.css("[data-said]")] == names
    for name in names:
        assert text(shown, name).attributes["class"] == "text rendered"
        assert text(shown, name).css_first("em") is not None
    assert view(shown) == "rendered"


def test_a_rendered_text_stands_under_a_heading_of_the_second_level(
    client: Client, project: Project, ada: User
) -> None:
    """So that its own, which begin with the third, skip none."""
    lend(project, ada, "# One", messages=[("user", "# Two")], context="# Three")
    body = page(client).body
    assert body is not None
    levels = [(node.tag, node.text().strip()) for node in body.css("#rating :is(h2, h3)")]
    for title in ("One", "Two", "Three"):
        before = levels[levels.index(("h3", title)) - 1]
        assert before[0] == "h2", title


def test_the_candidates_of_a_set_are_shown_as_the_responses_are(client: Client, ada: User) -> None:
    project = make_project(slug="eggs", rubric=make_rubric(slug="dialogue"), annotators=[ada])
    batch = make_batch(project=project)
    for number in range(6):
        item = make_item(batch=batch, responses=[("gull", f"*{number}*"), ("gull", "*B*")])
    lease = make_lease(item=item, annotator=ada, now=timezone.now())
    answers = {f"r{place}.{code}": "4" for place in (1, 2) for code in ("quality", "coherence")}
    live = client.post(f"{address(lease, 'verdict')}?row=r2-coherence", answers, headers=HTMX)
    candidates = LexborHTMLParser(live.content.decode()).css("#sets .candidates [data-said]")
    assert [node.attributes["data-said"] for node in candidates] == ["r1", "r2"]
    assert all(node.css_first("em") for node in candidates)


# --- the view that one chose ---


def chosen() -> list[str]:
    """The views that the annotators of all projects chose, the newest project last."""
    annotators = Membership.objects.filter(role=Membership.Role.ANNOTATOR)
    return list(annotators.order_by("project", "user").values_list("view", flat=True))


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["script", "no script"])
def test_the_view_that_one_switches_to_is_that_of_the_next_item(
    client: Client, project: Project, ada: User, headers: dict[str, str]
) -> None:
    lease = lend(project, ada, "*Six*")
    make_item(batch=lease.item.batch, responses=["*Nine*"])
    step = "texts" if headers else "verdict"
    client.post(address(lease, step), {"view": "rendered", "show": "text"}, headers=headers)
    sent = faultless(lease) | {"view": "text"}
    answer = client.post(address(lease, "submit"), sent, headers=headers, follow=True)
    shown = LexborHTMLParser(answer.content.decode())
    assert (view(shown), text(shown, "r1").text()) == ("text", "*Nine*")


def test_the_last_view_of_the_texts_holds_on_another_device(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "*Six*")
    entered = {"r1.quality": "5", "view": "rendered", "draft_writer": "a" * 16}
    client.post(address(lease, "verdict"), entered)
    texts(client, lease, view="rendered", show="text")
    elsewhere = Client()
    elsewhere.force_login(ada)
    shown = page(elsewhere)
    assert shown.css("#r1-quality-5[checked]")
    assert (view(shown), text(shown, "r1").text()) == ("text", "*Six*")


@pytest.mark.parametrize("step", ["verdict", "texts"])
def test_the_last_view_of_the_texts_holds_for_corrections_and_can_change_there(
    client: Client, project: Project, ada: User, step: str
) -> None:
    lease = lend(project, ada, "*Six*")
    client.post(address(lease, "submit"), faultless(lease))
    Membership.objects.update(view="text")
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    before = LexborHTMLParser(client.get(where).content.decode())
    assert (view(before), text(before, "r1").text()) == ("text", "*Six*")
    at = f"{where}verdict/" if step == "verdict" else address(lease, "texts")
    client.post(f"{where}draft/", {"view": "text", "draft_writer": "a" * 16})
    client.post(at, {"view": "text", "show": "rendered"})
    assert view(LexborHTMLParser(client.get(where).content.decode())) == "rendered"


def test_the_last_view_of_the_texts_is_of_one_person_in_one_project(
    client: Client, project: Project, ada: User
) -> None:
    ben = make_user(name="ben")
    for other in (project, make_project(slug="other", annotators=[ada])):
        other.admit(ben, role=Membership.Role.ANNOTATOR)
    project.admit(ada, role=Membership.Role.LEAD)
    texts(client, lend(project, ada, "Six."), show="text")
    assert chosen() == ["text", "", "", ""]
    assert Membership.objects.get(role=Membership.Role.LEAD).view == ""


@pytest.mark.parametrize(
    "asked",
    [
        {"show": "difference"},
        {"view": "text"},
        {"show": "pink"},
        {"show": "text\0"},
        {"base": "r2"},
    ],
    ids=str,
)
def test_a_request_that_chooses_no_view_leaves_the_last_view(
    client: Client, project: Project, ada: User, asked: dict[str, str]
) -> None:
    lease = lend(project, ada, "Six.", "Nine.")
    texts(client, lease, **asked)
    client.post(address(lease, "verdict"), asked)
    assert chosen() == [""]


def test_nothing_is_written_by_the_differences_nor_by_a_view_that_one_has(
    client: Client, project: Project, ada: User
) -> None:
    """So a lead may still change the view of everybody who did not choose one."""
    lease = lend(project, ada, "Six.", "Nine.")
    with CaptureQueriesContext(connection) as seen:
        for show in ("difference", "rendered"):
            texts(client, lease, view="rendered", show=show)
    assert [each["sql"] for each in seen if each["sql"].startswith("UPDATE")] == []
    assert chosen() == [""]


def test_opening_an_address_chooses_nothing(client: Client, project: Project, ada: User) -> None:
    lease = lend(project, ada, "Six.")
    for headers in (HTMX, {}):
        answer = client.get(address(lease, "texts"), {"show": "text"}, headers=headers)
        assert answer.headers["Location"] == "/projects/eggs/desk/"
    assert chosen() == [""]


def test_a_choice_without_the_page_s_token_is_refused(project: Project, ada: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    lease = lend(project, ada, "Six.")
    assert strict.post(address(lease, "texts"), {"show": "text"}, headers=HTMX).status_code == 403
    assert chosen() == [""]


# --- another one ---


def test_a_request_for_another_view_brings_the_texts_alone(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "*A*", " ", "*C*", context="*context*")
    shown = texts(client, lease, view="text", show="rendered")
    swapped = {
        node.attributes["data-said"]: node for node in shown.css("[data-hx-swap-oob][data-said]")
    }
    assert list(swapped) == [
        "context",
        "1",
        "r1",
        "r3",
    ]  # the empty one has no text to put another in place of
    for name, node in swapped.items():
        assert node.attributes["data-hx-swap-oob"] == f"outerHTML:[data-said='{name}']"
        assert node.attributes["class"] == "text rendered"
    assert not shown.css("[name^='r1.'], form")
    assert Lease.objects.get().expires_at == lease.expires_at  # looking changes nothing


def test_without_javascript_another_view_keeps_all_that_was_entered(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "*A*", "*B*")
    entered = {"r1.quality": "5", "r2.comment": "So-so.", "comment": "<All>", "view": "text"}
    answer = client.post(address(lease, "verdict"), entered | {"show": "rendered"})
    shown = LexborHTMLParser(answer.content.decode())
    assert view(shown) == "rendered"
    assert text(shown, "r2").css_first("em") is not None
    assert shown.css("#r1-quality-5[checked]")
    assert [node.text() for node in shown.css("#r2-comment, #comment")] == ["So-so.", "<All>"]
    refused = client.post(address(lease, "submit"), entered | {"view": "rendered"})
    assert view(LexborHTMLParser(refused.content.decode())) == "rendered"  # and it stays so


def test_texts_of_a_lease_are_not_found_by_others(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "Six.")
    assert client.post(address(lease, "texts"), headers=HTMX).status_code == 200
    client.force_login(make_user(name="mallory"))
    assert client.post(address(lease, "texts"), headers=HTMX).status_code == 404


def test_texts_that_a_warning_covers_are_not_given_in_any_view(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "*Blood*", warning="blood")
    for view in ("text", "rendered"):
        answer = client.post(address(lease, "texts"), {"show": view}, headers=HTMX)
        assert "This item has a warning" in answer.content.decode()
        assert "Blood" not in answer.content.decode()
    lease.uncover(now=timezone.now())
    assert text(texts(client, lease, show="rendered"), "r1").text().strip() == "Blood"


@pytest.mark.parametrize(
    "asked", [{"show": "pink"}, {"view": "pink"}, {"show": "difference"}, {"base": "r9\0"}], ids=str
)
def test_a_senseless_view_shows_the_texts_as_the_project_does(
    client: Client, project: Project, ada: User, asked: dict[str, str]
) -> None:
    lease = lend(project, ada, "*Six*")  # one response: nothing to compare
    assert text(texts(client, lease, **asked), "r1").css_first("em") is not None


def test_nobody_s_view_comes_from_memory_to_another() -> None:
    asked = rows_desk("response-quality", "*One* egg", "*Two* egg", "*Three* egg")
    for look in (
        None,
        {"show": "rendered"},
        {"show": "difference"},
        {"show": "difference", "base": "r2"},
    ) * 2:
        assert drawn(asked, look=look) == drawn(asked, look=look, anew=True)
    views = [drawn(asked, look={"show": view})[1] for view in ("text", "rendered", "difference")]
    assert ["*Two*" in views[0], "<em>Two</em>" in views[1], "<ins>Two</ins>" in views[2]] == [
        True
    ] * 3


@pytest.mark.parametrize("view", ["text", "difference"])
def test_nothing_is_rendered_where_it_is_not_shown(
    client: Client, project: Project, ada: User, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def renders(text: str) -> Rendering:
        raise AssertionError(text)

    lease = lend(project, ada, "*Six*", "*Nine*")
    monkeypatch.setattr(looking, "rendering", renders)
    assert texts(client, lease, show=view).css("[data-said]")
    with pytest.raises(AssertionError):
        texts(client, lease, show="rendered")


# --- the differences ---


def marks(node: LexborNode) -> list[tuple[str, str]]:
    """What is marked in a text, beside the legend above it."""
    return [(str(mark.tag), mark.text()) for mark in node.css("div > ins, div > del")]


def said(node: LexborNode) -> str:
    """The line above a text."""
    [told] = node.css(".told")
    return " ".join(told.text().split())


def test_each_response_shows_what_only_it_has_and_nothing_of_the_other(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(
        project, ada, "Boil it for six minutes.", "Boil it for nine minutes.", context="Eggs."
    )
    shown = texts(client, lease, view="text", show="difference")
    assert marks(text(shown, "r1")) == [("ins", "six")]
    assert marks(text(shown, "r2")) == [("ins", "nine")]
    assert said(text(shown, "r1")) == "Compared with Response B: only here."
    for told in shown.css(".told"):
        told.decompose()
    for name, written in (("r1", "Boil it for six minutes."), ("r2", "Boil it for nine minutes.")):
        assert text(shown, name).text() == written
    assert not shown.css("select")  # there is nothing to choose
    assert text(shown, "context").text() == "Eggs."


def test_of_more_than_two_responses_one_chooses_which_the_others_are_compared_with(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "one egg", "two egg", "one pan")
    first = texts(client, lease, show="difference")
    assert [option.text() for option in first.css("#look-base option")] == [
        "Response A",
        "Response B",
        "Response C",
    ]
    assert marks(text(first, "r3")) == [("ins", "pan")]
    chosen = texts(client, lease, view="difference", base="r3")
    assert [node.text() for node in chosen.css("#look-base option[selected]")] == ["Response C"]
    assert marks(text(chosen, "r1")) == [("ins", "egg")]
    assert said(text(chosen, "r1")) == "Compared with Response C: only here."
    assert said(text(chosen, "r3")) == "The other responses are compared with this one."
    assert marks(text(chosen, "r3")) == []


def test_responses_with_little_in_common_say_so_and_nothing_is_marked(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "Boil it for six minutes.", "Fry it.", "Boil it for ten minutes.")
    shown = texts(client, lease, show="difference")
    assert said(text(shown, "r2")) == (
        "This response has little in common with Response A: nothing is marked."
    )
    assert marks(text(shown, "r2")) == []
    assert marks(text(shown, "r3")) == [("ins", "ten")]


def test_the_differences_lead_back_to_the_view_before(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "*A*", "*B*")
    for before in ("text", "rendered"):
        shown = texts(client, lease, view=before, show="difference")
        asked = {
            str(field.attributes["name"]): str(field.attributes["value"])
            for field in shown.css("#look input")
        }
        [button] = shown.css("#look-compare")
        assert button.attributes["aria-pressed"] == "true"
        again = texts(client, lease, **asked, show=str(button.attributes["value"]))
        [now] = again.css("#look input[name=view]")
        assert now.attributes["value"] == before


def test_a_single_response_has_no_view_of_differences(
    client: Client, project: Project, ada: User
) -> None:
    lend(project, ada, "Six.")
    assert page(client).css("#look-view")
    assert not page(client).css("#look-compare")


# --- what is stored ---


@pytest.mark.parametrize("view", ["text", "rendered", "difference", ""])
def test_the_view_in_use_is_stored_with_the_rating(
    client: Client, project: Project, ada: User, view: str
) -> None:
    lease = lend(project, ada, "Six.", "Nine.")
    client.post(address(lease, "submit"), faultless(lease) | {"view": view})
    assert Rating.objects.get().view == view


def test_a_view_that_there_is_not_is_refused_in_words(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "Six.")
    answer = client.post(address(lease, "submit"), faultless(lease) | {"view": "pink"})
    assert (
        "“pink” is not possible. Choose from: text, rendered, difference."
        in answer.content.decode()
    )
    assert not Rating.objects.exists()


def test_a_rating_sent_again_from_another_view_is_the_same(
    client: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, "Six.")
    for view in ("text", "rendered"):
        answer = client.post(
            address(lease, "submit"), faultless(lease) | {"view": view}, headers=HTMX
        )
        assert not answer.context["notice"]
    assert Rating.objects.get().view == "text"
    assert Score.objects.count() == 1


def test_a_correction_carries_its_own_view(client: Client, project: Project, ada: User) -> None:
    lease = lend(project, ada, "Six.")
    said = faultless(lease)
    client.post(address(lease, "submit"), said | {"view": "text"})
    corrected = said | {"r1.quality": "7", "view": "rendered", "revision": "1"}
    client.post(f"/projects/eggs/ratings/{Rating.objects.get().pk}/correct/", corrected)
    stored = Rating.objects.order_by("revision").values_list("revision", "view")
    assert list(stored) == [(1, "text"), (2, "rendered")]


# --- hostile texts ---


@pytest.mark.parametrize("view", ["text", "rendered", "difference"])
def test_no_text_reaches_beyond_itself_in_any_view(
    client: Client, project: Project, ada: User, view: str
) -> None:
    lease = lend(
        project, ada, HOSTILE, f"{HOSTILE}!", messages=[("user", HOSTILE)], context=HOSTILE
    )
    Project.objects.update(view="rendered" if view == "rendered" else "text")
    for shown in (page(client), texts(client, lease, show=view)):
        for name in ("context", "1", "r1", "r2"):
            inside = [node for node in text(shown, name).traverse() if str(node.tag)[0] != "-"][1:]
            assert not {"script", "img", "form", "base", "a"} & {str(node.tag) for node in inside}
            for node in inside:
                assert (
                    set(node.attributes) <= {"class", "tabindex", "start"}
                    or node.attributes["class"] == "told"
                )
                assert re.fullmatch(r"(r-[\w-]+ ?)*|told", node.attributes.get("class") or "")
        assert not shown.css("[href*=remote], [src*=remote], [style], [onerror]")


@pytest.mark.parametrize(
    ("said", "words"),
    [("length", "too long"), ("nesting", "nested too deep"), ("work", "too complex")],
)
def test_a_text_that_is_not_rendered_says_why_and_is_there_as_it_was_written(
    client: Client, project: Project, ada: User, said: str, words: str
) -> None:
    excessive = {
        "length": "a *b* " * (LONGEST // 5),
        "nesting": "> " * 200 + "a",
        "work": "[" * LONGEST,
    }[said]
    assert rendering(excessive).excess == said
    lease = lend(project, ada, excessive, "*fine*")
    shown = texts(client, lease, show="rendered")
    [told] = text(shown, "r1").css(".told")
    assert words in told.text()
    assert told.attributes["lang"] == "en"
    assert excessive.strip() in text(shown, "r1").text()
    assert text(shown, "r2").css_first(".told") is None


def test_a_rating_that_is_only_read_is_read_in_another_view_too() -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada])
    item = make_item(project=project, responses=["*One.*", "Two."])
    rating = make_rating(item=item, annotator=ada)
    Project.objects.update(status=Project.Status.CLOSED)
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    own = f"/projects/eggs/ratings/{rating.pk}/"
    shown = LexborHTMLParser(client.get(own).content.decode())
    assert not shown.css("form.rating")
    [place] = shown.css("section.rating")
    [token] = place.css("[name=csrfmiddlewaretoken]")
    [look] = place.css("#look")
    assert look.attributes["data-hx-include"] == "closest .rating"
    told = {"csrfmiddlewaretoken": str(token.attributes["value"]), "show": "text"}
    answer = client.post(str(look.css("button")[0].attributes["data-hx-post"]), told, headers=HTMX)
    assert answer.status_code == 200
    assert "*One.*" in answer.content.decode()
