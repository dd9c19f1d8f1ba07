"""Until a lead presses “Show models”, models have numbers: on every page of theirs, and in every
file made from one but the export."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from annotators.models import User
from tasks.agreement.tables import TABLES
from tasks.models import Concern, Item, Membership, Project
from tasks.queue.submitting import submit_lease
from tests.addresses import addresses
from tests.factories import (
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)
from tests.worker import work

pytestmark = pytest.mark.django_db
NAMES = ("heron", "plover", "wren")
# What a file of theirs or its upload names is not hidden there.
NAMING = {"ratings.csv", "upload/<int:pk>/"}


@pytest.fixture
def lea(client: Client) -> User:
    lea = make_user(name="lea")
    client.force_login(lea)
    return lea


@pytest.fixture
def project(lea: User) -> Project:
    """Dialogues of three models; heron gave two replies to each. Two people rated two of them, and
    one flagged the third."""
    people = [make_user(name=name) for name in ("ada", "ben")]
    made = make_project(
        slug="birds", rubric=make_rubric(slug="dialogue"), annotators=people, leads=[lea]
    )
    for values in ({1: 4, 2: 1}, {1: 2, 3: 4}):
        item = make_item(
            project=made,
            responses=[(name, f"Said {place}.") for place, name in enumerate((*NAMES, "heron"))],
        )
        for person, more in zip(people, (0, 1), strict=True):
            make_rating(
                item=item,
                annotator=person,
                values={place: min(value + more, 4) for place, value in values.items()},
            )
    lease = make_lease(
        item=make_item(project=made, responses=[("wren", "W.")]), annotator=people[0]
    )
    lease.flag(reason="broken", note="Look.", now=lease.started_at)
    work()
    return made


def read(client: Client, address: str) -> str:
    answer = client.get(address)
    body = answer.getvalue()
    return unescape(body.decode(errors="replace"))


def pages(project: Project) -> Iterator[str]:
    """Every address of a lead that can be looked at, and the pages beside those of the project."""
    keys = {
        "items": Item.objects.filter(project=project).earliest("pk").pk,
        "batches": project.batches.all()[0].pk,
        "concerns": Concern.objects.get().pk,
        "members": project.memberships.all()[0].user_id,
    }
    yield from ("/", "/inbox/", "/work/", "/work/own-data.csv")
    for written, _example in addresses():
        _projects, of_project, rest = written.partition("projects/<slug:slug>/")
        if not of_project or rest in NAMING:
            continue
        rest = re.sub(r"<int:\w+>", str(keys.get(rest.partition("/")[0], 1)), rest)
        rest = rest.replace("corpus/", "corpus/?model=m1")
        for table in TABLES if "<slug:table>" in rest else [""]:
            yield f"/projects/{project.slug}/{rest.replace('<slug:table>', table)}"


def named(client: Client, project: Project) -> set[str]:
    """The addresses whose pages or files name a model."""
    naming = re.compile("|".join(NAMES))
    return {each for each in set(pages(project)) if naming.search(read(client, each))}


def values(client: Client) -> dict[str, str]:
    """The figure of each model in the file of agreement; "" for all of them."""
    lines = read(client, "/projects/birds/agreement/models.csv").splitlines()
    return {row["name"]: row["value"] for row in csv.DictReader(lines)}


def press(client: Client, project: Project, choice: str = "shown", **more: str) -> str:
    answer = client.post(f"/projects/{project.slug}/models/", {"models": choice, **more})
    assert answer.status_code == 302
    return str(answer["Location"])


def test_no_page_and_no_file_of_a_page_names_a_model_before_the_press(
    client: Client, project: Project
) -> None:
    assert named(client, project) == set()
    item = project.items.earliest("pk").pk
    assert not re.search("|".join(NAMES), read(client, f"/projects/birds/items/{item}/?target=s1"))
    press(client, project)
    naming = named(client, project)
    assert naming == {
        f"/projects/birds/{page}"
        for page in (
            *("", "items/", f"items/{item}/", "agreement/", "export/"),
            *("agreement/models.csv", "agreement/furthest.csv"),
        )
    }
    press(client, project, "hidden")
    assert not any(name in read(client, address) for address in naming for name in NAMES)


def test_a_model_has_one_number_on_all_pages(client: Client, project: Project) -> None:
    """By what heron alone has: the highest mean, two replies to an item, and the scores."""
    overview = read(client, "/projects/birds/")
    [*listed] = re.findall(r'<span dir="auto">(Model \d)</span>\s*<svg class="stack"', overview)
    assert sorted(listed) == ["Model 1", "Model 2", "Model 3"]
    page = read(client, "/projects/birds/items/")
    assert re.findall(r'<th scope="col" dir="auto">([^<]*)</th>', page) == sorted(listed)
    item = project.items.earliest("pk").pk
    page = read(client, f"/projects/birds/items/{item}/")
    tabs = re.findall(r'<span dir="auto">(Model \d[^<]*)</span>', page)
    numbers = dict(zip(NAMES, tabs, strict=False))
    numbers["heron"] = numbers["heron"].removesuffix(" (Response 1)")
    assert tabs == [
        f"{numbers['heron']} (Response 1)",
        numbers["plover"],
        numbers["wren"],
        f"{numbers['heron']} (Response 4)",
    ]
    hidden = values(client)
    press(client, project)
    assert {numbers.get(name, ""): value for name, value in values(client).items()} == hidden
    named = re.findall(
        r'<span dir="auto">(\w+)</span>\s*<svg class="stack"', read(client, "/projects/birds/")
    )
    assert [numbers[each] for each in named] == listed


def test_the_order_is_another_for_each_lead_and_project(client: Client) -> None:
    leads = [make_user() for _ in range(3)]
    orders = set()
    for slug in ("p", "q"):
        project = make_project(slug=slug, leads=leads)
        item = make_item(project=project, responses=[(f"bird {n}", f"{n}.") for n in range(8)])
        for lead in leads:
            client.force_login(lead)
            read_twice = {read(client, f"/projects/{slug}/items/{item.pk}/") for _ in range(2)}
            [order] = {
                tuple(re.findall(r'<span dir="auto">Model (\d)</span>', page))
                for page in read_twice
            }
            assert sorted(order) == [str(number) for number in range(1, 9)]
            orders.add(order)
    assert len(orders) == 6


def test_a_choice_ends_with_the_log_in_and_does_not_come_back_with_a_role(
    client: Client, project: Project, lea: User
) -> None:
    other = make_user(name="leo")
    project.admit(other, role=Membership.Role.LEAD)
    press(client, project)
    project.change_roles(lea, [])
    project.change_roles(lea, [Membership.Role.LEAD])
    assert "heron" not in read(client, "/projects/birds/")
    press(client, project)
    assert "heron" in read(client, "/projects/birds/")
    client.post("/accounts/logout/")
    client.force_login(lea)
    assert "heron" not in read(client, "/projects/birds/")


def test_an_admin_chooses_for_one_project_too(client: Client, project: Project) -> None:
    other = make_project(slug="q")
    make_item(project=other, responses=[("heron", "Said.")])
    client.force_login(make_user(name="root", admin=True))
    for slug in ("birds", "q"):
        assert "heron" not in read(client, f"/projects/{slug}/items/")
    press(client, project)
    assert "heron" in read(client, "/projects/birds/items/")
    assert "heron" not in read(client, "/projects/q/items/")


def test_the_button_leads_back_to_its_page(client: Client, project: Project) -> None:
    for page, name in (("", "project"), ("agreement/", "agreement"), ("export/", "export")):
        address = f"/projects/birds/{page}"
        html = read(client, address)
        assert f'name="page" value="{name}"' in html
        assert press(client, project, page=name) == address
        assert ">Hide models</button>" in re.sub(r"\s+(?=<|H)", "", read(client, address))
        press(client, project, "hidden")
    assert press(client, project, page="https://example.org") == "/projects/birds/items/"


FILTERS = (
    *("items/?model=heron&low=4", "export/?model=heron"),
    *("ratings.csv?models=heron", "ratings.csv?models=nobody"),
    *("ratings.csv?items=model%3Dheron", "ratings.csv?zip=on&items=low%3D4%26model%3Dnobody"),
)


def test_a_filter_by_model_is_refused_while_they_are_hidden(
    client: Client, project: Project
) -> None:
    for address in FILTERS:
        refused = read(client, f"/projects/birds/{address}")
        assert "The models are hidden. Show them first." in refused, address
        assert not {"plover", "wren"} & set(re.findall(r"\w+", refused)), address
    press(client, project)
    for address in FILTERS:
        page = read(client, f"/projects/birds/{address}")
        assert "The models are hidden" not in page, address


def test_the_pages_that_name_models_always_say_so(client: Client, project: Project) -> None:
    assert "A file names the models" in read(client, "/projects/birds/export/")
    assert "heron" in read(client, "/projects/birds/ratings.csv")
    assert "This page may name models" in read(client, "/projects/birds/upload/")


def test_responses_without_a_model_keep_their_place(client: Client, lea: User) -> None:
    project = make_project(slug="unnamed", leads=[lea])
    item = make_item(project=project, responses=[("", "One."), ("", "Two."), ("wren", "Three.")])
    lease = make_lease(item=item, annotator=make_user())
    submit_lease(
        lease, make_submission(lease=lease, values={1: 4, 2: 5, 3: 6}), now=lease.started_at
    )
    address = reverse("tasks:items", args=["unnamed"])
    for choice, third in (("hidden", "Model 1"), ("shown", "wren")):
        press(client, project, choice)
        page = read(client, address)
        heads = re.findall(r'<th scope="col" dir="auto">([^<]*)</th>', page)
        assert heads == ["Response 1", "Response 2", third]
        assert re.findall(r'class="score s\d"\s*>(\d)', page) == ["4", "5", "6"]
