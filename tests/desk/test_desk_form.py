"""A form comes partly from memory; it looks as if it were drawn anew, and has nothing of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from config.web.cached_html import _render as remembered
from tasks.models import Lease, Project
from tests.desk_steps import HTMX
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)

pytestmark = pytest.mark.django_db

LONG = ("user", "assistant", "user")
# One of each kind, and then the same kinds with other texts.
ITEMS: list[dict[str, Any]] = [
    {},
    {"prompt": "Where are <b>they</b> & why?", "external_id": "two"},
    {"context": "A sky.", "system": "Be brief.", "reference": "Two.", "source": "a book"},
    {"context": "# Sea", "system": "Be <long>.", "reference": "&", "source": "<i>"},
    {"context": "A sky."},
    {"context": "**x**" + "(" * 300, "prompt": "[" * 5000},
    {"messages": [(role, f"{role} says {place}") for place, role in enumerate(LONG)]},
    {"messages": [(role, f"{role} asks **{place}**") for place, role in enumerate(LONG)]},
    {"messages": []},
    {"messages": [("tool", "It rains."), ("user", "And now?")]},
    {"persona": ["I keep bees.", "I sing."]},
    {"persona": ["I never <sleep>.", "I hum."], "responses": ["One.", " ", "Three."]},
    {"responses": ["Alone."]},
]


@pytest.fixture(autouse=True)
def _empty_memory() -> Iterator[None]:
    remembered.cache_clear()
    yield
    remembered.cache_clear()


def lend(project: Project, annotator: User, **fields: Any) -> Lease:
    """An item to an annotator, who gives back what they held."""
    now = timezone.now()
    Lease.objects.give_back(annotator, now=now)
    batch = project.batches.first() or make_batch(project=project)
    return make_lease(item=make_item(batch=batch, **fields), annotator=annotator, now=now)


def page(
    client: Client, lease: Lease, sent: dict[str, str] | None = None, *, anew: bool = False
) -> str:
    """The desk's main part, or what comes of a submit; without what is made by chance for every
    page."""
    address = f"/projects/{lease.project.slug}/desk/"
    if anew:
        remembered.cache_clear()
    if sent:
        answer = client.post(f"{address}{lease.pk}/submit/", sent, headers=HTMX)
    else:
        answer = client.get(address)
    assert answer.status_code == 200
    chance = r'name="(csrfmiddlewaretoken|draft_writer)" value="\w+"'
    main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
    shown = re.sub(chance, r'name="\1"', main)
    assert f"/desk/{lease.pk}/submit/" in shown
    return shown


def log_in(**fields: Any) -> tuple[Client, User]:
    user = make_user(**fields)
    client = Client()
    client.force_login(user)
    return client, user


@pytest.mark.parametrize(("slug", "view"), [("response-quality", "rendered"), ("dialogue", "text")])
def test_a_cached_form_looks_as_if_drawn_anew(slug: str, view: str) -> None:
    client, ada = log_in(name="ada")
    project = make_project(
        title="Eggs & <ham>", rubric=make_rubric(slug=slug), annotators=[ada], view=view
    )
    for fields in ITEMS:
        lease = lend(project, ada, **fields)
        assert page(client, lease) == page(client, lease, anew=True)


def test_nothing_of_an_item_or_a_person_comes_with_the_next() -> None:
    client, ada = log_in(name="ada", own_keys={"skip": "W"})
    other, ben = log_in(name="ben", language="de")
    project, another = (
        make_project(title="Secret eggs", annotators=[ada]),
        make_project(annotators=[ben]),
    )
    secret = "Secret words."
    page(
        client,
        lend(
            project,
            ada,
            external_id="Secret-1",
            prompt=secret,
            responses=[secret] * 2,
            context=secret,
            source=secret,
        ),
    )
    german = page(other, lend(another, ben, context="A sky.", source="a book"))
    ben.language = ""
    ben.save()
    shown = page(other, lend(another, ben, context="A sky.", source="a book"))
    assert "Secret" not in german + shown
    assert "Skip or flag" in shown
    assert "Skip or flag" not in german
    assert 'aria-keyshortcuts="W F"' not in shown


def test_the_strip_names_each_response_with_the_colon_of_the_language() -> None:
    client, ada = log_in(name="ada", language="fr")
    shown = page(client, lend(make_project(annotators=[ada]), ada))
    assert '<span class="visually-hidden">Réponse A\u202f:</span>' in re.sub(r"\s+>", ">", shown)


def test_each_command_stands_with_its_key_at_what_it_does() -> None:
    client, ada = log_in(name="ada", own_keys={"skip": "K"})
    project = make_project(annotators=[ada])
    make_rating(item=make_item(project=project), annotator=ada)  # to go back to
    shown = page(client, lend(project, ada))
    names = re.findall(r' aria-keyshortcuts="([^"]*)"', shown)
    in_the_bar = {"pause", "help"}
    own = {key for name, key in ada.keys.by_command().items() if name not in in_the_bar}
    assert own <= {key for name in names for key in name.split()}
    for part, key in (("data-skip", "K"), ("data-flag", "F"), ("data-facts", "W")):
        assert re.search(rf'{part}[^>]*>?[^>]* aria-keyshortcuts="{key}"', shown), part


def test_a_form_has_no_single_keys_for_those_who_switched_them_off() -> None:
    client, ada = log_in(name="ada")
    project = make_project(annotators=[ada])
    assert "data-keys" in page(client, lend(project, ada))
    ada.single_keys = False
    ada.save()
    assert "data-keys" not in page(client, lend(project, ada))


def test_faults_of_a_form_leave_no_trace_in_the_cache() -> None:
    client, ada = log_in(name="ada")
    lease = lend(make_project(annotators=[ada]), ada)
    before = page(client, lease)
    sent = {"comment": "Hm.", "r1.quality": "4"}
    refused = page(client, lease, sent)
    assert 'id="errors"' in refused
    assert refused == page(client, lease, sent, anew=True)
    assert page(client, lease) == before
