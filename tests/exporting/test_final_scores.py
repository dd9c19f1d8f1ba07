"""The final score of each target in a dimension, by its scores alone, and where it comes from."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings, strategies as st

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.judging.disagreement import thresholds_of, usual_threshold
from tasks.exporting.filters import Refused
from tasks.exporting.options import Shape
from tasks.models import Item, Lease, Placement, Project, Rating, Score
from tasks.models.dropping import decide_dropped
from tests.exports import objects_of
from tests.factories import NOW, make_item, make_project, make_rating, make_rubric, make_user
from tests.made_rubrics import scale, scales

pytestmark = pytest.mark.django_db


def final(project: Project, **options: Any) -> tuple[int | None, str | None]:
    """Return the final score of the only target, and its source."""
    (row,) = objects_of(project, shape=Shape.ITEMS, **options)
    return row["final"], row["final_source"]


def rate(project: Project, values: list[int], wanted: int) -> Item:
    item = make_item(project=project, responses=["x"], wanted=wanted)
    for value in values:
        make_rating(item=item, annotator=make_user(), values={1: value})
    return item


@pytest.mark.parametrize(
    ("values", "wanted", "expected"),
    [
        ([5], 2, (None, "incomplete")),
        ([5, 5], 3, (None, "incomplete")),  # the third may give another
        ([5], 1, (5, "single")),  # nobody is asked to agree with it
        ([5, 5], 2, (5, "agreed")),
        ([5, 6], 2, (5, "near")),  # the lower middle one
        ([6, 5, 6], 3, (6, "near")),
        ([5, 7], 2, (None, "open")),
        ([5, 5, 7], 3, (None, "open")),  # a majority settles nothing
    ],
)
def test_the_final_score_says_where_it_comes_from(
    project: Project, values: list[int], wanted: int, expected: tuple[int | None, str]
) -> None:
    rate(project, values, wanted)
    assert final(project) == expected


def plainly(values: list[int], wanted: int, threshold: int) -> tuple[int | None, str]:
    """The rule once more, in the words of a reader."""
    if len(values) < wanted:
        return None, "incomplete"
    if len(values) == 1:
        return values[0], "single"
    if len(set(values)) == 1:
        return values[0], "agreed"
    if max(values) - min(values) < threshold:
        return sorted(values)[(len(values) - 1) // 2], "near"
    return None, "open"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.integers(1, 7), min_size=1, max_size=6),
    missing=st.integers(0, 2),
    threshold=st.integers(1, 6),
)
def test_the_final_score_is_the_one_that_a_reader_works_out(
    project: Project, values: list[int], missing: int, threshold: int
) -> None:
    wanted = len(values) + missing
    project.chosen_thresholds = {"quality": threshold}
    item = rate(project, values, wanted)
    try:
        assert final(project) == plainly(values, wanted, threshold)
    finally:
        for model in (Score, Placement, Rating, Lease):
            model.objects.all().delete()
        item.responses.all().delete()
        item.delete()


def test_an_export_may_ask_for_the_median_where_scores_differ(project: Project) -> None:
    rate(project, [2, 5, 7], 3)
    assert final(project, open_median=True) == (5, "open")
    assert final(project) == (None, "open")


def test_the_median_where_scores_differ_is_of_the_rows_of_items_alone(project: Project) -> None:
    rate(project, [2, 5, 7], 3)
    with pytest.raises(Refused, match="scores"):
        objects_of(project, shape=Shape.SCORES, open_median=True)


def test_a_dropped_item_has_no_final_score(project: Project, lead: User) -> None:
    item = rate(project, [5, 5], 2)
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    assert final(project, dropped=True) == (None, None)


# --- thresholds ---


@pytest.mark.parametrize(
    ("lowest", "highest", "better", "threshold"),
    [
        (1, 7, "high", 2),
        (0, 10, "high", 2),
        (0, 11, "high", 2),
        (0, 100, "high", 10),
        (0, 1, "high", 1),
        (1, 4, "none", 1),
    ],
)
def test_the_usual_threshold_follows_the_scale(
    lowest: int, highest: int, better: str, threshold: int
) -> None:
    levels = [f"Level {number}" for number in range(lowest, highest + 1)]
    dimension = scale("whole", "Whole", lowest, levels, better=better)
    rubric = parse(scales(dimension))
    (parsed,) = rubric.dimensions
    assert usual_threshold(parsed) == threshold
    assert thresholds_of(rubric, {}) == {"whole": threshold}


def test_a_lead_sets_the_threshold_of_one_dimension(client: Client, lead: User) -> None:
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), leads=[lead])
    client.force_login(lead)
    usual = project.thresholds
    sent = {"group": "disagreements"}
    for code, threshold in usual.items():
        sent[f"chosen_thresholds.{code}"] = str(threshold)
        sent[f"initial-chosen_thresholds.{code}"] = str(threshold)
    client.post("/projects/talk/settings/", sent | {"chosen_thresholds.quality": "3"})
    project.refresh_from_db()
    assert project.thresholds == usual | {"quality": 3}
    client.post("/projects/talk/settings/", sent | {"chosen_thresholds.consistency": "1"})
    project.refresh_from_db()
    assert project.chosen_thresholds == {"quality": 3, "consistency": 1}
    sent["initial-chosen_thresholds.quality"] = "3"
    client.post("/projects/talk/settings/", sent | {"chosen_thresholds.quality": ""})
    project.refresh_from_db()
    assert project.chosen_thresholds == {"consistency": 1}


@pytest.mark.parametrize("entered", ["0", "7", "2.5", "two"])
def test_a_threshold_that_no_scores_can_reach_is_refused(
    client: Client, lead: User, entered: str
) -> None:
    project = make_project(slug="eggs", leads=[lead])
    client.force_login(lead)
    sent = {"group": "disagreements", "chosen_thresholds.quality": entered}
    page = client.post("/projects/eggs/settings/", sent).content.decode()
    assert page.count('class="errorlist"') == 1
    project.refresh_from_db()
    assert project.chosen_thresholds == {}
