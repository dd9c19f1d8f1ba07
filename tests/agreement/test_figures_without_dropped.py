"""A dropped item counts nowhere: every figure is that of a project without it, until it is back."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.agreement import making, own, results
from tasks.agreement.results import lacking_since, last_result
from tasks.agreement.stored import Result
from tasks.exporting.forms import export_of
from tasks.exporting.options import Options, Shape
from tasks.exporting.own_data import personal_csv
from tasks.management.commands.work import projects_with_news
from tasks.models import Batch, ItemEntry, Project, ScoreCounts, Workday, stored_figures
from tasks.models.agreement_results import RatingChoice
from tasks.models.dropping import decide_dropped
from tasks.models.item_list import ItemFilter
from tasks.models.list_renewal import index_texts, renew_entries
from tasks.models.stored_figures import store_counts, whole_tally
from tasks.overview.cost import cost_of
from tasks.overview.partial_dimensions import partly_applied
from tasks.overview.project_rows import rows_of
from tasks.queue.submitting import correct_rating, submit_lease
from tests.exports import rows_of as exported, text_of
from tests.factories import (
    NOW,
    imported_rating,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_talk,
    make_user,
)

pytestmark = pytest.mark.django_db
SCORED = (Shape.SCORES, Shape.RATINGS, Shape.ITEMS, Shape.WIDE)
FAULTY = "s1"  # two people are far apart here, and nowhere else


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> dict[str, User]:
    monkeypatch.setattr(own, "LEAST_ITEMS", 2)
    monkeypatch.setattr(stored_figures, "STEP", 1)
    return {name: make_user(name=name) for name in ("ada", "ben", "cem", "lea")}


def study(slug: str, people: dict[str, User], *, without: str = "") -> Project:
    """Five items, two of them finished, with a correction, an extra and an imported rating each."""
    raters = [people[name] for name in ("ada", "ben", "cem")]
    made = make_project(
        slug=slug,
        title="Eggs",
        wanted=3,
        annotators=raters,
        leads=[people["lea"]],
        imported="counted",
        shows_own_agreement=True,
    )
    batch = make_batch(project=made, name="first", position=1)
    for place, name in enumerate(["s0", FAULTY, "s2", "s3", "s4"]):
        if name == without:
            continue
        item = make_item(batch=batch, external_id=name, position=place)
        scores = {"ada": 2 + place, "ben": 7 if name == FAULTY else 2 + place, "cem": 1 + place}
        for rater in ("ada", "ben", "cem")[: 3 if place < 2 else 2 if place < 4 else 0]:
            given = make_rating(
                item=item, annotator=people[rater], values={1: scores[rater], 2: 3 + place % 2}
            )
        if place < 2:
            imported_rating(item=item, by="dee", values={1: 4 + place, 2: 1})
            again = make_submission(lease=given.lease, values={1: 5, 2: 6})  # type: ignore[arg-type]
            correct_rating(given, again, based_on=1, now=NOW + timedelta(hours=1))
            late = make_lease(item=item, annotator=people["lea"], status="expired", ended_at=NOW)
            submit_lease(late, make_submission(lease=late), now=NOW)  # extra
    Batch.objects.filter(project=made).update(status="closed")
    worked(made)
    return made


def worked(project: Project) -> None:
    """Let the worker make what it makes."""
    later = timezone.now() + timedelta(hours=1)
    store_counts(project, later)
    while renew_entries(project, now=later):
        pass
    results.renew(project, later)
    while index_texts(project):
        pass


def agreement(project: Project, **options: bool) -> tuple[Result, list[str]]:
    """All figures of agreement, without what is of the project itself: a rater of a file is 0."""
    [dimension] = project.rubric.schema.dimensions
    figures = results.result(project, dimension, NOW, RatingChoice(**options))
    found = figures.result
    units = []
    for unit in found.furthest:
        scores = [(max(0, number), score) for number, score in unit.scores_of_people]
        units.append(replace(unit, key=0, scores_of_people=scores))
    pairs = []
    for pair in found.pairs:
        pairs.append(replace(pair, first=max(0, pair.first), second=max(0, pair.second)))
    assert found.without
    without = replace(found.without, annotator=max(0, found.without.annotator))
    alike = replace(
        found,
        dropped=0,
        annotators=[max(0, number) for number in found.annotators],
        team=[max(0, number) for number in found.team],
        furthest=units,
        pairs=pairs,
        without=without,
    )
    return alike, list(figures.names_by_number.values())


def files(project: Project, **options: Any) -> dict[str, str]:
    return {
        str(shape): text_of(project, shape=shape, **options).replace(project.slug, "eggs")
        for shape in SCORED
    }


def entries(project: Project) -> dict[str, Any]:
    listed = ItemEntry.objects.matching(project, ItemFilter()).exclude(external_id=FAULTY)
    highest = ItemFilter(dimension="quality", scores=(7,))
    return {
        "spread": ItemEntry.objects.matching(project, ItemFilter(spread=2)).count(),
        "score": ItemEntry.objects.matching(project, highest).count(),
        "traits": {
            each.external_id: sorted(re.sub(r"^\d+:|-\d+$", "", trait) for trait in each.traits)
            for each in listed
        },
    }


def pages(project: Project, lead: Client) -> dict[str, Any]:
    address = f"/projects/{project.slug}/"
    overview, listed = lead.get(address).context, lead.get(f"{address}items/?sort=-spread").context
    export = lead.get(f"{address}export/?shape=scores").context
    table = lead.get(f"{address}agreement/overall.csv?dimension=quality")
    shown = ("models", "blanks", "ticks", "share", "agreement", "hours_left")
    return {
        "overview": {name: overview[name] for name in shown if name != "agreement"},
        "alpha": replace(overview["agreement"], made_at=None),
        "means": {row.name: row.mean for row in overview["people"]},
        "first": listed["page"].listed_rows[0].item.external_id,
        "batch": [batch for batches, _total in listed["folds"] for batch in sums(batches)],
        "sums": [{**total} for _batches, total in listed["folds"]],
        "rows": export["rows_by_shape"],
        "first rows": [
            [cell.replace(project.slug, "eggs") for cell in row] for row in export["cell_rows"]
        ],
        "table": table.getvalue().decode().replace(project.slug, "eggs"),
    }


def sums(batches: list[Batch]) -> list[tuple[int, ...]]:
    return [(each.item_count, each.finished_count, each.counted, each.wanted) for each in batches]


def figures(project: Project, people: dict[str, User], lead: Client) -> dict[str, Any]:
    """Every figure of a project, without what names the project itself."""
    project = Project.objects.get(pk=project.pk)
    worked(project)
    [row] = rows_of([project], NOW)
    progress, later = row.progress, NOW + timedelta(days=30)
    return {
        "files": files(project),
        "revisions": text_of(project, revisions=True).replace(project.slug, "eggs"),
        "entries": entries(project),
        "pages": pages(project, lead),
        # Imported raters have another key in each project.
        "counts": [[*row[:3], max(row[3], -1), *row[4:]] for row in whole_tally(project).rows],
        "cost": cost_of(project),
        "start": (progress.counted, progress.wanted, progress.items, row.bar, row.alpha),
        "own": [each.same for each in own.agreement_of_annotator(project, people["ada"], later)],
        "agreement": agreement(project),
        "agreement first": agreement(project, first=True),
    }


def kept(project: Project, person: User) -> dict[str, Any]:
    """What is someone's work, whatever became of it."""
    pace = Workday.objects.pace(person, project, NOW)
    return {
        "rated": (pace.rated, pace.today),
        "days": project.workdays.ratings_by_day(),
        "seconds": project.workdays.seconds(),
        "scores": whole_tally(project, by=person.pk).by_annotator("quality"),
        "file": b"".join(personal_csv(person)).decode().count("\r\n"),
    }


