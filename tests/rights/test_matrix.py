"""Every address and command by everybody: a new one without a row in the matrix fails."""

from __future__ import annotations

import pytest
from django.core.management import get_commands

from tests.addresses import API, addresses

from .matrix import COMMANDS, EVERYBODY, MATRIX, REFUSED_HERE
from .reach import Visitor, address_of, make_world

# The API has a matrix of its own (tests/api/test_rights.py); Django's pages are for admins alone,
# which tests/accounts shows.
ELSEWHERE = ("admin/", API)
OURS = ("annotators", "config", "rubrics", "tasks")


def pages() -> list[str]:
    """All addresses of pages, as the URLconf writes them."""
    return [pattern for pattern, _example in addresses() if not pattern.startswith(ELSEWHERE)]


def test_every_address_is_in_the_matrix_once() -> None:
    rows = [*REFUSED_HERE]
    for _roles, patterns in MATRIX:
        rows += patterns
    assert sorted(rows) == sorted(set(pages()))


# "transaction": the worker has connections of its own.
@pytest.mark.django_db(transaction=True)
def test_an_address_is_reached_by_those_of_the_matrix_and_nobody_else() -> None:
    world = make_world()
    assert world.people.keys() == EVERYBODY
    visitors = [Visitor.of(role, user) for role, user in world.people.items()]
    expected = dict.fromkeys(REFUSED_HERE, frozenset[str]())
    for roles, patterns in MATRIX:
        expected |= dict.fromkeys(patterns, roles)
    found = {}
    for pattern in pages():
        address = address_of(pattern, world)
        found[pattern] = frozenset(who.role for who in visitors if who.reaches(address))
    assert found == expected


def test_every_command_is_in_the_matrix() -> None:
    commands = {name for name, app in get_commands().items() if str(app).startswith(OURS)}
    assert commands == COMMANDS
