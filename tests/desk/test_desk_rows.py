"""Rows come from memory where they are the same; they look as if they were drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Engine, engines
from django.utils import translation
from django.utils.safestring import mark_safe
from hypothesis import given, strategies as st

from annotators.models import User
from annotators.templatetags import desk_parts as tags
from config.web.cached_html import _render as remembered, fill, gap, render_cached
from rubrics.models import Rubric
from tests.evaluated_forms import evaluate
from tests.factories import make_rubric

from .drawn_rows import (
    SLUGS,
    desk,
    drawn,
)


@pytest.fixture(autouse=True)
def _empty_memory() -> None:
    remembered.cache_clear()


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("persona", [(), ("I keep bees.", "I <never> sleep.")])
def test_a_cached_row_looks_as_if_drawn_anew(slug: str, persona: tuple[str, ...]) -> None:
    first = desk(slug, persona=persona)
    another = desk(slug, "<b>1</b>", "2 & 3", " ", persona=persona[::-1])
    drawn(first, lease=1)
    assert drawn(another, lease=2) == drawn(another, lease=2, anew=True)
    assert drawn(first, lease=1) == drawn(first, lease=1, anew=True)


def test_the_next_item_takes_its_rows_from_memory_with_its_own_address_and_text() -> None:
    first = drawn(desk("response-quality"), lease=41)
    assert remembered.cache_info().hits == 0
    second = drawn(desk("response-quality", "Uno.", "Due.", "Tre."), lease=42)
    assert (
        remembered.cache_info().hits == 7
    )  # the frame, three responses, and the frames of their texts
    assert "/eggs/desk/41/verdict/" in first[0]
    assert "/eggs/desk/42/verdict/" in second[0]
    assert "41" not in second[0].replace("/42/", "")
    assert "One." in first[0]
    assert "Uno." in second[0]
    assert "One." not in second[0]


@pytest.mark.parametrize(
    "answers",
    [
        {"r1.quality": "4"},
        {"r1.quality.helpful": "entirely"},
        {"r1.quality.language_error": "yes"},
        {"r1.comment": "Good."},
        {"r1.fact.1.claim": "Eggs float."},
    ],
    ids=str,
)
def test_answers_in_a_row_leave_no_trace_in_the_cache(answers: dict[str, str]) -> None:
    asked = desk("response-quality")
    before = drawn(asked)
    said = drawn(asked, answers)
    assert said == drawn(asked, answers, anew=True)
    assert said[0] != before[0]
    assert said[1:] == before[1:]
    assert drawn(asked) == before


def test_a_marked_line_is_drawn_in_a_row_too() -> None:
    asked = desk("dialogue", persona=("I keep bees.",))
    before = drawn(asked)
    answers = {"r1.consistency.contradicts.line.1": "yes"}
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
    english = drawn(asked)
    with translation.override("de"):
        german = drawn(asked)
        assert german == drawn(asked, anew=True)
    assert german[0] != english[0]


def test_lines_of_one_persona_do_not_come_with_another_item() -> None:
    for persona in (("I keep bees.",), ("I keep bees.", "I sing."), ("I never sleep.",)):
        shown = "".join(drawn(desk("dialogue", persona=persona)))
        assert all(line in shown for line in persona)
    assert "I keep bees." not in shown


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
    rubric = Rubric(pk=1, slug="response-quality", version=1)
    for submitting, more in product(
        (False, True), ({}, {"r2.quality": "5"}, {"r2.quality": "4"}, {})
    ):
        evaluated = evaluate(desk("response-quality"), answers | more, submitting=submitting)
        for row, (lease, oob) in product(evaluated.rows, ((1, False), (2, True))):
            context = Context(
                {"rubric": rubric, "verdict_url": f"/{lease}/verdict/", "user": User()}
            )
            shown = tags.outcome(context, row, oob=oob)
            assert f'"/{lease}/verdict/?row={row.id}"' in shown
            remembered.cache_clear()
            assert shown == tags.outcome(context, row, oob=oob)


PEOPLE = [
    User(),
    User(own_keys={"skip": "W", "best": "B"}),
    User(own_keys={"skip": "ß", "flag": "<", "best": "L"}),
    User(single_keys=False),
    User(single_keys=False, own_keys={"best": "B"}),
]


@pytest.mark.django_db
@pytest.mark.parametrize("slug", SLUGS)
def test_nobody_sees_the_keys_of_another(slug: str) -> None:
    asked = desk(slug, persona=("I keep bees.",) if slug == "dialogue" else ())
    rubric = make_rubric(slug=slug)

    def shown(user: User, *, anew: bool = False) -> list[str]:
        rows = drawn(asked, user=user, anew=anew)
        return [*rows, tags.dialogs(Context({"rubric": rubric, "user": user}))]

    shown_anew = [shown(user, anew=True) for user in PEOPLE]
    remembered.cache_clear()
    for user, page in [*zip(PEOPLE, shown_anew, strict=True)] * 2:
        assert shown(user) == page


def test_a_check_shows_no_letter_that_is_a_command_s_key() -> None:
    language_error = ">L</kbd> Language error"
    [usual, *_others] = drawn(desk("response-quality"))
    [own, *_others] = drawn(desk("response-quality"), user=User(own_keys={"skip": "L"}))
    assert language_error in usual
    assert language_error not in own
    assert 'aria-keyshortcuts="L"' not in own


def test_without_single_keys_nothing_speaks_of_them() -> None:
    for slug in SLUGS:
        shown = drawn(desk(slug), user=User(single_keys=False))
        assert not any(mark in part for part in shown for mark in ("<kbd", "keyshortcuts"))


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A template that can be edited."""
    engine = Engine.get_default()
    monkeypatch.setattr(engine, "dirs", [*engine.dirs, tmp_path])
    yield tmp_path / "page.html"
    for loader in engine.template_loaders:
        loader.reset()


@pytest.mark.parametrize("debug", [False, True])
def test_an_edited_template_is_drawn_anew_once_it_is_read_again(
    template: Path, debug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DEBUG", debug)
    for text in ("Red {{ name }}", "Green {{ name }}"):
        template.write_text(text)
        for loader in Engine.get_default().template_loaders:
            loader.reset()  # as Django does where it watches the files
        assert render_cached("page.html", name="eggs") == text.replace("{{ name }}", "eggs")
        assert render_cached("page.html", name="ham & <b>").endswith("ham &amp; &lt;b&gt;")


@given(said=st.text(), name=st.text())
def test_a_gap_takes_any_text_and_no_text_is_taken_for_a_gap(said: str, name: str) -> None:
    values = {"said": gap("said"), "name": name}
    template = "{{ name }}<p title='{{ name }}'>{{ said }}</p>{{ said }}"
    cached = engines["django"].from_string(template).render(values)
    whole = engines["django"].from_string(template).render({**values, "said": said})
    assert fill(cached, {"said": said}) == whole


def test_the_text_of_a_gap_is_escaped_unless_it_is_html(template: Path) -> None:
    template.write_text("<p>{{ text }}</p>")
    cached = render_cached("page.html", text=gap("text"))
    assert fill(cached, {"text": "<b>"}) == "<p>&lt;b&gt;</p>"
    assert fill(cached, {"text": mark_safe("<b>")}) == "<p><b></p>"


def test_a_cached_template_sees_nothing_but_its_key(template: Path) -> None:
    template.write_text("{{ name }}{{ request }}{{ user }}{{ messages }}")
    assert render_cached("page.html", name="eggs") == "eggs"
