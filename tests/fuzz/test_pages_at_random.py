"""Requests at random: no page answers with a fault, with what is another's, or after long.

`make fuzz SECONDS=600` makes more of them. `SEED=` takes the seed that another run printed.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import override_settings

from tests.factories import make_project, make_user

SECONDS = float(os.environ.get("FUZZ_SECONDS") or 30)
SEED = int(os.environ.get("FUZZ_SEED") or datetime.now(UTC).strftime("%Y%m%d"))


@pytest.mark.ci
@pytest.mark.django_db
def test_no_request_at_random_is_answered_with_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    from .fuzzing import PageFuzz
    from .people import make_people

    limits = dict.fromkeys(settings.ACCOUNT_RATE_LIMITS, "1000000/m/ip")
    with override_settings(ACCOUNT_RATE_LIMITS=limits):
        fuzz = PageFuzz(make_people(), SEED)
        fuzz.read_pages()
        fuzz.send_for(SECONDS)
    with capsys.disabled():
        print(
            f"\n{fuzz.answers.total()} requests at random to {len(fuzz.forms)} forms, "
            f"from seed {SEED}; the slowest took {fuzz.slowest:.2f} s of the processor"
        )
        if os.environ.get("FUZZ_SECONDS"):
            for (method, pattern, status), number in sorted(fuzz.answers.items()):
                print(f"{method} /{pattern}: {status}, {number} times")
    assert fuzz.faults == {}, f"seed {SEED}\n\n" + "\n\n".join(fuzz.faults.values())


@pytest.mark.django_db
def test_a_fault_a_forbidden_word_and_a_slow_answer_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from .fuzzing import PageFuzz, RandomRequest
    from .people import HERE, Person

    lead = make_user()
    make_project(slug="eggs", title=HERE, leads=[lead])
    fuzz = PageFuzz([Person("the lead", lead, (HERE,))], seed=1)
    request = RandomRequest("GET", "/projects/eggs/", {}, {}, {})
    monkeypatch.setattr("tests.fuzz.fuzzing.MOST_SECONDS", 0.0)
    fuzz.judge(fuzz.people[0], request)
    monkeypatch.setattr("tasks.overview.views.timezone", None)
    fuzz.judge(fuzz.people[0], request)
    kinds = [text.partition(": ")[2] for text in fuzz.faults.values()]
    assert [kind.split()[0] for kind in kinds] == ["took", "has", "500", "took"]
