"""The admin's pages in other languages: names of apps, models and fields too, and what was done."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from annotators.models import User
from tests.factories import make_rubric, make_user
from tests.strange import Texts, forgotten, known_words, written_in

# Django leaves the name of a picture, "Search", in English.
DATA = {"ada", "grace", "Eier", "Search"}
PEOPLE, RUBRICS = "/admin/annotators/user/", "/admin/rubrics/rubric/"


@pytest.fixture
def chief(db: None) -> User:
    return make_user(name="grace", admin=True)


@pytest.fixture
def shown(chief: User) -> dict[str, Model]:
    """A thing of each kind that has a page, by the page's address."""
    return {PEOPLE: make_user(name="ada"), RUBRICS: make_rubric()}


def as_it_stands(client: Client, address: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What a browser would send of a page's form, and the labels of what may be changed in it."""
    form = client.get(address).context["adminform"].form
    sent = {form[name].html_name: form[name].value() for name in form.fields}
    with translation.override(None):
        labels = {name: str(field.label) for name, field in form.fields.items()}
    return {
        name: value for name, value in sent.items() if value is not None and value is not False
    }, labels


@pytest.mark.usefixtures("strange_language")
def test_no_page_of_the_admin_says_anything_that_is_not_translated(
    client: Client, chief: User, shown: dict[str, Any]
) -> None:
    client.force_login(chief)
    changes = {address: f"{address}{thing.pk}/change/" for address, thing in shown.items()}
    # Something to be seen in the history.
    form, labels = as_it_stands(client, changes[PEOPLE])
    for label in labels.values():
        assert forgotten(gettext(label), known_words(())) == "", label
    assert client.post(changes[PEOPLE], form | {"first_name": "Eier"}).status_code == 302
    words = {text for text in written_in(shown[RUBRICS].schema) if len(text) > 1}
    known = known_words({*DATA, *words})
    pages = [
        *("/admin/", "/admin/rubrics/", f"{PEOPLE}add/", f"{PEOPLE}{chief.pk}/password/"),
        *(*shown, *changes.values(), changes[PEOPLE].replace("change", "history")),
    ]
    left = {
        f"{address}: {said} in {text!r}"
        for address in pages
        for text in Texts(client.get(address).content.decode()).found
        # What is stored as JSON, and what is told of a password, stand as they are.
        if text[0] not in "[{" and "**" not in text and (said := forgotten(text, known))
    }
    assert not left, "\n".join(sorted(left))


@pytest.mark.parametrize(("language", "words"), [("de", "Veröffentlicht"), ("fr", "Publication")])
def test_the_admin_speaks_the_language_that_one_chose(
    client: Client, chief: User, shown: dict[str, Model], language: str, words: str
) -> None:
    User.objects.filter(pk=chief.pk).update(language=language)
    client.force_login(chief)
    page = client.get(RUBRICS, headers={"Accept-Language": "en"}).content.decode()
    assert f'<html lang="{language}"' in page
    rubric = f"{RUBRICS}{shown[RUBRICS].pk}/change/"
    assert words in html.unescape(client.get(rubric).content.decode())
