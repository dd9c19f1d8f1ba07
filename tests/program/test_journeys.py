"""`make journeys`: every journey is walked, and what a person is told is heard and printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import BrowserContext, expect

from tasks.models import Item, Rating, Response
from tests.factories import PASSWORD, make_rubric, make_user
from tests.journeys import __main__ as journeys, imports, ratings, studies, tasks
from tests.journeys.__main__ import Walk, main, table, table_of_files, told, walk
from tests.journeys.imports import Imported
from tests.journeys.person import Person
from tests.worker import few_resamples

OWN = "our own shape"


@pytest.mark.parametrize("module", [tasks, studies, ratings])
def test_every_task_that_is_written_is_a_journey_that_is_walked(module: ModuleType) -> None:
    # Which several of them share, or a test.
    steps = {"to_the_first_item", "rate_by_keys", "write_sheet"}
    written = [
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        if name not in steps and not name.startswith("_")
    ]
    assert sorted(journey.__name__ for journey in module.JOURNEYS) == written
    assert set(module.JOURNEYS) <= set(journeys.JOURNEYS)


def test_a_journey_that_does_not_exist_is_refused_with_the_names_of_those_that_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--only", "by-train"])
    assert ended.value.code == 2
    assert "no journey is called by-train; there are first-item-by-mouse" in capsys.readouterr().err


@pytest.mark.parametrize(("stopped", "code"), [("", 0), ("at “submits”: no button", 1)])
def test_the_exit_code_says_if_a_journey_could_not_be_finished(
    stopped: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walked = Walk("first-item-by-mouse", 2.0, 14, 0, (("submits", "status", "Saved."),), stopped)
    monkeypatch.setattr(journeys, "walk_all", lambda _chosen, _late: iter([walked]))
    assert main([]) == code
    assert capsys.readouterr().out == f"{told(walked)}\n{table([walked])}\n"


def test_a_journey_is_printed_with_its_figures_its_words_and_where_it_stopped() -> None:
    heard = (
        ("starts", "hint", "A to go"),
        ("starts", "saved", "Saving…"),
        ("ends", "hint", "Done"),
    )
    walked = Walk("by-foot", 1.25, 3, 4, heard, "at “ends”: no button", steps=2)
    assert told(walked).splitlines() == [
        "",
        "== by-foot: 1.2 s, 3 clicks, 4 key presses, 7 s by hand, told 3 times",
        "-- starts",
        "   hint    A to go",
        "   saved   Saving…",
        "-- ends",
        "   hint    Done",
        "STOPPED at “ends”: no button",
    ]
    assert table([walked]).splitlines()[-1].split() == [
        *("by-foot", "1.2", "3", "4", "7", "3", "not", "finished")
    ]


def test_a_person_hears_what_is_shown_in_order_and_is_counted(
    new_context: Callable[..., BrowserContext], transactional_db: None
) -> None:
    person = Person(new_context())
    person.page.goto("/accounts/login/")

    def guess(person: Person) -> None:
        person.does("guesses")
        person.click(person.page.get_by_label("Name or e-mail"))
        person.type("ada")
        person.press("Tab")
        person.type("x")
        person.press("Enter")
        expect(person.page.locator(".errorlist")).to_be_visible()

    walked = walk(guess, person)
    assert (walked.name, walked.clicks, walked.presses) == ("guess", 1, 6)
    assert walked.stopped == ""
    page, error = person.page.get_by_role("heading", level=1), person.page.locator(".errorlist")
    assert walked.heard == (
        ("guesses", "page", page.inner_text()),
        ("guesses", "error", error.inner_text()),
    )


def test_a_journey_that_cannot_go_on_says_at_which_step_and_takes_a_picture(
    new_context: Callable[..., BrowserContext], transactional_db: None
) -> None:
    person = Person(new_context())
    person.page.goto("/accounts/login/")

    def leave_by_the_window(person: Person) -> None:
        person.does("looks for the window")
        expect(person.page.get_by_role("button", name="Window")).to_be_visible(timeout=1)

    walked = walk(leave_by_the_window, person)
    first, *_, last = walked.stopped.splitlines()
    assert first.startswith("at “looks for the window”: ")
    picture = last.removeprefix("The page then: ")
    assert journeys.picture_of(leave_by_the_window).samefile(picture)
    journeys.picture_of(leave_by_the_window).unlink()


# --- files ---


def test_there_are_files_of_nine_shapes_and_answers_only_for_those_that_there_are() -> None:
    names = [journey.path.name for journey in imports.journeys(Path("nowhere"))]
    assert len(names) == len(set(names)) == 9
    assert {*imports.ANSWERS} <= {*names}


def test_real_files_are_read_where_they_are(tmp_path: Path) -> None:
    for name in ("README.md", "tulu.items.jsonl", "judges.tsv"):
        (tmp_path / name).touch()
    found = [journey.path for journey in imports.journeys(tmp_path)]
    assert found[9:] == [tmp_path / "judges.tsv", tmp_path / "tulu.items.jsonl"]


def test_without_real_files_a_word_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(imports, "REAL", Path("nowhere"))
    monkeypatch.setattr(journeys, "walk_all", lambda _chosen, _late: iter(()))
    assert main(["--only", "files"]) == 0
    assert "EVENHAND_REAL_DATA names no folder: no real files." in capsys.readouterr().err


@pytest.fixture
def lea(new_context: Callable[..., BrowserContext], worker: None) -> Person:
    """Someone who may create projects, in front of an empty browser."""
    make_rubric()
    make_user(name="lea", admin=True)
    return Person(new_context(), name="lea", passwords={"lea": PASSWORD})


def file_journey(name: str, content: str, folder: Path) -> imports.FileJourney:
    (folder / name).write_text(content, encoding="utf-8")
    return imports.FileJourney(folder / name)


def test_a_file_with_a_column_for_each_model_is_imported_with_nothing_asked(lea: Person) -> None:
    [journey] = [each for each in imports.JOURNEYS if each.path.name == "models-in-columns.csv"]
    walked = walk(journey, lea)
    assert walked.stopped == ""
    assert walked.imported == Imported("")
    assert (Item.objects.count(), Response.objects.count()) == (3, 9)


def test_the_rows_that_are_refused_are_told_with_the_reason(lea: Person, tmp_path: Path) -> None:
    journey = file_journey("own.csv", "id,prompt,response\na,Why?,So.\n,Why?,So.\n", tmp_path)
    reason = "1 row can’t be loaded: id is blank; give every item an id of its own"
    assert walk(journey, lea).imported == Imported(OWN, (), (reason,))
    assert Item.objects.count() == 1


def test_a_file_without_items_is_refused_with_all_that_is_missing(
    lea: Person, tmp_path: Path
) -> None:
    walked = walk(file_journey("scores.csv", "score\n4\n5\n", tmp_path), lea)
    assert walked.imported
    assert "Missing: the prompt, a response. Your columns: score." in walked.imported.refused
    assert not Item.objects.exists()


def test_files_are_listed_with_what_became_of_them() -> None:
    imported = Imported("chat", ("“Q”: is it?",), ("1 row can’t be loaded: …",), 3, 9)
    walked = Walk("chat.jsonl", 2.5, 13, 4, (), imported=imported)
    head, *rows = table_of_files([walked]).strip().splitlines()
    assert head.split() == ["file", "s", "clicks", "items", "responses", "read", "as"]
    assert [row.split() for row in rows] == [
        ["chat.jsonl", "2.5", "13", "3", "9", "chat"],
        ["asked", "“Q”:", "is", "it?"],
        ["refused", "1", "row", "can’t", "be", "loaded:", "…"],
    ]
    assert told(walked).splitlines()[2:] == rows[1:]


# --- ratings ---


def test_a_sheet_that_four_people_rated_comes_to_its_agreement_page(lea: Person) -> None:
    with few_resamples():
        walked = walk(ratings.ratings, lea)
    assert (walked.stopped, walked.clicks) == ("", 8)
    assert ("lea imports it", "page", "Agreement") in walked.heard
    assert Rating.objects.filter(kind="imported").count() == 160
    assert Item.objects.count() == 40
