"""A lead drops a sheet that people have rated, sees what it says, and imports it."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from rubrics.models import Rubric
from tasks.importing.after_import import let_count
from tasks.importing.batches.loading import FileToLoad
from tasks.importing.columns.mapping_yaml import read_mapping
from tasks.importing.ratings.rating_loading import load_file
from tasks.models import Batch, ImportedRater, Item, Project, Rating, RatingFile, Response, Upload
from tasks.queue.allocation import take_next

from ..factories import (
    make_batch,
    make_item,
    make_project,
    make_rating,
    make_user,
)
from .import_steps import (
    load_uploads,
    shown_in,
)

pytestmark = pytest.mark.django_db

EGGS = """row,question,answer,system,Anna,Ben,Cem,Dora
1,How long do I boil an egg?,Six minutes for a soft one.,heron-8b,4,5,n/a,3
2,Can I freeze a boiled egg?,Yes.,heron-8b,5,5,1,4
3,Why did mine turn green?,Sulphur meets iron.,wren-2b,2,5,2,4
4,Is a cracked egg safe?,Not raw.,wren-2b,5,3,2,5.0
5,What is a poached egg?,One cooked without its shell.,heron-8b,1,2,1,1
"""


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    """A browser of somebody who leads a project, and so may open others."""
    make_project(slug="p", title="P", leads=[lead])
    client.force_login(lead)
    return client


def drop(client: Client, content: str, *, into: str = "", name: str = "egg_study.csv") -> str:
    """Drop a sheet, as a new project or into one; return the words of its page."""
    address = f"/projects/{into}/upload/" if into else "/projects/new/sheet/"
    client.post(address, {"file": SimpleUploadedFile(name, content.encode())})
    load_uploads()
    return page_words(client)


def page_words(client: Client) -> str:
    """The words of the last file's page."""
    page = client.get(Upload.objects.latest("pk").address).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def act(client: Client, name: str, **fields: str) -> Any:
    upload = Upload.objects.latest("pk")
    answer = client.post(upload.address, shown_in(upload) | {"act": name} | fields)
    load_uploads()
    return answer


def report() -> dict[str, Any]:
    return dict(Upload.objects.latest("pk").report)


def faults() -> list[tuple[int, str, str]]:
    return [
        (each["line"], each["column"], each["reason"])
        for kind in report().get("faults", ())
        for each in kind["samples"]
    ]


def test_a_sheet_says_how_well_people_agree_before_anything_is_stored(here: Client) -> None:
    rubrics = Rubric.objects.count()
    seen = drop(here, EGGS)
    assert "missing" not in report()
    assert "What it says, at a first look Quality: α 0.26" in seen
    assert "19 ratings ready. 4 people rated." in seen
    assert "Can I freeze a boiled egg? 5 5 1 4" in seen
    for model in (Rating, Item, Batch, ImportedRater, RatingFile):
        assert not model.objects.exists()
    assert Rubric.objects.count() == rubrics


def test_the_import_of_a_rated_sheet_leads_to_agreement_and_finishes_the_items(
    here: Client,
) -> None:
    drop(here, EGGS)
    act(here, "import")
    assert "5 items. 19 ratings are imported." in page_words(here)
    assert "α 0.26" in here.get("/projects/egg_study/agreement/").content.decode()
    project = Project.objects.get(slug="egg_study")
    quality = project.rubric.schema.dimension("quality")
    assert (quality.lowest, quality.highest, quality.rules) == (1, 5, ())
    assert project.imported == "places"
    assert [(each.wanted, each.counted) for each in Item.objects.order_by("position")] == [
        (3, 3),
        *[(4, 4)] * 4,
    ]
    assert Batch.objects.get(project=project).finished == 5
    models = Response.objects.order_by("pk").values_list("model", flat=True)
    assert [*models] == ["heron-8b", "heron-8b", "wren-2b", "wren-2b", "heron-8b"]


def test_a_row_without_ratings_stays_open_and_is_handed_out(here: Client) -> None:
    drop(here, EGGS + "6,And a duck’s?,Nine minutes.,wren-2b,,,,\n")
    act(here, "import")
    project = Project.objects.get(slug="egg_study")
    ada = make_user()
    project.admit(ada, role="annotator", by=ada, now=timezone.now())
    lease = take_next(project, ada, now=timezone.now())
    assert lease is not None
    assert lease.item.external_id == "6"


