"""A target of which nothing has been said comes from memory, and looks as if it were drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import pytest
from django.template import Context
from django.test import override_settings
from django.utils import translation

from annotators.desk.forms import unbound_concern
from annotators.desk.progress import Progress
from annotators.models import User
from annotators.templatetags import desk_parts as tags
from config.web import cached_html as remembered
from rubrics.models import Rubric
from tasks.models import Lease, Project
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.item_view import ItemView
from tests.drawn_rows import SLUGS, desk, drawn
from tests.factories import make_rubric


@pytest.fixture(autouse=True)
def _empty_memory() -> Iterator[None]:
    """Before and after: these rubrics have numbers that others may have in other tests."""
    remembered._parts.cache_clear()
    yield
    remembered._parts.cache_clear()


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("asks_reasons", [False, True])
@pytest.mark.parametrize("persona", [(), ("I keep bees.", "I <never> sleep.")])
def test_it_looks_as_if_drawn_anew(slug: str, asks_reasons: bool, persona: tuple[str, ...]) -> None:
    first = desk(slug, asks_reasons=asks_reasons, persona=persona)
    another = desk(slug, "<b>1</b>", "2 & 3", " ", asks_reasons=asks_reasons, persona=persona[::-1])
    assert drawn(first, lease=1) == drawn(first, lease=1, anew=True)
    assert drawn(another, lease=2) == drawn(another, lease=2, anew=True)
    assert remembered._parts.cache_info().hits > 0


def test_the_next_item_takes_its_targets_from_memory_with_its_own_address_and_text() -> None:
    first = drawn(desk("response-quality"), lease=41)
    second = drawn(desk("response-quality", "Uno.", "Due.", "Tre."), lease=42)
    assert remembered._parts.cache_info().hits == 3
    assert "/eggs/desk/41/verdict/" in first[0]
    assert "/eggs/desk/42/verdict/" in second[0]
    assert "41" not in second[0].replace("/42/", "")
    assert "One." in first[0]
    assert "Uno." in second[0]
    assert "One." not in second[0]


def test_what_is_remembered_was_drawn_of_no_item() -> None:
    persona = ("I keep bees.",)
    drawn(
        desk("dialogue", "Secret one.", "Secret two.", "Secret three.", persona=persona), lease=777
    )
    shown = desk("dialogue", "a", "b", "c", persona=("d",))
    assert not {"Secret", "bees", "777"} & {
        word for part in drawn(shown) for word in ("Secret", "bees", "777") if word in part
    }
    assert remembered._parts.cache_info().hits == 4


@pytest.mark.parametrize(
    "answers",
    [
        {"r1.quality": "4"},
        {"r1.quality.helpful": "entirely"},
        {"r1.quality.language_error": "yes"},
        {"r1.comment": "Good."},
        {"r1.fact.1.claim": "Eggs float."},
        {"r1.fact.1.claim": " "},
    ],
    ids=str,
)
def test_what_has_been_said_is_drawn_and_leaves_no_trace_in_memory(answers: dict[str, str]) -> None:
    asked = desk("response-quality")
    before = drawn(asked)
    said = drawn(asked, answers)
    assert said == drawn(asked, answers, anew=True)
    assert said[0] != before[0]
    assert said[1:] == before[1:]
    assert drawn(asked) == before


@pytest.mark.parametrize("code", ["none_of_these", "contradicts.line.1"])
def test_that_no_reason_fits_or_a_line_is_marked_has_been_said_too(code: str) -> None:
    asked = desk("dialogue", asks_reasons=True, persona=("I keep bees.",))
    before = drawn(asked)
    dimension = "quality" if code == "none_of_these" else "consistency"
    answers = {f"r1.{dimension}.{code}": "yes"}
    assert drawn(asked, answers) == drawn(asked, answers, anew=True)
    assert drawn(asked, answers)[0] != before[0]


def test_an_empty_response_is_seen_whatever_is_in_memory() -> None:
    asked = desk("response-quality")
    drawn(asked)
    blank = replace(asked, responses=(replace(asked.responses[0], text=" "), *asked.responses[1:]))
    assert drawn(blank) == drawn(blank, anew=True)
    assert drawn(blank)[0] != drawn(asked)[0]


def test_another_language_is_drawn_in_its_words() -> None:
    asked = desk("response-quality")
    drawn(asked)
    with translation.override("de"):
        drawn(asked)
    assert remembered._parts.cache_info().misses == 6


def test_personas_may_have_more_lines_or_fewer() -> None:
    for persona in (("I keep bees.",), ("I keep bees.", "I sing."), ("I sing.",)):
        asked = desk("dialogue", persona=persona)
        assert drawn(asked) == drawn(asked, anew=True)


def test_lines_of_one_persona_do_not_come_with_another_item() -> None:
    drawn(desk("dialogue", persona=("I keep bees.",)))
    shown = "".join(drawn(desk("dialogue", persona=("I never sleep.",))))
    assert "I never sleep." in shown
    assert "I keep bees." not in shown


def foot_and_concern(
    asked: ItemView,
    *,
    slug: str,
    lease: int,
    answers: Mapping[str, str] | None = None,
    user: User | None = None,
    anew: bool = False,
) -> tuple[str, str]:
    context = Context(
        {
            "sheet": evaluate(asked, answers or {}, seen=["sets"]),
            "project": Project(slug=slug),
            "lease": Lease(pk=lease),
            "progress": Progress("1", str(lease + 1), "5000", "", "", "", ""),
            "submit_url": f"/{slug}/{lease}/submit/",
            "verdict_url": f"/{slug}/{lease}/verdict/",
            "draft_url": f"/{slug}/{lease}/draft/",
            "back_url": f"/{slug}/ratings/last/",
            "concern": unbound_concern("en"),
            "is_open": False,
            "csrf_token": f"token-of-{lease}",
            "user": user or User(),
        }
    )
    with override_settings(DEBUG=anew):
        return str(tags.foot(context)), str(tags.concern(context))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_foot_and_the_concern_look_as_if_drawn_anew(slug: str) -> None:
    asked = desk(slug)
    for project, lease in (("eggs", 41), ("0", 10), ("-", 42)):
        remembered_parts = foot_and_concern(asked, slug=project, lease=lease)
        assert remembered_parts == foot_and_concern(asked, slug=project, lease=lease, anew=True)
    assert remembered._parts.cache_info().misses == 2


def test_the_foot_shows_what_was_said_and_forgets_it() -> None:
    asked = desk("response-quality")
    before = foot_and_concern(asked, slug="eggs", lease=1)
    for answers in ({"r1.quality": "4"}, {"comment": "All <good>."}):
        said = foot_and_concern(asked, slug="eggs", lease=1, answers=answers)
        assert said == foot_and_concern(asked, slug="eggs", lease=1, answers=answers, anew=True)
        assert said != before
    assert foot_and_concern(asked, slug="eggs", lease=1) == before


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"r1.quality": "7"},
        {"r1.quality.language_error": "yes"},
        {"r1.quality.language_error": "yes", "r1.quality": "7"},
        {"r1.quality.missing_disclaimer": "yes", "r1.quality.late_disclaimer": "yes"},
        {"r1.quality.instructions_missed": "yes", "r1.quality": "6"},
        {"r1.fact.1.claim": "Eggs float.", "r1.fact.1.outcome": "refuted"},
    ],
    ids=str,
)
def test_a_verdict_looks_as_if_drawn_anew(answers: dict[str, str]) -> None:
    rubric = Rubric(pk=1, slug="response-quality", version=1, status="published")
    for submitting, more in product(
        (False, True), ({}, {"r2.quality": "5"}, {"r2.quality": "4"}, {})
    ):
        sheet = evaluate(desk("response-quality"), answers | more, submitting=submitting)
        for row in sheet.rows:
            for lease, oob in ((1, False), (2, True)):
                context = Context(
                    {"row": row, "rubric": rubric, "verdict_url": f"/{lease}/", "user": User()}
                )
                shown = tags.outcome(context, oob=oob)
                with override_settings(DEBUG=True):
                    assert shown == tags.outcome(context, oob=oob)
                assert f'"/{lease}/?row={row.id}"' in shown
    assert remembered._parts.cache_info().hits >= 12


PEOPLE = [
    User(),
    User(own_keys={"skip": "W", "best": "B"}),
    User(own_keys={"skip": "ß", "flag": "<", "best": "L"}),
    User(single_keys=False),
    User(single_keys=False, own_keys={"best": "B"}),
]


def verdict_and_words(asked: ItemView, user: User, *, anew: bool = False) -> tuple[str, str]:
    row = evaluate(asked, {}).rows[0]
    rubric = make_rubric(slug=asked.rubric.slug)
    context = Context({"row": row, "rubric": rubric, "verdict_url": "/1/", "user": user})
    with override_settings(DEBUG=anew):
        return str(tags.outcome(context)), str(tags.words(context))


@pytest.mark.django_db
@pytest.mark.parametrize("slug", SLUGS)
def test_nobody_sees_the_keys_of_another(slug: str) -> None:
    asked = desk(slug, persona=("I keep bees.",) if slug == "dialogue" else ())
    for user in [*PEOPLE, *reversed(PEOPLE)]:
        assert drawn(asked, user=user) == drawn(asked, user=user, anew=True)
        here = foot_and_concern(asked, slug="eggs", lease=1, user=user)
        assert here == foot_and_concern(asked, slug="eggs", lease=1, user=user, anew=True)
        assert verdict_and_words(asked, user) == verdict_and_words(asked, user, anew=True)


def test_keys_of_ones_own_take_no_memory_of_their_own() -> None:
    asked = desk("response-quality")
    drawn(asked)
    held = remembered._parts.cache_info().currsize
    [first, *_others] = drawn(asked, user=User(own_keys={"best": "B"}))
    assert '<kbd aria-hidden="true">B</kbd>' in first
    assert remembered._parts.cache_info().currsize == held


def test_a_check_shows_no_letter_that_is_a_command_s_key() -> None:
    language_error = '<kbd aria-hidden="true">L</kbd> Language error'
    [usual, *_others] = drawn(desk("response-quality"))
    [own, *_others] = drawn(desk("response-quality"), user=User(own_keys={"skip": "L"}))
    assert language_error in usual
    assert language_error not in own
    assert 'data-key="L"' not in own


def test_without_single_keys_nothing_speaks_of_them() -> None:
    for slug in SLUGS:
        shown = drawn(desk(slug), user=User(single_keys=False))
        assert not any(
            mark in part for part in shown for mark in ("<kbd", "keyshortcuts", 'data-key="L"')
        )
