"""The admin's pages in other languages: names of apps, models, fields and choices too, and what was
done."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client
from django.utils import timezone, translation
from django.utils.translation import gettext

from annotators.models import User
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.strange import Texts, forgotten, known_words, written_in

DATA = {"ada", "grace", "Eier", "eggs", "model"}


@pytest.fixture
def chief(db: None) -> User:
    return make_user(name="grace", admin=True)


@pytest.fixture
def shown(chief: User) -> dict[str, Model]:
    """A thing of each kind that has a page, by the page's address."""
    ada = make_user(name="ada")
    project = make_project(slug="eggs", title="Eier", annotators=[ada], leads=[chief])
    batch = make_batch(project=project, name="Eier")
    rating = make_rating(
        item=make_item(batch=batch, external_id="Eier", responses=["Eier"]), annotator=ada
    )
    assert rating.lease
    rating.correct(make_submission(lease=rating.lease), based_on=1, now=timezone.now())
    lease = make_lease(
        item=make_item(batch=batch, external_id="eggs"), annotator=ada, now=timezone.now()
    )
    return {
        f"/admin/{thing._meta.app_label}/{thing._meta.model_name}/": thing
        for thing in (ada, project.rubric, project, batch, rating.item, rating, lease)
    }


def as_it_stands(client: Client, address: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What a browser would send of a page's form, and the labels of what may be changed in it."""
    context = client.get(address).context
    formsets = [each.formset for each in context["inline_admin_formsets"]]
    form = context["adminform"].form
    forms = [
        form,
        *(each for formset in formsets for each in (formset.management_form, *formset.forms)),
    ]
    sent = {each[name].html_name: each[name].value() for each in forms for name in each.fields}
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
    # Something to be seen in the history: fields, and members, that were added and changed.
    for model in ("tasks/project", "tasks/batch", "annotators/user"):
        address = changes[f"/admin/{model}/"]
        form, labels = as_it_stands(client, address)
        for label in labels.values():
            assert forgotten(gettext(label), known_words(())) == "", label
        extra = {"memberships-0-role": "lead", "first_name": "Eier", "status": "paused"}
        assert client.post(address, form | extra).status_code == 302, address
    codes = {shown["/admin/tasks/rating/"].fingerprint, shown["/admin/tasks/batch/"].digest}
    words = {text for text in written_in(shown["/admin/rubrics/rubric/"].schema) if len(text) > 1}
    known = known_words({*DATA, *codes, *words})
    histories = [
        f"/admin/{model}/" for model in ("tasks/project", "tasks/batch", "annotators/user")
    ]
    pages = [
        *("/admin/", "/admin/tasks/", "/admin/annotators/user/add/"),
        *(f"/admin/annotators/user/{chief.pk}/password/", *shown, *changes.values()),
        *(changes[address].replace("change", "history") for address in histories),
    ]
    left = {
        f"{address}: {said} in {text!r}"
        for address in pages
        for text in Texts(client.get(address).content.decode()).found
        # What is stored as JSON, and what is told of a password, stand as they are.
        if text[0] not in "[{" and "**" not in text and (said := forgotten(text, known))
    }
    assert not left, "\n".join(sorted(left))


@pytest.mark.parametrize(
    ("language", "words"), [("de", "Gewünschte Bewertungen"), ("fr", "Évaluations voulues")]
)
def test_the_admin_speaks_the_language_that_one_chose(
    client: Client, chief: User, shown: dict[str, Model], language: str, words: str
) -> None:
    User.objects.filter(pk=chief.pk).update(language=language)
    client.force_login(chief)
    page = client.get("/admin/tasks/batch/", headers={"Accept-Language": "en"}).content.decode()
    assert f'<html lang="{language}"' in page
    batch = shown["/admin/tasks/batch/"].pk
    assert words in html.unescape(
        client.get(f"/admin/tasks/batch/{batch}/change/").content.decode()
    )