def test_in_a_running_project_ratings_fill_no_place_and_count_if_the_lead_says_so(
    here: Client,
) -> None:
    project = Project.objects.get(slug="p")
    item = make_item(batch=make_batch(project=project), external_id="a", responses=["Yes."])
    make_rating(item=item, values={1: 5})
    seen = drop(here, "item,rater,score\na,Ben,6\nb,Ben,5\na,Cem,7\n", into="p")
    assert "2 ratings ready" in seen
    assert faults() == [(3, "", "is no item of the project")]
    assert "1 rating can’t be taken" in seen
    assert "1 bad rating is set aside." in seen
    assert "row can’t be loaded" not in seen
    act(here, "import")
    assert "2 ratings of 1 item by 2 people 1 rating was left out." in page_words(here)
    item.refresh_from_db()
    assert (item.counted, item.wanted, item.imported) == (1, project.wanted, 0)
    assert (Rating.objects.counting().count(), Rating.objects.imported().count()) == (1, 2)
    Project.objects.update(imported="counted")
    assert Rating.objects.counting().count() == 3


def test_halves_are_refused_with_their_count_unless_the_lead_doubles_all(here: Client) -> None:
    halves = EGGS.replace(",4,5,n/a,3", ',4,"4,5",n/a,3.5')
    assert "Double all scores, as there are halves" in drop(here, halves)
    assert [column for _line, column, _reason in faults()] == ["Ben", "Dora"]
    act(here, "read", doubled="on")
    assert faults() == []
    act(here, "import", doubled="on")
    project = Project.objects.get(slug="egg_study")
    quality = project.rubric.schema.dimension("quality")
    assert (quality.lowest, quality.highest) == (2, 10)
    ben = Rating.objects.get(item__external_id="1", rater__name="Ben")
    assert ben.scores.get().value == 9


def test_texts_are_scores_in_the_order_that_the_lead_gives_them(here: Client) -> None:
    sheet = "item,rater,rating\n" + "".join(
        f"{item},{rater},{text}\n"
        for item in "abc"
        for rater, text in (("Anna", "good"), ("Ben", "fair"), ("Cem", "bad"))
    )
    drop(here, sheet)
    number = next(n for n, each in enumerate(report()["columns"]) if each["path"] == "rating")
    act(here, "read", **{f"use-{number}": "score"})
    act(here, "read", **{"words-0": "bad; fair; good"})
    assert report()["ratings"]["ratings"] == 9
    act(here, "import", **{"words-0": "bad; fair; good"})
    values = Rating.objects.order_by("pk").values_list("scores__value", flat=True)
    assert list(values)[:3] == [3, 2, 1]


def test_texts_may_be_kept_as_a_check_with_options(here: Client) -> None:
    sheet = "item,rater,score,kind of fault\na,Ben,2,too short\na,Cem,3,plain wrong\n"
    drop(here, sheet)
    number = next(n for n, each in enumerate(report()["columns"]) if "kind" in each["path"])
    act(here, "read", **{f"use-{number}": "check"})
    act(here, "import")
    (check,) = Project.objects.get(slug="egg_study").rubric.schema.dimensions[0].checks
    assert [each.wording for each in check.answers] == ["plain wrong", "too short"]
    checks = Rating.objects.order_by("pk").values_list("scores__checks", flat=True)
    assert list(checks) == [{check.code: "too_short"}, {check.code: "plain_wrong"}]


def test_a_rater_with_the_name_of_a_member_is_that_member(here: Client, lead: User) -> None:
    ben = make_user(name="ben")
    project = Project.objects.get(slug="p")
    project.admit(ben, role="annotator", by=ben, now=timezone.now())
    make_item(batch=make_batch(project=project), external_id="a", responses=["Yes."])
    assert "Members among the raters: ben" in drop(here, "item,rater,score\na,Ben,6\n", into="p")
    act(here, "import")
    assert ImportedRater.objects.get().account == ben


