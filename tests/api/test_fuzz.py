"""Calls at random: none is answered off the API's document, or with what is another's.

`make fuzz SECONDS=600` makes more of them. `SEED=` takes the seed that another run printed.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import override_settings

from tests.api.calling import Caller

SECONDS = float(os.environ.get("FUZZ_SECONDS") or 30)
SEED = int(os.environ.get("FUZZ_SEED") or datetime.now(UTC).strftime("%Y%m%d"))


@pytest.mark.ci
@pytest.mark.django_db(transaction=True)
def test_no_call_at_random_is_answered_with_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    # Only now: schemathesis takes seconds to load, and most runs leave this test out.
    from tests.api.fuzzed_projects import everybody, names_read, values_of
    from tests.api.fuzzing import Fuzz

    callers = everybody()
    assert [names_read(caller) for caller in callers if not caller.is_dead] == [[]] * 4
    limits = settings.ACCOUNT_RATE_LIMITS | {"wrong_tokens": "1000000/m/ip"}
    with override_settings(API_CALLS_A_MINUTE=10**9, ACCOUNT_RATE_LIMITS=limits):
        fuzz = Fuzz(callers, values_of(Caller(callers[0].secret)), SEED)
        fuzz.call_for(SECONDS)
    with capsys.disabled():
        print(f"\n{fuzz.answers.total()} calls of the API at random, from seed {SEED}")
        if os.environ.get("FUZZ_SECONDS"):
            for (operation, status), number in sorted(fuzz.answers.items()):
                print(f"{operation}: {status}, {number} times")
    assert fuzz.faults == {}, f"seed {SEED}\n\n" + "\n\n".join(fuzz.faults.values())