def test_every_figure_is_that_of_a_project_without_the_item_until_it_is_taken_back(
    client: Client, people: dict[str, User]
) -> None:
    client.force_login(people["lea"])
    whole = study("with-it", people)
    less = study("without-it", people, without=FAULTY)
    for project in (whole, less):
        client.post(f"/projects/{project.slug}/models/", {"models": "shown"})
    item, ada = whole.items.get(external_id=FAULTY), people["ada"]
    before, work = figures(whole, people, client), kept(whole, ada)
    decide_dropped(item, True, why="A faulty text.", by=people["lea"], now=NOW)
    after, wanted = figures(whole, people, client), figures(less, people, client)
    for name, value in wanted.items():
        assert after[name] == value, name
        assert name == "cost" or before[name] != value, f"{name} would not tell"
    assert kept(whole, ada) == work
    decide_dropped(item, False, why="It is right.", by=people["lea"], now=NOW)
    again = figures(whole, people, client)
    for name, value in before.items():
        assert again[name] == value, name


def dropped(project: Project, lead: User, name: str = FAULTY) -> Project:
    item = project.items.get(external_id=name)
    decide_dropped(item, True, why="A faulty text.", by=lead, now=timezone.now())
    return Project.objects.get(pk=project.pk)


@pytest.mark.parametrize("shape", SCORED)
def test_a_file_has_dropped_items_if_asked_and_a_column_that_says_so(
    people: dict[str, User], shape: Shape
) -> None:
    project = study("eggs", people)
    before = exported(project, shape=shape)
    project = dropped(project, people["lea"])
    assert {row["item"] for row in exported(project, shape=shape)} == {"s0", "s2", "s3"}
    after = exported(project, shape=shape, dropped=True)
    assert {row["item"]: row.pop("dropped") for row in after} == {
        **{"s0": "0", FAULTY: "1", "s2": "0", "s3": "0"}
    }
    for row in before:
        if row["item"] == FAULTY and "final" in row:
            row["final"] = row["final_source"] = ""  # no score stands
    assert after == before
    listed = f"state={ItemEntry.State.DROPPED}"
    assert {row["item"] for row in exported(project, shape=shape, items=listed)} == {FAULTY}