def test_items_without_texts_say_so_and_are_never_handed_out(here: Client) -> None:
    seen = drop(here, "item,rater,helpful,clear\na,Anna,0,2\na,Ben,1,2\nb,Anna,,\n")
    assert "2 items, without texts." in seen
    assert report()["missing"]
    [clear] = [n for n, each in enumerate(report()["columns"]) if each["path"] == "clear"]
    act(here, "read", **{f"use-{clear}": "score"})
    act(here, "import")
    project = Project.objects.get(slug="egg_study")
    ada = make_user()
    project.admit(ada, role="annotator", by=ada, now=timezone.now())
    assert take_next(project, ada, now=timezone.now()) is None
    a, b = Item.objects.order_by("position")
    assert (a.lacks_texts, a.counted, b.dropped) == (True, 2, True)
    page = here.get(f"/projects/egg_study/items/{a.pk}/").content.decode()
    assert "no text in the file" in page.lower()


def test_numbers_of_responses_without_texts_need_the_items_first(here: Client) -> None:
    seen = drop(here, "item,response,rater,score\na,1,Ben,4\na,2,Ben,5\na,1,Cem,4\n")
    assert "The file numbers responses without texts. Load the items first" in seen


def test_a_column_chosen_as_a_score_is_proposed_as_its_persons(here: Client) -> None:
    drop(here, "id,prompt,response,Anna,Ben\n1,Why?,So.,4,5\n2,How?,Thus.,2,2\n")
    columns = {each["path"]: n for n, each in enumerate(report()["columns"])}
    act(here, "read", **{f"use-{columns[name]}": "score" for name in ("Anna", "Ben")})
    act(here, "read")
    assert ("missing" in report(), report()["ratings"]["people"]) == (False, 2)


def test_a_sheet_of_one_rater_says_that_nothing_can_be_compared(here: Client) -> None:
    seen = drop(here, "item,rater,score\na,Ben,6\nb,Ben,5\n")
    assert "One person rated, so there is nothing to compare." in seen


def test_a_file_that_was_imported_is_refused_the_second_time(here: Client) -> None:
    drop(here, EGGS)
    act(here, "import")
    drop(here, EGGS, into="egg_study")
    assert "is already in the project" in report()["refused"]
    assert Rating.objects.count() == 19


def test_scores_that_break_rules_are_named_and_taken_with_them_on_request(here: Client) -> None:
    project = Project.objects.get(slug="p")
    make_item(batch=make_batch(project=project), external_id="a", responses=["Yes."])
    sheet = (
        "item,rater,score,helpful,harmless,honest,comprehensive\n"
        "a,Ben,7,not,yes,yes,yes\na,Cem,7,entirely,yes,yes,yes\n"
    )
    drop(here, sheet, into="p")
    checks = ("helpful", "harmless", "honest", "comprehensive")
    columns = {each["path"]: n for n, each in enumerate(report()["columns"])}
    act(here, "read", **{f"use-{columns[name]}": "check" for name in checks})
    assert report()["ratings"]["ratings"] == 1
    assert "breaks the rule" in faults()[0][2]
    act(here, "read", breaks="take")
    assert report()["ratings"]["ratings"] == 2
    assert "1 score breaks the rule" in " ".join(report()["ratings"]["remarks"])


def test_only_who_may_open_projects_drops_a_sheet_as_one(client: Client) -> None:
    client.force_login(make_user())
    file = SimpleUploadedFile("a.csv", EGGS.encode())
    assert client.post("/projects/new/sheet/", {"file": file}).status_code in (403, 413)
    assert client.get("/projects/new/sheet/").status_code == 302
    assert not Project.objects.exists()


def test_no_address_is_kept_once_the_ratings_are_imported(here: Client) -> None:
    drop(here, EGGS.replace("Anna", "anna@lab.example").replace("Cem", "cem@lab.example"))
    act(here, "import")
    upload = Upload.objects.get()
    assert "@" not in json.dumps([upload.report, upload.choices])
    assert upload.batch
    assert "@" not in upload.batch.mapping
    assert upload.project
    assert {each.name for each in upload.project.raters.all()} == {
        *("Ben", "Dora", "imported-1", "imported-4")
    }
    assert here.get(f"/projects/egg_study/upload/{upload.pk}/").status_code == 200
    assert act(here, "import").status_code in {200, 302}  # a second click


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (EGGS, f"{'x' * 250}.csv", "19 ratings"),
        (EGGS.replace("4,5,n/a", "nul\0,5,n/a"), "eggs.csv", "is no number"),
        (
            "item,rater,dimension,score\n"
            + "".join(f"{n},{who},response,{n}\n" for n in (1, 2, 3) for who in ("Anna", "Ben")),
            "eggs.csv",
            "No rubric can be made from these columns",
        ),
    ],
)
def test_a_strange_sheet_gets_a_sentence(here: Client, content: str, name: str, said: str) -> None:
    assert said in drop(here, content, name=name)


