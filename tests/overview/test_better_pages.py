"""What leads and annotators see of a dimension goes by which of its ends is good."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from rubrics.judging.scales import bands, shade
from rubrics.views import rubric_text_url
from tasks.agreement.results import result
from tasks.exporting.options import Shape
from tasks.lead_pages.ramp import ramp
from tasks.models import AgreementResult, Project
from tasks.overview.drawing import stack
from tests.agreement.spelt_out import had
from tests.exports import objects_of
from tests.factories import NOW, make_item, make_project, make_rating, make_user
from tests.number_rubrics import LENGTH, load, rubric_of, scale
from tests.worker import few_resamples, work

ERRORS = scale(0, 3, "errors", at_0="No error", at_3="Critical") | {"better": "low"}
KIND = scale(1, 3, "kind", at_1="Question", at_2="Order", at_3="Complaint") | {"better": "none"}
GRADE = scale(0, 100, "grade", at_0="Bad", at_100="Good")
PEOPLE = ("ada", "ben")


def dimension_of(content: dict[str, Any], **changes: Any) -> Any:
    return rubric_of(content | changes).dimensions[0]


# --- colours ---


def test_a_colour_says_how_good_a_score_is_and_greys_where_no_end_is_good() -> None:
    def shades(content: dict[str, Any], **changes: Any) -> list[str]:
        dimension = dimension_of(content, **changes)
        return [shade(dimension, score) for score in dimension.scores]

    assert shades(ERRORS, better="high") == ["1", "3", "5", "7"]
    assert shades(ERRORS) == ["7", "5", "3", "1"]
    assert shades(LENGTH) == ["1", "2", "4", "6", "7"]
    assert shades(LENGTH, better="neither") == ["n1", "n2", "n4", "n6", "n7"]
    assert shades(KIND) == ["n1", "n4", "n7"]


def test_a_long_scale_is_drawn_in_ten_bands() -> None:
    dimension = dimension_of(GRADE)
    assert [(band[0], band[-1]) for band in bands(dimension)] == [
        *((start, start + 9) for start in range(0, 90, 10)),
        (90, 100),
    ]
    assert len(ramp(dimension)) == 10
    assert (shade(dimension, 9), shade(dimension, 100)) == ("1", "7")
    drawn = stack(Counter({4: 1, 9: 2, 10: 1}), dimension)
    assert [(mark.width, mark.label) for mark in drawn] == [
        ("75.00%", "75"),
        ("25.00%", "25"),
    ]


# --- the pages of a study ---


@pytest.fixture(autouse=True)
def _few_resamples() -> Iterator[None]:
    with few_resamples():
        yield


@pytest.mark.django_db
def test_beside_the_item_the_best_level_comes_first_and_classes_in_their_order(
    client: Client,
) -> None:
    client.force_login(make_user(name="ada"))
    rubric = load(ERRORS, KIND, LENGTH)
    page = client.get(rubric_text_url(rubric)).content.decode()
    assert re.findall(r'data-level="(-?\d)"', page) == [
        *("0", "3"),
        *("1", "2", "3"),
        *("2", "1", "0", "-1", "-2"),
    ]
    assert "Errors</span>, 0 to 3, lower is better</h2>" in " ".join(page.split())


@pytest.fixture
def lead(client: Client, db: None) -> Client:
    """A browser in which lea has logged in."""
    client.force_login(make_user(name="lea"))
    return client


def study(content: dict[str, Any], said: Sequence[tuple[int, ...]], lead: Client) -> Project:
    """A study that lea leads: `said` has ada's and ben's score of each response of an item."""
    people = [make_user(name=name) for name in PEOPLE]
    lea = get_user_model().objects.get(username="lea")
    project = make_project(
        slug="eggs", rubric=load(content), annotators=people, leads=[lea], wanted=2
    )
    for number, values in enumerate(said):
        models = ["heron", "plover"][: len(values) // 2]
        item = make_item(
            project=project,
            external_id=f"item {number}",
            responses=[(model, "One.") for model in models],
        )
        for place, person in enumerate(people):
            given = dict(enumerate(values[place::2], start=1))
            make_rating(item=item, annotator=person, now=NOW, values=given)
    lead.post("/projects/eggs/models/", {"models": "shown"})
    return project


def page_of(lead: Client, path: str = "") -> str:
    response = lead.get(f"/projects/eggs/{path}")
    assert response.status_code == 200
    return response.content.decode()


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def measures_in(page: str) -> list[str]:
    [select] = re.findall(r'<select name="measure".*?</select>', page, re.S)
    return re.findall(r'value="([^"]+)"', select)


# Two people, four items: three the same. By hand: six of eight values meet their own kind. By
# chance 42 of the 56 pairs of two values differ: 1 - (2 / 8) / (42 / 56) = 2 / 3.
CLASSES = [(1, 1), (1, 2), (2, 2), (3, 3)]


def test_classes_are_compared_as_classes(lead: Client) -> None:
    project = study(KIND, CLASSES, lead)
    [kind] = project.rubric.schema.dimensions
    found = result(project, kind, NOW).result
    by_hand = {"alpha-nominal": 2 / 3, "same": 0.75, "fleiss": 0.61905, "ac1": 0.62791}
    values = {code: had(each).value for code, each in found.overall.figures.items()}
    assert values == pytest.approx(by_hand, abs=5e-6)
    [pair] = found.pairs
    assert {*pair.figures} == {*by_hand, "kappa"}
    assert had(pair.figures["kappa"]).value == pytest.approx(0.63636, abs=5e-6)
    assert (found.main, found.of_team, found.models[0].mean) == (*("alpha-nominal", {}, None),)
    work()
    page = page_of(lead, "agreement/")
    assert measures_in(page) == ["alpha-nominal", "same", "fleiss", "ac1"]
    said = words(page)
    assert re.search(r"α 0.67 95 %: \S+ to \S+, nominal 75 % the same score", said)
    for of_an_order in ("within one", "ICC", "They differ by", "ordinal", "linear", "furthest"):
        assert of_an_order not in said
    assert "Krippendorff’s α, nominal" in words(page_of(lead, "agreement/?measure=ac2-linear"))


def test_two_classes_are_one_apart(lead: Client) -> None:
    project = study(KIND, [(1, 3), (1, 2), (2, 2)], lead)
    work()
    [row, *_] = objects_of(project, shape=Shape.ITEMS)
    assert row["item"] == "item 0"
    [one, two, same] = re.findall(r'<td class="num">(\S+)</td>', page_of(lead, "items/"))
    assert (one, two, same) == ("1", "1", "0")
    [key] = project.items.filter(external_id="item 0").values_list("pk", flat=True)
    assert "spread 1 ·" in words(page_of(lead, f"items/{key}/"))
    furthest = AgreementResult.objects.filter(first=False).get().figures["furthest"]
    assert [each["item"] for each in furthest] == ["item 0", "item 1"]


def test_an_export_of_items_has_the_majority_of_classes_and_no_mean(lead: Client) -> None:
    project = study(KIND, [(1, 3), (2, 2)], lead)
    rows = objects_of(project, shape=Shape.ITEMS)
    figures = [
        [row[name] for name in ("n", "mean", "median", "sd", "majority", "final")] for row in rows
    ]
    assert figures == [[2, None, None, None, None, None], [2, None, None, None, 2, 2]]


def test_the_overview_shows_no_mean_of_classes_and_names_them(lead: Client) -> None:
    study(KIND, CLASSES, lead)
    work()
    said = words(page_of(lead))
    assert "mean" not in said.lower()
    assert "1 Question 2 Order 3 Complaint" in said
    assert re.search(r"α 0.67 95 %: \S+ to \S+, nominal", said)


def test_where_low_is_better_the_lowest_mean_is_the_best(lead: Client) -> None:
    study(ERRORS, [(0, 0, 3, 2)] * 5 + [(1, 0, 2, 2)] * 5, lead)
    work()
    page = page_of(lead)
    said = words(page)
    assert re.search(r"heron .* 0\.25 .* lowest mean plover .* 2\.25 .* difference 2\.00", said)
    assert "because its mean is the lowest of those with an interval" in said
    bars = re.findall(r'<rect class="f(\w+)" x="0.00%"', page)
    assert bars == ["7", "3"]
    assert 'class="score s7"' in page_of(lead, "items/")


def test_a_long_scale_opens_on_interval_alpha(lead: Client) -> None:
    study(GRADE, [(10, 14), (35, 35), (80, 90), (55, 50)], lead)
    work()
    page = page_of(lead, "agreement/")
    assert measures_in(page) == ["alpha-interval"]
    said = words(page)
    assert re.search(r"α 0\.98 95 %: \S+ to \S+, interval", said)
    assert "the same score" not in said
    assert "10–19: 25\xa0%" in page_of(lead)


def test_a_mean_of_a_person_is_of_one_dimension(lead: Client) -> None:
    project = study(ERRORS, [(1, 1)] * 3, lead)
    project.rubric = load(ERRORS, GRADE)
    project.save(update_fields=["rubric"])
    for name in PEOPLE:
        item = make_item(project=project, responses=[("heron", "One.")])
        person = project.memberships.get(user__username=name).user
        make_rating(item=item, annotator=person, now=NOW, values={1: 3})
    for asked, mean in (("errors", "1.50"), ("grade", "3.00")):
        [table] = re.findall(
            r'aria-labelledby="people".*?</table>', page_of(lead, f"?dimension={asked}"), re.S
        )
        assert re.findall(r">(\d\.\d\d)<", table) == [mean, mean]
