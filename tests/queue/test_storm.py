"""Some seconds of the storm at the desk; `make torture` has it for minutes, with servers that are
killed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, BrowserType

from annotators.keyboard import COMMANDS, USUAL
from annotators.models import User
from tasks.models import Project, Rating
from tests.conftest import Complaints
from tests.desk_steps import HTMX, page, scored, start, url
from tests.factories import make_item
from tests.storm import acts
from tests.storm.around import Around
from tests.storm.broken import BREAKS
from tests.storm.checks import is_as_shown
from tests.storm.device import Device
from tests.storm.network import Network
from tests.storm.run import Storm

STEPS = 35
ITEMS = 40


@pytest.fixture(scope="module")
def browser(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any]
) -> Iterator[Browser]:
    """The one that people have, where there is one, as the long storm takes it."""
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    browser = browser_type.launch(
        **browser_type_launch_args | ({"executable_path": found} if found else {})
    )
    yield browser
    browser.close()


@pytest.fixture
def network(base_url: str) -> Iterator[Network]:
    host, _, port = base_url.removeprefix("http://").partition(":")
    network = Network((host, int(port)))
    yield network
    network.close()


@pytest.fixture
def begin(
    network: Network, new_context: Callable[..., BrowserContext], complaints: Complaints
) -> Callable[[str, int], Storm]:
    """A storm over a rubric, by a seed."""
    complaints.allow("")  # the storm looks at the console by itself

    def begin(rubric: str, seed: int) -> Storm:
        around = Around.make(rubric, ITEMS)
        url = f"{network.url}/projects/{around.project.slug}/desk/"
        devices = [
            Device(name, new_context(user_agent=f"device-{name}"), url, note=lambda _words: None)
            for name in ("first", "second")
        ]
        return Storm(around, network, devices, random.Random(seed))  # noqa: S311 - what is done, no secret

    return begin


class Recorder:
    """A device without a page: it notes the keys, and every click finds something."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.page = MagicMock()
        self.page.evaluate.return_value = "r1-quality"

    def press(self, key: str) -> None:
        self.keys.add(key)

    def click(self, selector: str, share: float = 0) -> str:
        return selector


def test_every_key_of_the_storm_is_one_that_the_desk_knows() -> None:
    recorder = Recorder()
    chance = random.Random(6)  # noqa: S311 - what is done, no secret
    for _ in range(200):
        for name in acts.ACTS:
            getattr(acts, name)(recorder, chance)
    pressed = {key.upper() for key in recorder.keys if len(key) == 1}
    letters = {key.upper() for key in acts.LETTERS}
    of_commands = pressed & set(USUAL.values())
    assert pressed == of_commands | letters | set(acts.DIGITS)
    by_clicks = {"skip", "flag"}
    assert {USUAL[command] for command in COMMANDS if command not in by_clicks} == of_commands
    assert recorder.keys - {key for key in recorder.keys if len(key) == 1} == {
        *("Escape", "Control+Enter", "Control+a", "End"),
        *("ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Tab", "Shift+Tab"),
    }


def test_in_a_storm_nothing_is_lost_doubled_or_submitted_unasked(
    begin: Callable[[str, int], Storm],
) -> None:
    storm = begin("response-quality", 6)
    storm.run(steps=STEPS)
    assert not storm.breaches, "\n".join(storm.breaches)
    assert storm.steps > STEPS


@pytest.mark.django_db
def test_a_score_that_was_left_empty_is_stored_where_the_answers_force_it_and_nowhere_else(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=[("wren", "x")])
    lease = start(desk, project, ada)
    shown = {
        name: value
        for name, value in scored(lease).items()
        if name.startswith("r1.quality.") and not name.endswith("harmless")
    }
    shown |= {"r1.quality.harmless": "no"}
    desk.post(url(lease), shown | page(), headers=HTMX)
    rating = Rating.objects.get()
    assert is_as_shown(rating, shown)
    assert is_as_shown(rating, shown | {"r1.quality": "1"})
    assert not is_as_shown(rating, shown | {"r1.quality": "2"})
    assert not is_as_shown(rating, {})  # nor where the answers are made up too
    rating.scores.update(value=2)
    assert not is_as_shown(Rating.objects.get(), shown)


@pytest.mark.parametrize("broken", BREAKS)
def test_every_deliberate_break_of_the_storm_changes_the_program(broken: str) -> None:
    changed: list[bool] = []
    BREAKS[broken](lambda where, name, value: changed.append(getattr(where, name) != value))
    assert changed
    assert all(changed)
