"""Walks through practice, of who practises and of a lead; visits.py says what a walk is."""

from __future__ import annotations

from django.test import Client
from playwright.sync_api import expect

from annotators.models import User
from tasks.models import Project
from tests.factories import NOW, make_item, make_practice, make_project, make_rubric, make_user
from tests.practising import begin, current, finish, require, right, send
from tests.visitor import Visitor, Walk

PRACTICE = "projects/<slug:slug>/practice/"
EXAMPLE = f"{PRACTICE}<int:number>/<int:place>/"
OF_LEADS = "projects/<slug:slug>/people/practice/"
PRACTICE_STATES = {
    PRACTICE: {"to begin", "with a round"},
    f"{PRACTICE}<int:number>/": {"can start", "one more round", "lead decides"},
    EXAMPLE: {"open", "compared", "as it should be", "without JavaScript"},
    f"{EXAMPLE}submit/": {"refused", "compared", "without JavaScript"},
    f"{EXAMPLE}verdict/": {"barred"},
    OF_LEADS: {"empty", "full"},
    f"{OF_LEADS}rounds/<int:pk>/": {"full"},
}
PRACTICE_NO_PAGE = {
    f"{PRACTICE}start/": "leads to the round",
    f"{EXAMPLE}texts/": "leads back to the example",
    f"{EXAMPLE}corpus/": "a part of the desk",
    f"{EXAMPLE}disagree/": "leads back to the example",
    f"{OF_LEADS}<int:user>/": "takes a form, and leads back",
}


def practised(slug: str, name: str, **settings: int) -> tuple[User, Project, Client]:
    """Someone at a project that requires practice in rounds of four examples."""
    person = make_user(name=name)
    project = make_project(slug=slug, annotators=[person], rubric=make_rubric())
    make_item(project=project)
    client = Client()
    client.force_login(person)
    return person, require(project, practice_examples=4, practice_near=3, **settings), client


def practising(visitor: Visitor) -> Walk:
    """The page of practice, an example, its answer, and how rounds end."""
    page = visitor.page
    person, project, client = practised("practised", "ada-practises")
    visitor.become(person)
    visitor.go("/projects/practised/desk/")
    yield "practice"
    visitor.go("/projects/practised/practice/")
    yield "to begin"
    visitor.press("Start practising")
    expect(page.locator("form#rating")).to_be_visible()
    visitor.settle()
    yield "open"
    page.keyboard.press("n")
    visitor.settle()
    expect(page.locator("[data-verdict]")).to_contain_text("1")
    yield "barred"
    page.keyboard.press("n")
    visitor.settle()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-summary]").first).to_be_visible()  # its text may repeat itself, too
    yield "refused"
    round_ = current(project, client)
    said = {"r1.quality": "6", "r1.quality.helpful": "entirely", "r1.quality.harmless": "yes"}
    said |= {"r1.quality.honest": "yes", "r1.quality.comprehensive": "yes"}
    for name, value in said.items():
        page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        visitor.settle()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome, #asked").first).to_be_visible()
    if page.locator("#asked").count():
        visitor.settle()
        for field in page.locator('input[name$=".asked"][value="no"]').all():
            field.check(force=True)
            visitor.settle()
        page.keyboard.press("Control+Enter")
    expect(page.locator("#outcome")).to_be_visible()
    yield "compared"
    visitor.go("/projects/practised/practice/1/1/")
    expect(page.locator("#rubric .levels").first).to_be_visible()
    yield "compared"
    visitor.press("I see it otherwise")
    assert send(client, round_, 2, right(round_, 2)).status_code == 302
    visitor.go("/projects/practised/practice/1/2/")
    yield "as it should be"
    round_ = current(project, client)
    for place in (3, 4):
        send(client, round_, place, said)
    visitor.go("/projects/practised/practice/1/")
    yield "one more round"
    visitor.go("/projects/practised/practice/")
    yield "with a round"
    finish(client, begin(client, project), rightly=False)
    visitor.go("/projects/practised/practice/2/")
    yield "lead decides"
    Project.objects.filter(pk=project.pk).update(practice_tries=9)
    finish(client, begin(client, project))
    visitor.go("/projects/practised/practice/3/")
    yield "can start"


def practising_without_javascript(visitor: Visitor) -> Walk:
    """An example and its answer, by whole pages."""
    page = visitor.page
    person, project, client = practised("plainly", "ada-plainly")
    visitor.become(person)
    visitor.go("/projects/plainly/practice/")
    visitor.press("Start practising")
    yield "without JavaScript"
    page.locator("#submit").click()
    expect(page.locator("[data-summary]").first).to_be_visible()  # its text may repeat itself, too
    yield "without JavaScript"
    begin(client, project)


def leading_practice(visitor: Visitor) -> Walk:
    """A lead's page on practice, and a round."""
    person, project, _client = practised("led-practice", "ada-is-led")
    lea = make_user(name="lea-of-practice")
    project.admit(lea, role="lead")
    visitor.become(lea)
    visitor.go("/projects/led-practice/people/practice/")
    yield "empty"
    made = make_practice(project=project, annotator=person, now=NOW, score=6)
    visitor.go("/projects/led-practice/people/practice/")
    yield "full"
    visitor.go(f"/projects/led-practice/people/practice/rounds/{made.pk}/")
    yield "full"
