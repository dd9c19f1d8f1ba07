"""Classes at the desk, and scores without a good end on a page of leads, in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.checkers import LOOKS, Look, look
from tests.desk_keys import log_in, take_item
from tests.factories import make_item, make_project, make_rating, make_user
from tests.number_rubrics import load, scale
from tests.worker import work

SIX = ("Question", "Complaint about a delivery", "Order", "Praise", "Spam", "Something else")
KIND = scale(1, 6, "kind", **{f"at_{place}": label for place, label in enumerate(SIX, start=1)})
OTHER = scale(1, 2, "other", at_1="Yes", at_2="No")

pytestmark = pytest.mark.django_db(transaction=True)


# The desk takes turns: wide and light, or on a phone in dark.
@pytest.mark.parametrize(("others", "turn"), [((), LOOKS[0]), ((OTHER,), LOOKS[1])])
def test_a_class_is_read_by_its_label_and_the_number_is_small(
    new_context: Callable[..., BrowserContext], others: tuple[dict[str, object], ...], turn: Look
) -> None:
    ada = make_user(name="ada")
    rubric = load(KIND | {"better": "none"}, *others)
    project = make_project(slug="post", rubric=rubric, annotators=[ada])
    make_item(project=project, responses=["They met.", "They met on 4 March."])
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, "post")

    def size(part: str) -> float:
        said = page.locator(f"#r1-kind-scale .level {part}").first
        return float(said.evaluate("each => parseFloat(getComputedStyle(each).fontSize)"))

    assert size("b") <= 0.85 * size("span")
    assert size("span") >= 14
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 900})
        cut = page.locator("#r1-kind-scale label").evaluate_all(
            "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
        )
        assert cut == 0
    page.keyboard.press("2")
    expect(page.locator("#r1-kind-2")).to_be_checked()
    assert [*look(page, known=set(), looks=[turn])] == []


def test_greys_and_the_pages_of_classes_shut_nobody_out(page: Page) -> None:
    ada, ben, lea = (make_user(name=name) for name in ("ada", "ben", "lea"))
    rubric = load(
        scale(1, 7, "length", at_1="Too short", at_7="Too long") | {"better": "neither"},
        KIND | {"highest": 7, "better": "none"},
    )
    project = make_project(slug="post", rubric=rubric, annotators=[ada, ben], leads=[lea], wanted=2)
    for score in range(1, 8):
        item = make_item(project=project, responses=[("heron", "One.")])
        make_rating(item=item, annotator=ada, values={1: score})
        make_rating(item=item, annotator=ben, values={1: max(score, 2)})
    work()
    log_in(page, "lea")
    page.goto("/projects/post/items/")
    expect(page.locator(".score.sn7")).to_have_count(2)
    known: set[str] = set()
    looked: dict[str, str] = {}
    assert [*look(page, known=known, looked=looked)] == []
    for path in ("?dimension=kind", "agreement/?dimension=kind"):
        page.goto(f"/projects/post/{path}")
        assert [*look(page, known=known, looked=looked)] == []