def test_a_text_among_numbers_is_a_fault_and_no_scale_of_texts(here: Client) -> None:
    seen = drop(here, EGGS.replace("5,2,4\n", "5,x,4\n", 1))
    assert "Scale of quality" in seen
    act(here, "read", no_answer="n/a, NA, -")
    assert [fault[1:] for fault in faults()] == [("Cem", "is no number")]
    assert report()["scoring"]["dimensions"][0]["scale"] == [1, 5]


def test_the_lowest_and_the_highest_score_are_those_of_the_file(here: Client) -> None:
    seen = drop(here, "id,Anna,Ben\na,4,5\nb,5,3\nc,4,4\n")
    assert "lowest and highest found: 3, 5" in seen


@pytest.mark.parametrize("scale", ["3 to 3", "1 to 999999"])
def test_a_scale_that_no_rubric_can_have_is_refused_in_words(here: Client, scale: str) -> None:
    drop(here, EGGS)
    act(here, "read", **{"scale-0": scale})
    seen = page_words(here)
    assert "No rubric can be made from these columns: " in seen


def test_a_scale_reaches_beyond_its_halves(here: Client) -> None:
    halves = EGGS.replace(",5.0", ",4.5").replace(",5,", ",4.5,").replace(",5,", ",4.5,")
    drop(here, halves)
    act(here, "read", doubled="on")
    assert faults() == []
    assert report()["scoring"]["dimensions"][0]["scale"] == [1, 5]


def test_ratings_in_no_dimension_of_the_rubric_are_left_out_by_its_name(here: Client) -> None:
    drop(here, EGGS)
    tone = {f"dimension-{number}": "tone" for number in range(4, 8)}
    act(here, "read", rubric="", **tone)
    seen = page_words(here)
    assert "“tone” is not in the rubric: 19 scores are left out." in seen
    assert "Import 5 items" in seen


def test_a_second_file_does_not_undo_that_the_first_one_counts_nowhere(here: Client) -> None:
    drop(here, EGGS)
    act(here, "import")
    project = Project.objects.get(slug="egg_study")
    let_count(project, "apart", now=timezone.now())
    columns = "shape: ratings\ncolumns: {item: group, rater: rater, score: score}"
    load_file(
        FileToLoad(
            project,
            BytesIO(f"item,rater,score\n{project.items.all()[0].external_id},Fay,3\n".encode()),
            mapping=read_mapping(columns),
            file_name="more.csv",
            now=timezone.now(),
            report=lambda error: None,
        )
    )
    project.refresh_from_db()
    assert (project.imported, project.ratings.counting().count()) == ("apart", 0)


def test_the_rubric_of_a_sheet_is_no_template_unless_its_lead_says_so(
    here: Client, lead: User
) -> None:
    drop(here, EGGS)
    act(here, "import")
    project = Project.objects.get(slug="egg_study")
    offer = f"/projects/{project.slug}/rubric/offer/"

    def offered() -> bool:
        page = here.get("/projects/new/").content.decode()
        return f'value="{project.rubric_id}"' in page

    assert not offered()
    assert offer in here.get(f"/projects/{project.slug}/settings/").content.decode()
    here.post(offer, {"offers": "on"})
    assert offered()
    other = make_user()
    project.admit(other, role="lead", by=lead, now=timezone.now())
    here.force_login(other)
    assert offer not in here.get(f"/projects/{project.slug}/settings/").content.decode()
    here.post(offer)
    here.force_login(lead)
    assert offered()
    here.post(offer)
    assert not offered()


def test_a_file_makes_no_project_until_it_is_imported_and_is_taken_back_with_it(
    here: Client, lead: User
) -> None:
    drop(here, EGGS)
    assert not Project.objects.filter(slug="egg_study").exists()
    assert "5 items" in here.get("/").content.decode()  # among what is not finished
    act(here, "import", title="Eggs")
    project = Project.objects.get(title="Eggs")
    rubric = project.rubric
    assert "egg_study.csv" not in here.get("/").content.decode()
    act(here, "take_back")
    for rows in (Rating.objects, ImportedRater.objects, RatingFile.objects, Batch.objects):
        assert not rows.exists()
    assert not Project.objects.filter(pk=project.pk).exists()
    assert not Rubric.objects.filter(pk=rubric.pk).exists()


