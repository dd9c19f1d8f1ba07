"""Ratings that came in a file: where they are shown, and where they count."""

from __future__ import annotations

import json
import re
import threading
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.agreement import making, report, samples
from tasks.agreement.page_result import PageResult
from tasks.agreement.results import renew, result
from tasks.exporting.export import Export
from tasks.exporting.options import Options, Shape
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.importing.after_import import let_count, point, recount
from tasks.models import (
    AgreementResult,
    CorpusAnswer,
    ImportedRater,
    Item,
    ItemEntry,
    Project,
    Rating,
    ScoreCounts,
    stored_figures,
)
from tasks.models.agreement_results import RatingChoice
from tasks.models.imported import count_first_import
from tasks.models.stored_figures import store_counts, whole_tally
from tasks.models.wanted_ratings import hold_batch
from tests.exports import rows_of
from tests.factories import (
    NOW,
    answer_about_corpus,
    imported_rating,
    make_batch,
    make_item,
    make_project,
    make_rating,
    make_talk,
    make_user,
)
from tests.item_pages.panel_steps import page_after
from tests.practising import OFF
from tests.waiting import until_one_waits_for_us
from tests.worker import few_resamples, work

pytestmark = pytest.mark.django_db
PAIR = [("heron", "Two."), ("gull", "Two: *Phobos* and Deimos.")]


@pytest.fixture
def project(lead: User) -> Project:
    """Four items. Dora and Eli rated them in a sheet, ada rated the first one here."""
    ada = make_user(name="ada")
    made = make_project(slug="p", wanted=2, annotators=[ada], leads=[lead], imported="counted")
    for number in range(1, 5):
        item = make_item(project=made, external_id=f"egg {number}", responses=PAIR)
        for line, (name, values) in enumerate(
            {"Dora": {1: number, 2: 6}, "Eli": {1: 7 - number, 2: 5}}.items(), start=2 * number
        ):
            imported_rating(item=item, by=name, values=values, line=line)
    make_rating(item=made.items.earliest("pk"), annotator=ada, values={1: 3, 2: 3})
    return made


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


@pytest.fixture
def ada(project: Project) -> User:
    return User.objects.get(username="ada")


def rater(name: str) -> ImportedRater:
    return ImportedRater.objects.select_related("project").get(name=name)


def first(project: Project) -> Item:
    return project.items.earliest("pk")


def agreement_of(project: Project, **asked: bool) -> PageResult:
    fresh = Project.objects.get(pk=project.pk)
    with few_resamples():
        return result(fresh, fresh.rubric.schema.dimensions[0], NOW, RatingChoice(**asked))


def people_in(project: Project) -> list[str]:
    return list(agreement_of(project).names_by_number.values())


def means(project: Project) -> dict[int, float]:
    scores = whole_tally(project).by_annotator("quality")
    return {
        person: sum(value * times for value, times in each.items()) / each.total()
        for person, each in scores.items()
    }