def test_the_manifest_says_if_dropped_items_are_in_the_file_and_how_many_there_are(
    people: dict[str, User],
) -> None:
    project = study("eggs", people)
    assert "dropped_items" not in manifest(project)
    project = dropped(project, people["lea"])
    assert manifest(project)["dropped_items"] == 1
    assert manifest(project)["options"] == ""
    assert manifest(project, dropped=True)["options"] == "dropped=on"


def manifest(project: Project, **options: Any) -> dict[str, Any]:
    export = export_of(project, Options(**options), now=NOW)
    assert list(export)
    made: dict[str, Any] = json.loads(export.manifest())
    return made


def test_pages_say_how_many_dropped_items_they_leave_out(
    client: Client, people: dict[str, User]
) -> None:
    client.force_login(people["lea"])
    project = study("eggs", people)
    addresses = [f"/projects/eggs/{page}" for page in ("", "agreement/", "export/", "items/")]
    said = ["1 dropped item left out."] * 3 + ["5 items, 1 of them dropped"]
    for address in addresses:
        assert "dropped item" not in words(client.get(address)), address
    project = dropped(project, people["lea"])
    for address, sentence in zip(addresses, said, strict=True):
        assert sentence in words(client.get(address)), address
    assert "1 item dropped" in words(client.get("/"))
    page = client.get(f"/projects/eggs/items/{project.items.get(external_id=FAULTY).pk}/")
    assert "Does not count the item is dropped the item is dropped" in words(page)
    listed = client.get("/projects/eggs/export/?state=dropped")
    assert re.search(r'name="dropped"[^>]* checked', listed.content.decode())
    assert listed.context["number"] == 10  # of five people, for two responses


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(text))


def test_the_worker_makes_figures_again_for_what_was_dropped_meanwhile(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = study("eggs", people)
    [dimension] = project.rubric.schema.dimensions
    assert not projects_with_news().exists()
    made = making.make

    def make_slowly(*args: Any, **options: Any) -> Any:
        figures = made(*args, **options)
        monkeypatch.setattr(making, "make", made)
        dropped(project, people["lea"], "s2")
        return figures

    monkeypatch.setattr(making, "make", make_slowly)
    project = dropped(project, people["lea"])
    assert [*projects_with_news()] == [project]
    lacking = last_result(project, dimension)
    assert lacking_since(project, lacking) is not None
    results.renew(project, timezone.now())
    [again] = projects_with_news()
    results.renew(again, timezone.now())
    assert not projects_with_news().exists()
    found = last_result(project, dimension)
    assert lacking_since(project, found) is None
    assert found is not None
    assert (found.result.dropped, found.result.overall.units) == (2, 4)


def test_counts_that_are_made_while_an_item_is_dropped_are_not_stored(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = study("eggs", people)
    ScoreCounts.objects.all().delete()
    counted = stored_figures.tally_of

    def count_slowly(*args: Any, **keys: Any) -> Any:
        found = counted(*args, **keys)
        dropped(project, people["lea"])
        return found

    monkeypatch.setattr(stored_figures, "tally_of", count_slowly)
    monkeypatch.setattr(project, "has_imported", False, raising=False)
    store_counts(project, timezone.now() + timedelta(hours=1))
    monkeypatch.setattr(stored_figures, "tally_of", counted)
    kept = ScoreCounts.objects.get()
    assert (kept.upto, kept.counts, kept.acts) == (0, [], 1)
    anew = whole_tally(project)
    worked(project)
    assert ScoreCounts.objects.get().upto > 0
    assert whole_tally(project) == anew


def test_a_dimension_is_asked_for_the_items_that_are_not_dropped(people: dict[str, User]) -> None:
    talk = make_talk(annotators=[])
    batch = talk.batches.get()
    bare = make_item(batch=batch, persona=[], responses=[("gull", "Yes."), ("gull", "No.")])
    assert (len(list(partly_applied(talk))), batch.count_applicable()["consistency"]) == (1, 7)
    for number, item in enumerate(talk.items.exclude(pk=bare.pk)[:2], start=1):
        dropped(talk, people["lea"], item.external_id)
        batch.refresh_from_db()
        assert batch.count_applicable()["consistency"] == 7 - number
    dropped(talk, people["lea"], bare.external_id)
    assert not list(partly_applied(talk))
    decide_dropped(bare, False, why="It is right.", by=people["lea"], now=NOW)
    assert "5 of 6 items" in " ".join(partly_applied(Project.objects.get(pk=talk.pk)))
