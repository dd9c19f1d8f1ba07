"""What the texts of one page may take together, whatever they are: counted, never timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from rapidfuzz.distance import LCSseq
from selectolax.lexbor import LexborHTMLParser

from annotators.desk.text_switches import TextSwitches
from annotators.desk.text_views import MOST_STEPS, TextDisplay, TextViews
from tasks.importing.columns.items import MOST_RESPONSES
from tasks.models import TextView
from tasks.rating_form.fields import Target
from tasks.rating_form.item_view import ResponseView
from tasks.text import diff as differing, markdown, render as rendering
from tasks.text.diff import DiffKind, difference, steps
from tests.desk_steps import HTMX
from tests.factories import make_batch, make_item, make_lease, make_project, make_user

AS_WRITTEN = "page"
PROSE = (
    "## What to do\n\nA sentence with *some* **marks**, `code` and a [link](https://a.example).\n\n"
    "- an item\n- another, with $x^2$\n\n|a|b|\n|-|-|\n|1|2|\n\n"
    "```python\ndef f(x):\n    return x + 1\n```\n\n"
)


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    for cache in (rendering._short, rendering._long, rendering._plain, difference, steps):
        cache.cache_clear()


def hostile(number: int) -> str:
    """Of the longest texts that are rendered; each takes all steps that one may."""
    return f"{number} " + "![" * 19_995


def honest(number: int) -> str:
    """A long response, in parts like all others and in parts not."""
    own = "".join(
        f"This is sentence {place * number} of it, and no other.\n\n" for place in range(50)
    )
    return (PROSE * 35 + own)[:8_000]


def shown(look: TextViews) -> list[TextDisplay]:
    """What a page says of each response, in their order."""
    return [look.show(response.text, response.key)[0] for response in look.responses]


def reasons(look: TextViews) -> list[str]:
    """Why each response is shown as it was written; "" if it is not."""
    return [each.excess for each in shown(look)]


def look(view: TextView, texts: Sequence[str]) -> TextViews:
    responses = [ResponseView(f"r{n}", n, n, "gull", text) for n, text in enumerate(texts, start=1)]
    targets = tuple(Target(response.key) for response in responses)
    return TextViews(TextSwitches(view, bases=targets), tuple(responses))


class Counted:
    """Counts pairs of words or lines that are compared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pairs = 0
        monkeypatch.setattr(differing, "LCSseq", self)

    def opcodes(self, before: Sequence[str], after: Sequence[str]) -> Any:
        self.pairs += len(before) * len(after)
        return LCSseq.opcodes(before, after)


# --- one text ---


def test_brackets_that_nothing_closes_are_not_gone_through_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0

    def count(self: ParserInline, state: StateInline) -> None:
        nonlocal looks
        looks += 1
        skip(self, state)

    skip = ParserInline.skipToken
    monkeypatch.setattr(ParserInline, "skipToken", count)
    assert rendering.rendering(hostile(1)).excess == "work"
    assert looks <= markdown.MOST_STEPS


def test_code_costs_a_step_for_each_character_that_is_coloured() -> None:
    code = "x = 1\n" * 500 + "```"
    plain, coloured = (rendering.rendering(f"```{name}\n{code}").steps for name in ("", "python"))
    assert coloured - plain >= 3_000


def test_a_text_costs_the_same_when_it_is_remembered() -> None:
    one, again = look(TextView.RENDERED, [PROSE]), look(TextView.RENDERED, [PROSE])
    shown(one)
    shown(again)
    assert MOST_STEPS > one.budget.steps == again.budget.steps


def test_of_long_texts_no_more_is_compared_than_of_one_paragraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    monkeypatch.setattr(differing, "_MOST_PAIRS", 10_000)
    first, second = ("\nthe same\n".join(said * 25 for _ in range(20)) for said in ("a,", ".b"))
    parts = difference(first, second)
    assert "".join(part.text for part in parts if part.diff_kind is not DiffKind.SECOND) == first
    assert 0 < counted.pairs <= 10_000


