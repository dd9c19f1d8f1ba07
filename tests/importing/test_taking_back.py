"""A file of ratings is taken back: its project is as before, and what people rated here stays."""

from __future__ import annotations

import re
import threading
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from rubrics.models import Rubric
from tasks.importing.after_import import take_back
from tasks.models import (
    AgreementResult,
    Batch,
    CorpusAnswer,
    ImportedRater,
    Item,
    ItemEntry,
    Lease,
    Project,
    Rating,
    RatingFile,
    Upload,
)
from tasks.models.stored_figures import whole_tally
from tasks.queue.submitting import submit_lease

from ..factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
)
from ..waiting import until_one_waits_for_us
from ..worker import work
from .import_steps import (
    bring,
    load_uploads,
    shown_in,
)

pytestmark = pytest.mark.django_db

SHEET = "item,rater,score\na,Dora,6\na,Eli,2\nb,Dora,5\nb,Eli,5\n"
WITH_TEXTS = (
    "id,prompt,response,rater,score\n"
    "x,Why?,So.,Dora,5\nx,Why?,So.,Eli,6\ny,How?,Thus.,Dora,4\ny,How?,Thus.,Eli,2\n"
)
MORE = "item,rater,score\nc,Dora,3\nc,Finn,4\n"
STAYS = "Someone has worked with this import since, so it stays."


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """Three items, each of which wants two ratings."""
    made = make_project(slug="p", title="P", leads=[lead], annotators=[ada], wanted=2)
    batch = make_batch(project=made, name="first")
    for name in "abc":
        make_item(batch=batch, external_id=name, responses=["Yes."])
    return made


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    client.force_login(lead)
    return client


def load(client: Client, content: str, *, name: str = "eggs.csv", **fields: str) -> Upload:
    """Import a file into the project, if need be after another look."""
    file = SimpleUploadedFile(name, content.encode())
    upload = bring(client, "/projects/p/upload/", file, **fields)
    if not upload.is_imported:
        client.post(upload.address, shown_in(upload) | {"act": "import"})
        load_uploads()
        upload.refresh_from_db()
    assert upload.is_imported
    return upload


