"""The question about a corpus in a browser: what the page has of it, and what is stored by now."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Batch, CorpusAnswer, Project, Rating
from tasks.models.barred_scores import CorpusQuestion, record_answer
from tests.conftest import Complaints
from tests.desk_keys import log_in, settle, take_item
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user

QUESTION = "#m1-diversity-corpus_high"
AWAY = "ERR_INTERNET_DISCONNECTED|ERR_FAILED|htmx:|^undefined$"


@pytest.fixture
def talk() -> Project:
    """Histories without a persona, two candidates each of one model."""
    project = make_project(
        slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[make_user(name="ada")]
    )
    batch = make_batch(project=project)
    for number in range(7):
        make_item(
            batch=batch,
            external_id=f"talk-{number}",
            messages=[("user", f"turn {number}")],
            responses=[("gull", f"reply {number}"), ("gull", f"other {number}")],
        )
    return project


@pytest.fixture
def page(context: BrowserContext, talk: Project) -> Page:
    """At the desk with the first item, whose responses are scored: the candidate set has come."""
    page = context.new_page()
    log_in(page, "ada")
    take_item(page, "talk")
    for row in ("r1-quality", "r1-coherence", "r2-quality", "r2-coherence"):
        expect(page.locator(f"#{row}.current")).to_be_visible()
        page.keyboard.press("4")
        settle(page)
    expect(page.locator("#s1-diversity.current")).to_be_visible()
    return page


def choose(page: Page, place: str) -> None:
    page.locator(place).check(force=True)
    settle(page)


def elsewhere(answer: str) -> None:
    """The same annotator answers on another device."""
    batch = Batch.objects.get()
    record_answer(
        CorpusQuestion(
            annotator=batch.project.memberships.get(role="annotator").user,
            batch=batch,
            model="gull",
            dimension=batch.project.rubric.schema.dimension("diversity"),
            code="corpus_high",
        ),
        answer,
        now=timezone.now(),
    )


def said() -> list[str]:
    return list(CorpusAnswer.objects.order_by("revision").values_list("answer", flat=True))


def shown(page: Page) -> str:
    return page.locator(f'{QUESTION} [name$=".shown"]').input_value()


def test_an_answer_is_saved_by_its_click_and_the_keyboard_stays_there(page: Page) -> None:
    assert shown(page) == ""
    for number, answer in enumerate(("yes", "no"), start=1):
        page.locator(f"{QUESTION}-{answer}").press("Space")
        settle(page)
        expect(page.get_by_text("Distinct words")).to_be_visible()
        expect(page.locator(f"{QUESTION}-{answer}")).to_be_checked()
        expect(page.locator(f"{QUESTION}-{answer}")).to_be_focused()
        assert shown(page) == answer
        assert len(said()) == number
    assert said() == ["yes", "no"]


def test_a_corpus_answer_from_elsewhere_comes_to_the_page_with_the_next_verdict(page: Page) -> None:
    choose(page, f"{QUESTION}-yes")
    elsewhere("no")
    choose(page, "#s1-diversity-set_high-yes")
    expect(page.locator(f"{QUESTION}-no")).to_be_checked()
    assert shown(page) == "no"
    expect(page.locator("#s1-diversity-5")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("4")
    settle(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("talk-1")
    assert said() == ["yes", "no"]
    assert Rating.objects.get().scores.get(dimension="diversity").checks["corpus_high"] == "no"


def test_a_click_without_a_network_is_on_the_next_page_and_counts_with_its_verdict(
    page: Page, context: BrowserContext, complaints: Complaints
) -> None:
    complaints.allow(AWAY)
    choose(page, f"{QUESTION}-yes")
    context.set_offline(True)
    page.locator(f"{QUESTION}-no").check(force=True)
    expect(page.locator("#trouble")).to_be_visible()
    page.close()  # what it kept is brought by the next page
    context.set_offline(False)
    later = context.new_page()
    later.goto("/projects/talk/desk/")
    expect(later.locator(f"{QUESTION}-no")).to_be_checked()
    assert said() == ["yes"]
    choose(later, "#s1-diversity-set_high-no")
    assert said() == ["yes", "no"]
