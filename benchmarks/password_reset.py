"""Ask for a new password, in turns for an address with an account and for one without.

The floor is the answer for an address without an account. Whoever measures the answers must not
learn from them who has one: the medians differ by less than single answers do.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from unittest import mock

from django.test import Client

from annotators.models import User

from .content import make_people
from .frame import Figure, in_turns
from .place import Place

PAGE = "/accounts/password/reset/"


def run(place: Place) -> Iterator[Figure]:
    """Yield the times of single answers, each in turns with one for an unknown address."""
    tries = place.sizes.resets
    people = make_people("forgetful", tries + 1)
    for person in people:
        person.email = f"{person.username}@example.org"
    User.objects.bulk_update(people, ["email"])
    known = iter(people)
    numbers = count()
    client = Client(SERVER_NAME="127.0.0.1")

    def with_account() -> float:
        return _wait(client, next(known).email)

    def without_account() -> float:
        return _wait(client, f"nobody-{next(numbers):05}@example.org")

    # Nobody may try as often.
    with mock.patch("allauth.core.ratelimit.consume_or_429", return_value=None):
        with_account(), without_account()  # warm up
        yield Figure(
            "password_reset_p50", "ms", tuple(in_turns(tries, with_account, without_account))
        )


def _wait(client: Client, address: str) -> float:
    begun = time.perf_counter()
    answer = client.post(PAGE, {"email": address})
    waited = (time.perf_counter() - begun) * 1000
    assert answer.headers["Location"] == f"{PAGE}done/"
    return waited
