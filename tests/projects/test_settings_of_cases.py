"""The settings of disagreements: which checks are settled by themselves, and who decides blind."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.html import escape

from annotators.models import User
from tasks.models import CaseEntry, Project
from tasks.models.case_kinds import CaseState
from tasks.models.list_renewal import renew_entry
from tasks.settings.forms import SettingsForm
from tests.factories import make_item, make_project, make_rating, make_rubric

pytestmark = pytest.mark.django_db

SETTINGS = "/projects/eggs/settings/"
TOPIC = "quality:irrelevant"
ERROR = "quality:language_error"


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="eggs", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


def group_in(page: str) -> str:
    return page[page.index('id="disagreements"') : page.index('id="names"')]


def boxes(page: str) -> list[str]:
    """Return the checks whose boxes are ticked."""
    ticked = []
    for tag in re.findall(r'<input type="checkbox"[^>]*>', group_in(page)):
        if " checked" in tag:
            ticked += re.findall(r'value="([^"]+)"', tag)
    return ticked


def save(here: Client, *checks: str, shown: tuple[str, ...] = (), **others: str) -> int:
    """Save the group as a page does that had the ticks `shown`; return the status."""
    sent = {
        "group": "disagreements",
        "chosen_thresholds.quality": "2",
        "initial-chosen_thresholds.quality": "2",
        "disputed_checks.quality": list(checks),
        "initial-disputed_checks.quality": list(shown),
        **others,
    }
    return here.post(SETTINGS, sent).status_code


def test_each_check_of_a_dimension_has_a_box_under_the_name_of_the_dimension(
    here: Client, project: Project
) -> None:
    page = group_in(here.get(SETTINGS).content.decode())
    (quality,) = project.rubric.schema.dimensions
    assert f"<legend>Checks of {quality.title}</legend>" in page
    for check in quality.checks:
        assert escape(check.wording) in page
    assert 'value="quality:comment"' not in page  # a comment is no answer on which people differ


def test_the_checks_of_each_dimension_are_apart(lead: User) -> None:
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), leads=[lead])
    form = SettingsForm(instance=project, group="disagreements")
    with_checks = []
    for name, field in form.fields.items():
        if name.startswith("disputed_checks."):
            dimension = name.removeprefix("disputed_checks.")
            with_checks.append(dimension)
            for code, _wording in field.choices:  # type: ignore[attr-defined]
                assert code.startswith(f"{dimension}:")
    assert len(with_checks) > 1


def test_ticked_checks_are_stored_and_shown_again(here: Client, project: Project) -> None:
    assert save(here, ERROR, TOPIC) == 302
    project.refresh_from_db()
    assert project.disputed_checks == [TOPIC, ERROR]
    assert boxes(here.get(SETTINGS).content.decode()) == [TOPIC, ERROR]
    assert save(here, TOPIC, shown=(TOPIC, ERROR)) == 302
    project.refresh_from_db()
    assert project.disputed_checks == [TOPIC]


def test_an_unknown_check_is_refused_beside_its_boxes(here: Client, project: Project) -> None:
    sent = {"group": "disagreements", "disputed_checks.quality": ["quality:no_such_check"]}
    answer = here.post(SETTINGS, sent)
    assert answer.status_code == 200
    assert "no_such_check is not one of the available choices" in group_in(answer.content.decode())
    project.refresh_from_db()
    assert project.disputed_checks == []


def test_a_check_of_another_version_stays_stored_and_makes_no_case(
    here: Client, project: Project
) -> None:
    gone = "quality:gone_since"
    Project.objects.update(disputed_checks=[gone])
    assert save(here, ERROR) == 302
    project.refresh_from_db()
    assert project.disputed_checks == [gone, ERROR]
    assert boxes(here.get(SETTINGS).content.decode()) == [ERROR]


def test_two_leads_who_tick_at_once_lose_no_tick(here: Client, project: Project) -> None:
    save(here, ERROR)
    save(here, TOPIC)  # from a page that was loaded before
    project.refresh_from_db()
    assert project.disputed_checks == [TOPIC, ERROR]


def test_a_difference_in_a_ticked_check_alone_makes_an_open_case(
    here: Client, project: Project
) -> None:
    item = make_item(project=project, responses=[("heron", "Two.")])
    for ticks in ({}, {"language_error": "yes"}, {}):
        rating = make_rating(item=item, values={1: 5})
        score = rating.scores.get()
        score.checks |= ticks
        score.save(update_fields=["checks"])
    item.refresh_from_db()
    renew_entry(item)

    def open_cases() -> int:
        fresh = Project.objects.get()
        return CaseEntry.objects.in_state(CaseState.OPEN, fresh, ()).count()

    assert open_cases() == 0
    save(here, ERROR)
    assert open_cases() == 1


def test_deciding_first_is_a_box_of_the_group(here: Client, project: Project) -> None:
    assert save(here, decides_first="on") == 302
    project.refresh_from_db()
    assert project.decides_first
    page = group_in(here.get(SETTINGS).content.decode())
    assert re.search(r'<input type="checkbox" name="decides_first"[^>]* checked', page)
    assert "Decide before seeing the answers" in page