def words(answer: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def press(client: Client, upload: Upload) -> str:
    """Take an import back on its page; return the words of the page that follows."""
    return words(client.post(upload.address, {"act": "take_back"}, follow=True))


def standing(project: Project) -> dict[str, Any]:
    """All that an import of ratings changes."""
    project = Project.objects.get(pk=project.pk)
    items, entries = project.items.order_by("pk"), ItemEntry.objects.order_by("pk")
    return {
        "project": (project.rubric_id, project.wanted, project.imported),
        "batches": [*project.batches.values_list("wanted", "finished", "imported", "dropped")],
        "items": [*items.values_list("wanted", "counted", "imported", "dropped")],
        "list": [*entries.values_list("state", "spread", "traits")],
        "scores": whole_tally(project).rows,
        "people": [*project.raters.values_list("name", flat=True)],
        "ratings": [*project.ratings.values_list("pk", flat=True)],
        "files": project.rating_files.count(),
    }


def rate(project: Project, item: str, ada: User) -> Rating:
    now, one = timezone.now(), project.items.get(external_id=item)
    return make_rating(item=one, annotator=ada, now=now, submitted_at=now, values={1: 4})


# --- what its page says ---


def test_the_page_of_ratings_alone_offers_nothing_that_is_for_items(here: Client) -> None:
    here.post("/projects/p/upload/", {"file": SimpleUploadedFile("eggs.csv", SHEET.encode())})
    load_uploads()
    page = words(here.get(Upload.objects.get().address))
    assert "Import the ratings" in page
    assert "Name of the batch" not in page
    assert "Warning before each item" not in page


def test_the_page_of_ratings_alone_says_what_came_in(here: Client) -> None:
    seen = words(here.get(load(here, SHEET).address))
    assert "Imported: 4 ratings of 2 items by 2 people" in seen
    assert "Imported as batch" not in seen
    assert "eggs.csv imported" in words(here.get("/projects/p/upload/"))
    assert "eggs.csv" not in words(here.get("/"))  # nothing is to finish


def test_raters_that_are_slots_are_no_people_there(here: Client) -> None:
    upload = load(here, "item,rater_1,rater_2,rater_3\na,1,2,3\nb,3,4,\n", slots="on")
    assert "5 ratings of 2 items in 3 slots" in words(here.get(upload.address))


# --- what goes, and what stays ---


@pytest.mark.parametrize("rubric", ["", "made"])
def test_ratings_alone_are_taken_back_with_their_people_rubric_and_settings(
    here: Client, project: Project, rubric: str
) -> None:
    work()
    before, rubrics = standing(project), Rubric.objects.count()
    upload = load(here, SHEET, rubric=rubric)
    work()
    assert standing(project)["project"][1:] == (1, "places")
    assert standing(project)["list"] != before["list"]
    assert "The import of “eggs.csv” is taken back." in press(here, upload)
    assert standing(project) == before
    assert Rubric.objects.count() == rubrics
    assert not AgreementResult.objects.exists()
    assert not Upload.objects.exists()
    assert load(here, SHEET).is_imported


def test_ratings_of_people_stay_and_alone_count_after_a_file_is_taken_back(
    here: Client, project: Project, ada: User
) -> None:
    Project.objects.filter(pk=project.pk).update(imported="counted")
    for item in "ab":
        rate(project, item, ada)
    work()
    before = standing(project)
    figures = AgreementResult.objects.earliest("pk").figures["overall"]
    upload = load(here, SHEET)
    work()
    assert AgreementResult.objects.earliest("pk").figures["overall"] != figures
    press(here, upload)
    work()
    assert standing(project) == before
    assert AgreementResult.objects.earliest("pk").figures["overall"] == figures


def test_a_file_of_ratings_stays_once_someone_has_rated_an_item_of_it(
    here: Client, project: Project, ada: User
) -> None:
    rate(project, "c", ada)
    upload = load(here, SHEET)
    rate(project, "a", ada)
    seen = words(here.get(upload.address))
    assert STAYS in seen
    assert "Take the import back" not in seen
    assert STAYS in press(here, upload)
    assert Rating.objects.filter(file__isnull=False).count() == 4


def test_another_item_may_be_rated_meanwhile(here: Client, project: Project, ada: User) -> None:
    rate(project, "a", ada)
    upload = load(here, SHEET)
    own = rate(project, "c", ada)
    press(here, upload)
    assert [*Rating.objects.filter(item__external_id="c")] == [own]
    assert not Rating.objects.filter(file__isnull=False).exists()


def test_a_file_that_changed_its_project_stays_once_someone_holds_an_item(
    here: Client, project: Project, ada: User
) -> None:
    upload = load(here, SHEET)
    make_lease(item=project.items.get(external_id="c"), annotator=ada)
    assert STAYS in press(here, upload)
    assert standing(project)["project"][1:] == (1, "places")


def test_a_setting_that_a_lead_has_changed_since_stays(here: Client, project: Project) -> None:
    upload = load(here, SHEET)
    Project.objects.get(pk=project.pk).change(wanted=4)
    press(here, upload)
    project.refresh_from_db()
    assert project.wanted == 4
    assert {*project.items.values_list("wanted", flat=True)} == {4}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_files_either_goes_and_the_project_is_as_before_once_both_have(
    here: Client, project: Project, order: tuple[int, int]
) -> None:
    work()
    before, rubrics = standing(project), Rubric.objects.count()
    uploads = load(here, SHEET, rubric="made"), load(here, MORE, name="more.csv")
    both = standing(project)
    press(here, uploads[order[0]])
    between = standing(project)
    assert between["project"] == both["project"]
    assert between["people"] == [["Dora", "Finn"], ["Dora", "Eli"]][order[0]]
    press(here, uploads[order[1]])
    assert standing(project) == before
    assert Rubric.objects.count() == rubrics


def test_a_rubric_that_is_offered_to_others_stays(here: Client, project: Project) -> None:
    upload = load(here, SHEET, rubric="made")
    made = Project.objects.get(pk=project.pk).rubric
    made.offer(True)
    press(here, upload)
    assert Rubric.objects.filter(pk=made.pk).exists()
    project.refresh_from_db()
    assert project.rubric_id != made.pk


def test_items_without_texts_are_dropped_again(here: Client, project: Project) -> None:
    project.batches.get().remove()
    load(here, "item,rater,score\na,Dora,6\nb,Dora,\n")
    before = standing(project)
    upload = load(here, "item,rater,score\nb,Finn,3\n", name="more.csv")
    assert [row[-1] for row in standing(project)["items"]] == [False, False]
    press(here, upload)
    assert standing(project) == before
    assert [row[-1] for row in before["items"]] == [False, True]


def test_answers_about_a_corpus_go_with_their_file(here: Client, project: Project) -> None:
    item = project.items.get(external_id="a")
    file = RatingFile.objects.create(
        project=project, file_name="talk.csv", created_at=timezone.now()
    )
    rater = ImportedRater.objects.create(project=project, name="Gil")
    about = {"model": "m", "dimension": "d", "code": "c", "answer": "yes"}
    CorpusAnswer.objects.create(
        project=project,
        batch=item.batch,
        rater=rater,
        file=file,
        answered_at=timezone.now(),
        **about,
    )
    assert take_back(file, now=timezone.now())
    for rows in (CorpusAnswer, ImportedRater, RatingFile):
        assert not rows._default_manager.exists()


def test_a_batch_goes_with_the_settings_that_its_ratings_changed(
    here: Client, project: Project
) -> None:
    project.batches.get().remove()
    upload = load(here, WITH_TEXTS)
    assert standing(project)["project"][1:] == (1, "places")
    press(here, upload)
    project.refresh_from_db()
    assert (project.wanted, project.imported) == (2, "apart")


def test_a_project_that_was_made_of_the_file_stays_once_others_are_in_it(
    here: Client, lead: User, ada: User
) -> None:
    for others in (False, True):
        file = SimpleUploadedFile("study.csv", WITH_TEXTS.encode())
        upload = bring(here, "/projects/new/sheet/", file, title="Study")
        made = Project.objects.get(title="Study")
        if others:
            made.admit(ada, role="annotator", by=lead)
        press(here, upload)
        assert Project.objects.filter(pk=made.pk).exists() == others
        assert not Batch.objects.filter(project=made).exists()


# --- on the page of people ---


def test_a_file_is_listed_with_the_people_and_taken_back_there(
    here: Client, project: Project, ada: User
) -> None:
    load(here, SHEET)
    file = RatingFile.objects.get()
    address = f"/projects/p/raters/files/{file.pk}/"
    people = words(here.get("/projects/p/people/"))
    assert re.search(r"eggs\.csv \S.* 4 Take the ratings back", people)
    stranger = Client()
    stranger.force_login(ada)
    assert stranger.post(address).status_code == 404
    with transaction.atomic():
        rate(project, "c", ada)
        assert STAYS in words(here.post(address, follow=True))
        transaction.set_rollback(True)
    seen = words(here.post(address, follow=True))
    assert "The ratings of “eggs.csv” are taken back." in seen
    assert "Imported raters" not in seen
    assert not Rating.objects.exists()


def test_a_file_imported_by_the_command_can_be_taken_back(project: Project, tmp_path: Any) -> None:
    before = standing(project)
    file = tmp_path / "eggs.csv"
    file.write_text(SHEET)
    call_command("import_batch", "p", str(file), "--make-rubric", "--yes", verbosity=0)
    assert take_back(RatingFile.objects.get(), now=timezone.now())
    assert standing(project)["project"] == before["project"]
    assert not Rating.objects.exists()


# --- while somebody rates ---


def in_a_thread(act: Any) -> tuple[threading.Thread, list[Any]]:
    """Begin to do something on another connection; what it returns is in the list."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(act())
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


@pytest.fixture
def lease(here: Client, project: Project, ada: User) -> Lease:
    """An item that ada holds and a file has rated, in a project in which people rate."""
    rate(project, "c", ada)
    load(here, SHEET)
    item = Item.objects.get(external_id="a")
    return make_lease(item=item, annotator=ada, now=timezone.now())


def submit(lease: Lease) -> Rating:
    return submit_lease(lease, make_submission(lease=lease), now=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_a_rating_that_comes_while_a_file_is_taken_back_is_stored_and_counts(
    lease: Lease,
) -> None:
    with transaction.atomic():
        assert take_back(RatingFile.objects.get(), now=timezone.now())
        thread, ratings = in_a_thread(lambda: submit(lease))
        until_one_waits_for_us()
    thread.join()
    assert [rating.kind for rating in ratings] == ["counted"]
    assert [*lease.item.ratings.all()] == ratings


@pytest.mark.django_db(transaction=True)
def test_a_file_is_not_taken_back_from_a_rating_that_is_being_stored(lease: Lease) -> None:
    file = RatingFile.objects.get()
    with transaction.atomic():
        submit(lease)
        thread, results = in_a_thread(lambda: take_back(file, now=timezone.now()))
        until_one_waits_for_us()
    thread.join()
    assert results == [False]
    assert file.ratings.count() == 4
