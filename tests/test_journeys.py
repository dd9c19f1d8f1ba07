"""`make journeys`: every journey is walked, and what a person is told is heard and printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys import __main__ as journeys, studies, tasks
from tests.journeys.__main__ import Walk, main, table, told, walk
from tests.journeys.person import Person


@pytest.mark.parametrize("module", [tasks, studies])
def test_every_task_that_is_written_is_a_journey_that_is_walked(module: ModuleType) -> None:
    steps = {"to_the_first_item", "rate_by_keys"}  # which several of them share
    written = [
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and name not in steps
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
    monkeypatch.setattr(journeys, "walk_all", lambda _chosen: iter([walked]))
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
