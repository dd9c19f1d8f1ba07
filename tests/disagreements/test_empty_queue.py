"""The words of a queue without cases."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from tasks.models import Item, Project

from .made_cases import PAGE, decide, project_with_people, rated, shown, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(lead: User) -> Project:
    return project_with_people(lead)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def rate(project: Project, *scores: int) -> None:
    """Rate an item whose ratings make no case."""
    with pytest.raises(Exception, match="does not exist"):
        rated(project, "item", *scores)


def test_a_project_without_ratings_says_what_will_come(here: Client, project: Project) -> None:
    page = words(shown(here, PAGE))
    assert "Nothing to decide yet" in page
    assert "Nothing is rated yet." in page


def test_items_with_one_rating_only_are_counted(here: Client, project: Project) -> None:
    rate(project, 7)
    assert "So far 1 item has one rating, and none has two." in words(shown(here, PAGE))


def test_items_on_which_all_agree_are_counted(here: Client, project: Project) -> None:
    rate(project, 7, 7)
    page = words(shown(here, PAGE))
    assert "Nothing differs" in page
    assert "1 item has two ratings or more, and they agree." in page


def test_differences_under_the_limit_say_how_large_they_are_and_lead_to_the_setting(
    here: Client, project: Project
) -> None:
    rated(project, "near", 6, 7)
    page = shown(here, PAGE)
    assert "they differ by 1 at most." in words(page)
    assert "Change the limit of 2" in words(page)
    assert 'href="/projects/eggs/settings/' in page


def test_a_queue_whose_cases_are_all_decided_says_how_many(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    page = decide(here, entry, choice="A", cause="slip")
    assert "All is decided" in words(page)
    assert "1 case is decided." in words(page)
    assert "<h1>wide" in shown(here, f"{PAGE}?state=decided")


def test_cases_that_want_more_ratings_are_named(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 4, 7)
    Item.objects.filter(pk=entry.item_id).update(wanted=3)
    page = words(shown(here, PAGE))
    assert "Nothing to decide now" in page
    assert "1 case waits for more ratings of its item." in page
    assert "<h1>wide" in shown(here, f"{PAGE}?state=incomplete")


def test_a_paused_project_says_that_no_ratings_come(here: Client, project: Project) -> None:
    Project.objects.update(status=Project.Status.PAUSED)
    assert "The project is paused: ratings come again when it is opened." in shown(here, PAGE)


def test_a_filter_without_cases_leads_to_all(here: Client, project: Project) -> None:
    rated(project, "wide", 4, 7, 7)
    page = shown(here, f"{PAGE}?spread=5")
    assert "No case matches these filters" in page
    assert f'href="{PAGE}"' in page


def test_an_address_that_asks_for_what_the_form_lacks_asks_for_nothing(
    here: Client, project: Project
) -> None:
    rated(project, "wide", 4, 7, 7)
    page = shown(here, f"{PAGE}?spread=x&batch=999&state=none&model=heron&after=..&check=a:b")
    assert "<h1>wide" in page