def test_the_estimated_work_of_a_comparison_is_never_too_low(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    for first, second in (("a b " * 900, "b a " * 900), ("a,\n" * 9_000, "b,\n" * 9_000)):
        counted.pairs = 0
        difference(first, second)
        assert 0 < counted.pairs <= (steps(first, second) + 1) * differing._PAIRS_OF_STEP


# --- a page ---


def test_a_page_renders_no_more_than_its_steps_and_shows_the_rest_as_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []

    def note(text: str, counted: markdown.Steps) -> str:
        given.append(text)
        return markdown.to_html(text, counted)

    monkeypatch.setattr(rendering, "to_html", note)
    texts = [hostile(number) for number in range(MOST_RESPONSES)]
    page = look(TextView.RENDERED, [*texts, "*short*"])
    said = reasons(page)
    assert given == texts[: len(given)]
    assert len(given) <= MOST_STEPS // markdown.MOST_STEPS + 1
    assert said[len(given) :] == [AS_WRITTEN] * (MOST_RESPONSES + 1 - len(given))
    assert page.show("*short*", f"r{MOST_RESPONSES + 1}") == (TextDisplay(excess="page"), "*short*")


def test_a_page_looks_for_code_no_more_than_its_steps_and_marks_none_in_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []

    def note(text: str, counted: markdown.Steps) -> Iterator[tuple[int, int]]:
        given.append(text)
        return markdown.code_in(text, counted)

    monkeypatch.setattr(rendering, "code_in", note)
    texts = [f"`{hostile(number)}"[:40_000] for number in range(MOST_RESPONSES)]
    page = look(TextView.TEXT, [*texts, "`short`"])
    assert reasons(page) == [""] * (MOST_RESPONSES + 1)  # it reads the same without
    assert given == texts[: len(given)]
    assert len(given) <= MOST_STEPS // markdown.MOST_STEPS + 1
    assert page.show("`short`", f"r{MOST_RESPONSES + 1}") == (TextDisplay(), "`short`")
    assert "<code>" in look(TextView.TEXT, ["`short`"]).show("`short`", "r1")[1]


def test_a_page_compares_no_more_than_its_steps_and_shows_the_rest_as_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    texts = [
        "\nthe same\n".join(f"{a},{b}!" * 2_500 for b in range(4)) for a in range(MOST_RESPONSES)
    ]
    page = look(TextView.DIFFERENCE, texts)
    said = reasons(page)
    assert 0 < counted.pairs <= MOST_STEPS * differing._PAIRS_OF_STEP
    compared = said.index(AS_WRITTEN)
    assert compared > 1
    assert said[compared:] == [AS_WRITTEN] * (MOST_RESPONSES - compared)
    assert {each.other for each in shown(page)[:compared]} == {"", "A"}


def test_texts_too_long_to_compare_are_not_even_parted_into_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(differing, "_WORD", None)
    texts = ["a " * 1_500_000, "b " * 1_500_000]
    assert reasons(look(TextView.DIFFERENCE, texts)) == [AS_WRITTEN] * 2
    assert steps(*texts) == 6_000_000


@pytest.mark.parametrize("view", [TextView.RENDERED, TextView.DIFFERENCE])
def test_fifty_long_responses_are_shown_as_ever(view: TextView) -> None:
    texts = [honest(number) for number in range(1, MOST_RESPONSES + 1)]
    assert {len(text) for text in texts} == {8_000}
    for each in shown(look(view, texts)):
        assert (each.excess, each.is_rendered, bool(each.other) or each.is_base) == (
            "",
            view == TextView.RENDERED,
            view == TextView.DIFFERENCE,
        )


def test_the_next_page_renders_what_was_too_much_for_this_one() -> None:
    texts = [hostile(number) for number in range(MOST_RESPONSES)] + ["*short*"]
    first = look(TextView.RENDERED, texts)
    assert reasons(first)[-1] == AS_WRITTEN
    assert "<em>short</em>" in look(TextView.RENDERED, ["*short*"]).show("*short*", "r1")[1]
    assert shown(look(TextView.RENDERED, texts)) == shown(first)  # and a page says the same again


def test_a_text_that_stands_on_a_page_twice_takes_its_steps_once() -> None:
    page = look(TextView.RENDERED, [PROSE])
    once = page.show(PROSE, "r1")
    left = page.budget.steps
    assert page.show(PROSE, "r1") == once
    assert page.budget.steps == left < MOST_STEPS


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("view", "before"),
    [
        ("rendered", [hostile(number) for number in range(10)]),
        ("difference", ["a " * 1_200_000] * 2),
    ],
    ids=["rendered", "difference"],
)
def test_the_reader_is_told_where_a_text_is_as_written_for_the_others_sake(
    client: Client, view: str, before: list[str]
) -> None:
    ada = make_user(name="ada")
    client.force_login(ada)
    batch = make_batch(project=make_project(slug="eggs", annotators=[ada]))
    item = make_item(batch=batch, prompt="Eggs?", responses=[*before, "*Six* & <b>."])
    lease = make_lease(item=item, annotator=ada, now=timezone.now())
    answer = client.post(f"/projects/eggs/desk/{lease.pk}/texts/", {"show": view}, headers=HTMX)
    [last] = LexborHTMLParser(answer.content.decode()).css(f"[data-said='r{len(before) + 1}']")
    [told] = last.css("p.told")
    assert told.text().strip().startswith("Shown as plain text: the item has too much text")
    told.decompose()
    assert (last.text(), last.attributes["class"]) == ("*Six* & <b>.", "text")


def test_nested_lists_of_few_characters_are_bounded_by_what_is_made_of_them() -> None:
    """Each line of this opens eight lists: some 30 tokens, which are rendered and cleaned."""
    assert rendering.rendering("- - - - - - - - a\n" * 2_200).excess == rendering.Excess.WORK


def test_a_text_that_is_too_long_is_only_escaped() -> None:
    shown = rendering.rendering("<" * 100_000)
    assert (shown.excess, shown.steps) == (rendering.Excess.LENGTH, 1)
    assert shown.html == f'<p class="r-as-written">{"&lt;" * 100_000}</p>'