def text_of(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    return plain(page.content.decode())


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def table_of(client: Client, address: str, heading: str) -> list[list[str]]:
    """The rows of the table under a heading, as the texts of their cells."""
    page = client.get(address).content.decode()
    table = page[page.index(f'id="{heading}"') :]
    table = table[table.index("<table") : table.index("</table>")]
    return [
        [plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.S)
    ]


# --- what counts ---


def test_agreement_and_means_count_imported_ratings_as_the_lead_says(
    project: Project, ada: User
) -> None:
    assert people_in(project) == ["ada", "Dora", "Eli"]
    assert means(project) == {ada.pk: 3, -rater("Dora").pk: 4.25, -rater("Eli").pk: 4.75}
    let_count(project, "apart", now=NOW)
    assert people_in(project) == ["ada"]
    assert means(project) == {ada.pk: 3}
    let_count(project, "counted", now=NOW)
    assert agreement_of(project).result.overall.ratings == 18


def test_a_rating_outside_by_who_rated_the_item_here_counts_nowhere(
    project: Project, ada: User
) -> None:
    assert point(rater("Dora"), ada, now=NOW)
    assert people_in(project) == ["ada", "Eli"]
    assert agreement_of(project).result.overall.ratings == 16
    assert means(project)[ada.pk] == pytest.approx((3 + 3 + 2 + 6 + 3 + 6 + 4 + 6) / 8)
    (row,) = [
        each
        for each in rows_of(project, shape=Shape.ITEMS)
        if (each["item"], each["model"]) == ("egg 1", "heron")
    ]
    assert (row["n"], row["mean"]) == ("2", "4.5")  # ada's 3, and Eli's 6
    assert len(rows_of(project)) == 18  # but all are in the file
    assert point(rater("Dora"), None, now=NOW)
    assert agreement_of(project).result.overall.ratings == 18


def test_an_account_is_one_rater_only(project: Project, ada: User) -> None:
    assert point(rater("Dora"), ada, now=NOW)
    assert not point(rater("Eli"), ada, now=NOW)
    assert rater("Eli").account is None
    assert rater("Dora").account == ada


def test_stored_figures_are_made_anew_when_other_ratings_count(
    project: Project, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_figures, "STEP", 1)
    store_counts(project, NOW + timedelta(days=1))
    work()
    assert ScoreCounts.objects.get(project=project).counts
    assert "egg 2" in text_of(client, "/projects/p/items/?low=2&high=2")
    let_count(project, "apart", now=timezone.now())
    assert "no worker runs" not in text_of(client, "/projects/p/items/")  # it had no time yet
    assert not ScoreCounts.objects.exists()
    assert not AgreementResult.objects.exists()
    work()
    assert "No item matches these filters" in text_of(client, "/projects/p/items/?low=2&high=2")
    assert means(project) == {ada.pk: 3}


def test_figures_are_made_again_if_other_ratings_count_while_they_are_made(
    project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = making.make

    def make_meanwhile(*given: Any, **asked: Any) -> Any:
        made = make(*given, **asked)
        if Project.objects.get().imported == "counted":
            let_count(project, "apart", now=NOW)
        return made

    monkeypatch.setattr(making, "make", make_meanwhile)
    with few_resamples():
        renew(project, NOW)
    every = AgreementResult.objects.all()
    assert [each.figures["annotators"] for each in every] == [[ada.pk], [ada.pk]]


def test_no_counts_are_kept_where_an_own_rating_may_take_an_imported_one_away(
    project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_figures, "STEP", 1)
    assert point(rater("Dora"), ada, now=NOW)
    store_counts(project, NOW + timedelta(days=1))
    assert not ScoreCounts.objects.exists()
    second = project.items.get(external_id="egg 2")
    make_rating(item=second, annotator=ada, values={1: 7, 2: 7})
    assert whole_tally(project).by_annotator("quality")[ada.pk][7] == 2


def test_places_are_filled_again_when_it_turns_out_who_rated(lead: User) -> None:
    ben = make_user(name="ben")
    project = make_project(wanted=3, annotators=[ben], leads=[lead], imported="places")
    item = make_item(project=project)
    make_rating(item=item, annotator=ben)
    for name in ("Dora", "Eli"):
        imported_rating(item=item, by=name, values={1: 4, 2: 4})
    recount(project, now=NOW)
    assert (Item.objects.get().counted, Item.objects.get().wanted) == (3, 2)
    assert point(rater("Dora"), ben, now=NOW)
    assert (Item.objects.get().counted, Item.objects.get().wanted) == (2, 1)
    assert point(rater("Dora"), None, now=NOW)
    assert (Item.objects.get().counted, Item.objects.get().wanted) == (3, 2)


# --- exports ---


def test_an_export_says_where_an_imported_rating_comes_from(project: Project) -> None:
    shown = ("item", "annotator", "kind", "score", "file", "line", "submitted_at", "started_at")
    rows = [tuple(row[name] for name in shown) for row in rows_of(project, kinds=("imported",))]
    assert rows[:3] == [
        ("egg 1", "Dora", "imported", "1", "sheet.csv", "2", "", ""),
        ("egg 1", "Dora", "imported", "6", "sheet.csv", "2", "", ""),
        ("egg 1", "Eli", "imported", "6", "sheet.csv", "3", "", ""),
    ]
    assert len(rows) == 16
    whole = rows_of(project, shape=Shape.RATINGS, annotators=("Eli",))
    assert [(each["line"], each["quality"]) for each in whole[::2]] == [
        ("3", "6"),
        ("5", "5"),
        ("7", "4"),
        ("9", "3"),
    ]


def test_an_export_has_the_rules_that_a_score_breaks(project: Project) -> None:
    item = make_item(project=project, responses=PAIR)
    imported_rating(item=item, by="Eli", values={1: 7, 2: 7}, breaks={2: ("one", "other")})
    of_scores = [row["breaks"] for row in rows_of(project)][-2:]
    assert of_scores == ["", "one;other"]
    assert [row["breaks"] for row in rows_of(project, shape=Shape.RATINGS)][-2:] == of_scores


def test_an_imported_rater_linked_to_a_member_is_exported_under_the_members_name(
    project: Project, ada: User
) -> None:
    assert point(rater("Dora"), ada, now=NOW)
    assert {row["annotator"] for row in rows_of(project)} == {"ada", "Eli"}
    ours = rows_of(project, annotators=("ada",))
    assert [row["kind"] for row in ours] == ["imported"] * 8 + ["counted"] * 2
    assert {row["annotator"] for row in rows_of(project, pseudonyms=True)} == {"rater-1", "rater-2"}


def test_a_pseudonym_stays_when_others_came_in_a_file_or_turn_out_to_be_members(
    project: Project, ada: User
) -> None:
    eli, dora = -rater("Eli").pk, -rater("Dora").pk
    # The file came first, at `NOW`; ada rated a minute later.
    assert pseudonyms_of(project) == {dora: "rater-1", eli: "rater-2", ada.pk: "rater-3"}
    long_ago, item = NOW - timedelta(days=99), make_item(project=project)
    file = project.rating_files.create(file_name="old.csv", created_at=NOW + timedelta(days=1))
    early = imported_rating(item=item, by="Fay", values={1: 1}, submitted_at=long_ago)
    about = {"model": "gull", "dimension": "quality", "code": "x", "answer": "yes", "revision": 1}
    CorpusAnswer.objects.create(
        **about, project=project, batch=item.batch, rater=early.rater, answered_at=long_ago
    )
    Rating.objects.filter(pk=early.pk).update(file=file)
    assert pseudonyms_of(project)[rater("Fay").person] == "rater-4"
    assert point(rater("Eli"), ada, now=NOW)
    fay = rater("Fay").person
    assert pseudonyms_of(project) == {dora: "rater-1", ada.pk: "rater-3", fay: "rater-4"}


def test_a_member_without_a_rating_goes_on_with_the_pseudonym_of_their_rater(
    project: Project, ben: User
) -> None:
    eli = rater("Eli")
    before = pseudonyms_of(project)[eli.person]
    assert point(eli, ben, now=NOW)
    assert pseudonyms_of(project)[ben.pk] == before
    assert point(eli, None, now=NOW)  # their rows come again, with a number that nobody has had
    assert pseudonyms_of(project)[-eli.pk] == "rater-4"


def test_a_rater_without_an_account_of_the_same_name_can_be_told_from_it(
    project: Project, client: Client
) -> None:
    make_rating(item=first(project), annotator=make_user(name="Eli"), values={1: 1, 2: 1})
    assert people_in(project) == ["Eli", "ada", "Dora", "Eli (imported)"]
    assert [row["kind"] for row in rows_of(project, annotators=("Eli",))] == ["counted"] * 2
    assert len(rows_of(project, annotators=("Eli (imported)",))) == 8


def test_answers_about_a_corpus_have_the_name_of_the_imported_rater(ada: User) -> None:
    talk = make_talk(annotators=[ada])
    batch, fay = talk.batches.get(), talk.raters.create(name="Fay")
    answer_about_corpus(batch, ada, "no", now=NOW)
    said = CorpusAnswer.objects.values("project_id", "batch_id", "model", "dimension", "code").get()
    for revision, answer in enumerate(("no", "yes"), start=1):
        CorpusAnswer.objects.create(
            **said, rater=fay, answer=answer, revision=revision, answered_at=NOW
        )
    rows = rows_of(talk, shape=Shape.CORPUS_ANSWERS)
    assert [(row["annotator"], row["answer"]) for row in rows] == [("ada", "no"), ("Fay", "yes")]
    assert len(rows_of(talk, shape=Shape.CORPUS_ANSWERS, revisions=True)) == 3
    (own,) = rows_of(talk, shape=Shape.CORPUS_ANSWERS, annotators=("Fay",))
    assert own["revision"] == "2"


@pytest.mark.parametrize(
    ("imported", "counted"), [("apart", ["counted"]), ("counted", ["counted", "imported"])]
)
def test_a_manifest_says_which_kinds_its_figures_count(
    project: Project, imported: str, counted: list[str]
) -> None:
    let_count(project, imported, now=NOW)
    export = Export(project, Options(shape=Shape.ITEMS), now=NOW)
    list(export)
    assert json.loads(export.manifest())["counted"] == counted


# --- pages ---

SENTENCES = {
    "apart": "Counts ratings made here. Imported ones are shown and not counted.",
    "counted": "Counts ratings made here and imported ones.",
    "places": "Counts ratings made here and imported ones.",
}


PAGES = ("", "items/", "agreement/", "export/")


def test_where_figures_are_it_says_which_ratings_count(project: Project, client: Client) -> None:
    for imported, sentence in SENTENCES.items():
        let_count(project, imported, now=NOW)
        for page in PAGES if imported == "apart" else PAGES[:1]:
            assert sentence in text_of(client, f"/projects/p/{page}")


def test_a_project_without_imported_ratings_says_nothing_of_them(
    lead: User, client: Client
) -> None:
    make_item(project=make_project(slug="plain", leads=[lead]))
    for page in PAGES:
        # The columns of an export are explained for every project.
        shown = text_of(client, f"/projects/plain/{page}").partition("columns, explained")[0]
        assert "mported" not in shown


def test_the_page_of_an_item_shows_them_with_their_source_and_why_one_does_not_count(
    project: Project, client: Client, ada: User
) -> None:
    address = f"/projects/p/items/{first(project).pk}/"
    rows = {row[0]: row[1:] for row in table_of(client, address, "said")}
    assert rows[""] == ["Dora imported", "Eli imported", "ada"]
    assert rows["Imported from"] == ["sheet.csv, line 2", "sheet.csv, line 3", "–"]
    assert rows["Submitted"] == ["–", "–", "2 Mar 2026, 09:01"]
    assert "Does not count" not in rows
    assert rows["Shown as"] == ["–", "–", "A"]
    assert "spread 5" in text_of(client, address)
    point(rater("Dora"), ada, now=NOW)
    rows = {row[0]: row[1:] for row in table_of(client, address, "said")}
    assert rows[""] == ["ada imported", "Eli imported", "ada"]
    assert rows["Does not count"] == ["ada rated the item here", "–", "–"]
    let_count(project, "apart", now=NOW)
    rows = {row[0]: row[1:] for row in table_of(client, address, "said")}
    why = "imported ratings don’t count in this project"
    assert rows["Does not count"] == [why, why, "–"]


def test_the_page_of_an_item_says_which_rules_a_score_breaks(
    project: Project, client: Client
) -> None:
    dimension = project.rubric.schema.dimensions[0]
    rule = next(each for each in dimension.rules if each.effect == "cap")
    item = make_item(project=project, responses=PAIR)
    imported_rating(item=item, by="Eli", values={1: 7, 2: 7}, breaks={1: (rule.code,)})
    address = f"/projects/p/items/{item.pk}/"
    rows = {row[0]: row[1:] for row in table_of(client, address, "said")}
    assert re.fullmatch(rf"{rule.code}: .+ at most {rule.score}", rows["Breaks"][0])
    other = {row[0] for row in table_of(client, f"{address}?target=2", "said")}
    assert "Breaks" not in other


def test_an_item_without_texts_says_that_the_file_has_none(
    project: Project, client: Client
) -> None:
    bare = make_item(project=project, lacks_texts=True, messages=[], responses=[("heron", "")])
    page = text_of(client, f"/projects/p/items/{bare.pk}/")
    assert "no text in the file" in page
    assert "empty response" not in page
    listed = {row[0]: row[1] for row in table_of(client, "/projects/p/items/", "content")}
    assert listed[bare.external_id] == "no text in the file"
    assert listed["egg 1"] == "How many moons has Mars?"
    empty = make_item(project=project, responses=[("heron", "")])
    assert "empty response" in text_of(client, f"/projects/p/items/{empty.pk}/")


def test_an_imported_rating_cannot_be_sent_back(project: Project, client: Client) -> None:
    item = first(project)
    of_dora = item.ratings.get(rater__name="Dora")
    page = page_after(client, item, "ask", rating=of_dora.pk, question="Why?")
    assert "You can’t send this rating back now" in page
    of_others = project.items.get(external_id="egg 2")
    assert "sent back" not in text_of(client, f"/projects/p/items/{of_others.pk}/")


def test_the_list_of_items_shows_their_scores_and_finds_those_of_a_rater(
    project: Project, client: Client
) -> None:
    work()
    row = table_of(client, "/projects/p/items/", "content")[1]
    assert (sorted(row[2:4]), row[4]) == (["1 6 3", "6 5 3"], "5")
    imported_rating(item=make_item(project=project, responses=PAIR), by="Fay", values={1: 4})
    work()
    found = text_of(client, f"/projects/p/items/?annotator={rater('Fay').person}")
    assert "Annotator: Fay" in found
    assert "1 of 5 items" in found
    let_count(project, "apart", now=NOW)
    work()
    row = table_of(client, "/projects/p/items/", "content")[1]
    assert row[2:5] == ["3", "3", "–"]


def test_the_overview_names_each_rater_once(project: Project, client: Client, ada: User) -> None:
    work()
    rows = [[row[0], row[1], row[4], row[6]] for row in table_of(client, "/projects/p/", "people")]
    assert rows[1:] == [
        ["ada", "1", "3.00", rows[1][3]],
        ["Dora", "4", "4.25", "imported"],
        ["Eli", "4", "4.75", "imported"],
    ]
    point(rater("Dora"), ada, now=NOW)
    work()
    rows = [row[:2] for row in table_of(client, "/projects/p/", "people")]
    assert rows[1:] == [["ada", "4"], ["Eli", "4"]]  # one item she rated twice


def test_the_page_of_people_says_who_a_rater_is_both_ways(
    project: Project, client: Client, ada: User
) -> None:
    work()
    address = "/projects/p/people/"
    names = [row[:2] for row in table_of(client, address, "raters")[1:]]
    assert names == [["Dora", "4"], ["Eli", "4"]]
    where = f"/projects/p/raters/{rater('Dora').pk}/"
    said = client.post(where, {"account": ada.pk}, follow=True).content.decode()
    assert f'<option value="{ada.pk}" selected' in said
    other = f"/projects/p/raters/{rater('Eli').pk}/"
    said = client.post(other, {"account": ada.pk}, follow=True).content.decode()
    assert "ada is another imported rater already" in plain(said)
    said = client.post(where, {"account": ""}, follow=True).content.decode()
    assert f'<option value="{ada.pk}" selected' not in said
    assert rater("Dora").account is None
    outsider = make_user(name="outsider")
    said = client.post(where, {"account": outsider.pk}, follow=True).content.decode()
    assert "Choose one of the members" in plain(said)


def test_no_other_lead_can_say_who_a_rater_is(project: Project, ada: User) -> None:
    stranger = Client()
    stranger.force_login(ada)
    where = f"/projects/p/raters/{rater('Dora').pk}/"
    assert stranger.post(where, {"account": ada.pk}).status_code == 404


# --- settings ---


def test_the_lead_says_if_they_count(project: Project, client: Client) -> None:
    page = client.get("/projects/p/settings/").content.decode()
    offered = re.findall(r'name="imported" value="(\w+)"', page)
    assert offered == ["apart", "counted"]
    client.post("/projects/p/settings/", settings_sent(page) | {"imported": "apart"})
    assert Project.objects.get(pk=project.pk).imported == "apart"


@pytest.mark.parametrize("imported", ["places", "apart"])
def test_a_project_made_of_ratings_or_without_any_has_no_choice_of_what_counts(
    lead: User, client: Client, imported: str
) -> None:
    project = make_project(slug="q", leads=[lead], imported=imported)
    if imported == "places":
        imported_rating(item=make_item(project=project), by="Dora", values={1: 2})
    page = client.get("/projects/q/settings/").content.decode()
    assert 'name="imported"' not in page
    client.post("/projects/q/settings/", settings_sent(page) | {"imported": "counted"})
    assert Project.objects.get(pk=project.pk).imported == imported


def settings_sent(page: str) -> dict[str, str]:
    """What the form sends if nothing is changed."""
    project = Project.objects.get(slug="p" if "/projects/p/" in page else "q")
    sent = {}
    for name in ("title", "status", "wanted", "overlap_percent", "overlap_wanted", "order"):
        sent[name] = sent[f"initial-{name}"] = str(getattr(project, name))
    for name in ("grouping", "view", "lease_minutes", "search_address", "imported"):
        sent[name] = sent[f"initial-{name}"] = str(getattr(project, name))
    sent |= OFF
    sent["names_annotators"] = sent["initial-names_annotators"] = "on"
    return sent


# --- agreement ---


def test_agreement_leaves_out_ratings_that_break_a_rule_on_request(
    project: Project, client: Client
) -> None:
    address = "/projects/p/agreement/"
    work()
    assert "break a rule" not in text_of(client, address)
    item = make_item(project=project, responses=PAIR)
    imported_rating(item=item, by="Eli", values={1: 7, 2: 1}, breaks={1: ("a-rule",)})
    imported_rating(item=item, by="Dora", values={1: 7, 2: 7})
    work()
    assert "without ratings that break a rule" in text_of(client, address)
    assert "10 rated twice or more, 22 scores" in text_of(client, address)
    assert "8 rated twice or more, 18 scores" in text_of(client, f"{address}?breaks=out")


def test_the_items_furthest_apart_show_who_gave_what(project: Project, client: Client) -> None:
    work()
    assert "Over time" in text_of(client, "/projects/p/agreement/")  # ada's
    head, worst, *others = table_of(client, "/projects/p/agreement/", "furthest")
    assert head == ["Item", "Response", "A", "B", "C"]
    assert worst == ["egg 1", "1", "3 ada", "1 Dora", "6 Eli"]
    assert ["egg 4", "1", "4 Dora", "3 Eli", ""] in others


def test_pseudonyms_stand_there_too_if_the_page_names_nobody(
    project: Project, client: Client
) -> None:
    Project.objects.update(names_annotators=False)
    work()
    worst = table_of(client, "/projects/p/agreement/", "furthest")[1]
    assert worst == ["egg 1", "1", "1 rater-1", "6 rater-2", "3 rater-3"]


def test_of_very_many_people_no_two_are_compared(
    project: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MOST_COMPARED", 2)
    monkeypatch.setattr(samples, "MOST_PAIRS", 1)
    with few_resamples():
        renew(project, NOW)
    figures = AgreementResult.objects.filter(project=project)[0].figures
    assert (figures["pairs"], figures["without"], len(figures["annotators"])) == ([], None, 3)
    said = text_of(client, "/projects/p/agreement/")
    assert "So many people rated that no two of them are compared." in said


def test_figures_do_not_count_the_ratings_of_a_batch_that_is_removed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_figures, "STEP", 1)
    before = whole_tally(project)
    item = make_item(project=project, batch=make_batch(project=project), responses=PAIR)
    imported_rating(item=item, by="Dora", values={1: 7, 2: 7})
    store_counts(project, NOW + timedelta(days=1))
    assert people_in(project)
    assert item.batch.remove()
    assert whole_tally(project) == before
    assert not AgreementResult.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_change_of_settings_and_of_what_counts_wait_for_each_other_in_turn() -> None:
    project = make_project(imported="counted")
    item = make_item(project=project, responses=PAIR)
    imported_rating(item=item, by="Dora", values={1: 7, 2: 7})

    def change() -> None:
        let_count(project, "apart", now=NOW)
        connection.close()

    thread = threading.Thread(target=change)
    with transaction.atomic():
        hold_batch(item.batch_id)
        thread.start()
        until_one_waits_for_us()
        ItemEntry.objects.filter(item=item).update(state="finished")  # as a trigger does
    thread.join()
    assert Project.objects.get().imported == "apart"


def test_a_later_import_into_a_project_that_is_rated_stops_nobody(
    project: Project, django_assert_num_queries: Any
) -> None:
    Project.objects.filter(pk=project.pk).update(imported="apart")
    with django_assert_num_queries(3):  # a savepoint, and whether anybody has rated
        count_first_import(project)
