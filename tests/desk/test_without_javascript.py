"""Everything works through plain forms with JavaScript off, in both rubrics; in one of them from
log-in to the CSV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotators.models import User
from tasks.models import Project, Rating, Score
from tests.desk_keys import log_in, take_item
from tests.exports import rows_of, zipped_scores
from tests.factories import make_batch, make_item, make_project, make_rubric
from tests.plain_forms import enter, start_rating, submit


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context(java_script_enabled=False).new_page()


def response(page: Page, letter: str) -> Locator:
    return page.get_by_role("region", name=f"Response {letter}")


def answer(place: Locator, question: str, wording: str) -> None:
    place.get_by_role("radiogroup", name=question, exact=True).get_by_role(
        "radio", name=wording, exact=True
    ).check()


def export(page: Page, project: Project, folder: Path) -> list[dict[str, str]]:
    page.goto("/")
    page.get_by_role("link", name=project.title, exact=True).click()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    file = folder / "ratings.zip"
    download.value.save_as(file)
    return zipped_scores(file)


def test_response_quality_from_log_in_to_csv(page: Page, ada: User, tmp_path: Path) -> None:
    project = make_project(slug="eggs", title="Eggs", annotators=[ada], leads=[ada])
    make_item(
        project=project,
        external_id="egg-1",
        prompt="How long do I boil an egg?",
        responses=["Six minutes."],
    )
    make_item(
        project=project,
        external_id="egg-2",
        prompt="And a duck's egg?",
        responses=["Nine, more or less"],
    )
    enter(page)
    start_rating(page, project)
    expect(page.get_by_text("How long do I boil an egg?")).to_be_visible()

    here = response(page, "A")
    here.get_by_role("checkbox", name="Language error").check()
    # Playwright takes what is aria-disabled for disabled; without JavaScript nothing keeps a hand
    # from it.
    here.get_by_role("radio", name="7 Great").check(force=True)
    submit(page)
    expect(page.get_by_role("group", name="Not saved")).to_contain_text("RQ-12")
    assert Rating.objects.count() == 0

    here = response(page, "A")
    expect(here.get_by_role("checkbox", name="Language error")).to_be_checked()
    for question, wording in (
        ("Helpful", "entirely"),
        ("Harmless", "yes"),
        ("Honest", "yes"),
        ("Comprehensive", "no"),
    ):
        answer(here, question, wording)
    here.get_by_role("radio", name="4 Between mediocre and bad").check()
    page.get_by_role("button", name="Check").click()
    here = response(page, "A")
    expect(here.get_by_text("Open: 2, 3, 4.", exact=True)).to_be_visible()
    expect(here.get_by_role("radio", name="4 Between mediocre and bad")).to_be_checked()
    submit(page)

    expect(page.get_by_text("And a duck's egg?")).to_be_visible()
    expect(page.locator(".messages")).to_have_text("Saved. The next item is here.")
    here = response(page, "A")
    for question, wording in (
        ("Helpful", "entirely"),
        ("Harmless", "yes"),
        ("Honest", "yes"),
        ("Comprehensive", "yes"),
    ):
        answer(here, question, wording)
    here.get_by_role("radio", name="7 Great").check(force=True)
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()

    rows = export(page, project, tmp_path)
    assert [(row["item"], row["score"], row["verdict"], row["annotator"]) for row in rows] == [
        ("egg-1", "4", "2;3;4", "ada"),
        ("egg-2", "7", "4;5;6;7", "ada"),
    ]


def test_a_forced_score_is_stored_without_what_does_not_go_with_it(page: Page, ada: User) -> None:
    project = make_project(slug="eggs", annotators=[ada])
    make_item(project=project, responses=["Six minutes."])
    log_in(page, "ada")
    take_item(page, "eggs")
    here = response(page, "A")
    for question, wording in (
        ("Helpful", "entirely"),
        ("Harmless", "yes"),
        ("Honest", "not its own work"),
        ("Comprehensive", "no"),
    ):
        answer(here, question, wording)
    page.get_by_role("button", name="Check").click()
    here = response(page, "A")
    expect(here.locator(".segment.excluded")).to_have_text("entirely")
    expect(here.get_by_text("Not counted:")).to_contain_text("Helpful (entirely).")
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    (score,) = Score.objects.all()
    assert (score.value, "helpful" in score.checks) == (3, False)


def test_a_skip_works_by_mouse_and_the_page_names_no_dead_key(page: Page, ada: User) -> None:
    project = make_project(slug="eggs", annotators=[ada])
    make_item(project=project, responses=["Six minutes."])
    page.set_viewport_size({"width": 1440, "height": 900})
    log_in(page, "ada")
    take_item(page, "eggs")
    expect(page.locator("kbd:visible")).to_have_count(0)
    page.locator("#concern > summary").click()
    page.get_by_role("radio", name="It is distressing").check()
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(page.locator("h1")).to_contain_text("No items are left for you")


def test_a_dialogue_is_rated_and_exported(page: Page, ada: User) -> None:
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[ada])
    batch = make_batch(project=project)
    for number in range(6):
        make_item(
            batch=batch,
            external_id=f"talk-{number}",
            persona=["i keep bees."],
            messages=[("user", f"what do you do on day {number}?")],
            responses=[
                ("gull", f"i look after my bees on day {number}."),
                ("gull", f"honey, honey {number}"),
            ],
        )
    log_in(page, "ada")
    take_item(page, "talk")
    for letter in ("A", "B"):
        here = response(page, letter)
        here.get_by_role("group", name="Quality").get_by_role("radio", name="4 ").check()
        answer(here, "Contradicts the persona", "no")
        answer(here, "Reflects the persona", "yes")
        here.get_by_role("group", name="Persona consistency").get_by_role("radio", name="5 ").check(
            force=True
        )
        here.get_by_role("group", name="Coherence").get_by_role("radio", name="4 ").check()
    submit(page)
    model = page.get_by_role("region", name="Model 1")
    expect(model.get_by_text("i look after my bees on day 3.")).to_be_visible()
    answer(model, "Varied in all its answers", "yes")
    answer(model, "Varied in these answers", "no")
    model.get_by_role("group", name="Diversity").get_by_role("radio", name="3 ").check(force=True)
    submit(page)
    expect(page.get_by_text("1 of 6 rated")).to_be_visible()
    rows = rows_of(project)
    assert [(row["dimension"], row["unit"], row["target"], row["score"]) for row in rows][-1] == (
        "diversity",
        "candidate_set",
        "gull",
        "3",
    )
    assert len(rows) == 7