def test_an_import_is_taken_back_until_somebody_rates_and_its_project_is_as_before(
    here: Client, lead: User
) -> None:
    project = Project.objects.get(slug="p")
    before = (project.rubric_id, project.wanted, project.imported)
    drop(here, EGGS + "6,And a duck’s?,Nine minutes.,wren-2b,,,,\n", into="p")
    act(here, "read", rubric="made")
    act(here, "import")
    assert "Take the import back" in page_words(here)
    with transaction.atomic():
        make_rating(item=Item.objects.get(external_id="6"), values={1: 5})
        assert "Take the import back" not in page_words(here)
        act(here, "take_back")
        assert Batch.objects.exists()
        transaction.set_rollback(True)
    act(here, "take_back")
    project.refresh_from_db()
    assert (project.rubric_id, project.wanted, project.imported) == before
    assert not Batch.objects.exists()


def test_a_file_goes_into_a_project_of_its_lead_after_another_look(here: Client) -> None:
    drop(here, "id,prompt,response\na,Why?,So.\n", name="more.csv")
    project = Project.objects.get(slug="p")
    act(here, "import", project=str(project.pk))
    upload = Upload.objects.get()
    assert (upload.project, upload.batch) == (project, None)
    act(here, "import")
    assert project.batches.get().name == "more"


@pytest.mark.parametrize("into", ["", "p"])
def test_a_sheet_that_is_dropped_four_times_is_one_upload(here: Client, into: str) -> None:
    sheet = "item,rater,rating\n" + "".join(f"a{n},Ben,{n % 5 + 1}\n" for n in range(5))
    before = Project.objects.count()
    for _time in range(4):
        drop(here, sheet, into=into)
    assert (Upload.objects.count(), Project.objects.count() - before) == (1, 0)
    drop(here, sheet + "b,Ben,1\n", into=into)
    assert Upload.objects.count() == 2


def test_a_name_that_turns_the_direction_of_its_letters_is_stored_without(here: Client) -> None:
    drop(here, EGGS, name="eggs_\u202evsc.exe.csv")
    assert Upload.objects.get().file_name == "eggs_vsc.exe.csv"
    assert 'value="eggs_vsc.exe"' in here.get(Upload.objects.get().address).content.decode()


def test_a_project_that_someone_else_deleted_meanwhile_is_not_found(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = Project.remove

    def twice(project: Project) -> bool:
        remove(Project.objects.get(pk=project.pk))
        return remove(project)

    monkeypatch.setattr(Project, "remove", twice)
    assert here.post("/projects/p/delete/").status_code == 404
    assert not Project.objects.filter(slug="p").exists()


def test_a_row_that_is_missing_deeper_in_is_an_error_and_no_missing_page(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(project=Project.objects.get(slug="p"))

    def remove(_row: object) -> bool:
        raise User.DoesNotExist

    for row, address in ((Project, "delete/"), (Batch, f"batches/{batch.pk}/")):
        monkeypatch.setattr(row, "remove", remove)
        with pytest.raises(User.DoesNotExist):
            here.post(f"/projects/p/{address}", {"act": "remove"})


def test_a_batch_that_someone_else_deleted_meanwhile_is_not_found(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(project=Project.objects.get(slug="p"))

    def remove(row: Batch) -> bool:
        Batch.objects.filter(pk=row.pk).delete()
        raise Batch.DoesNotExist

    monkeypatch.setattr(Batch, "remove", remove)
    address = f"/projects/p/batches/{batch.pk}/"
    assert here.post(address, {"act": "remove"}).status_code == 404


@pytest.mark.parametrize("into", ["", "p"])
def test_a_page_whose_upload_is_deleted_while_it_is_made_is_not_found(
    here: Client, monkeypatch: pytest.MonkeyPatch, into: str
) -> None:
    drop(here, EGGS, into=into)
    upload = Upload.objects.get()
    address = upload.address

    def gone(*_given: object, **_named: object) -> object:
        upload.delete()
        return Upload.objects.get(pk=0)

    monkeypatch.setattr("tasks.importing.views.render", gone)
    assert here.get(address).status_code == 404
