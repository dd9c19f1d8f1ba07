"""A rubric, by a lead who has it on paper: written in the editor, published, and rated with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import expect

from .gallery import add_items, desk_of_ada
from .person import Person

HERE = Path(__file__).parent
PROSE = HERE / "summaries.txt"
NEWS = HERE / "summaries.jsonl"  # two items of two summaries
MOST_OF_SCALES = 40  # fields and clicks, for four dimensions
MOST_OF_LEAF = 1.5  # fields and clicks


@dataclass(frozen=True)
class Example:
    """A text with the score that it has, and the note on it, as they stand on paper.

    `more` has what the form takes as a document: a persona, several responses.
    """

    prompt: str
    response: str
    note: str = ""
    more: Sequence[tuple[str, Sequence[str]]] = ()

    @property
    def leaves(self) -> int:
        texts = [self.prompt, self.response, self.note]
        return len([*filter(None, texts)]) + sum(len(each) for _, each in self.more)


@dataclass(frozen=True)
class Level:
    """A score that is described, with the points of its description."""

    score: int
    label: str
    points: Sequence[str]
    examples: Sequence[Example] = ()

    @property
    def leaves(self) -> int:
        return 1 + len(self.points) + sum(each.leaves for each in self.examples)


@dataclass(frozen=True)
class Scale:
    """A dimension as it stands on paper, from 1 to 5."""

    title: str
    question: str
    levels: Sequence[Level]
    more: str = ""

    @property
    def leaves(self) -> int:
        return 2 + sum(level.leaves for level in self.levels)


# --- the editor ---


def begin(lead: Person, title: str, summary: str) -> None:
    """Begin an empty rubric, and say what it is about."""
    lead.does("goes to the rubrics, and starts one")
    lead.button(lead.page.get_by_role("link", name="Rubrics"))
    lead.button(lead.page.get_by_role("link", name="Start a rubric"))
    lead.does("begins empty")
    lead.fields = lead.buttons = 0  # the rest is counted
    lead.fill(lead.page.get_by_label("Title", exact=True), title)
    lead.button(lead.page.get_by_role("button", name="Begin empty"))
    lead.does("says what is rated")
    lead.fill(lead.page.get_by_label("Summary"), summary)


def write_scale(lead: Person, scale: Scale) -> None:
    """Write a dimension: its question, and the levels that are described."""
    page = lead.page
    lead.does(f"adds {scale.title}")
    lead.fill(page.get_by_label("New dimension"), scale.title)
    lead.button(page.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_role("heading", level=1, name=scale.title)).to_be_visible()
    lead.fill(page.get_by_label("Question that annotators read"), scale.question)
    if len(scale.levels) == 2:
        lead.button(page.get_by_label("only the ends are described"))
    for level in scale.levels:
        lead.fill(page.get_by_label(f"On the button of {level.score}"), level.label)
        lead.fill(page.get_by_label(f"Meaning of {level.score}"), "\n".join(level.points))
    if scale.more:
        write_more(lead, scale.more)


def write_more(lead: Person, text: str, number: int = 0) -> None:
    lead.button(lead.page.locator("details.folded > summary", has_text="More").nth(number))
    lead.fill(lead.page.get_by_label("More").nth(number), text)


def write_examples(lead: Person, scale: Scale) -> None:
    """Write the examples of a dimension, each with its score."""
    page, outline = lead.page, lead.page.get_by_role("navigation", name="Parts of the rubric")
    place = outline.get_by_role("listitem").filter(has_text=scale.title)
    lead.does(f"writes examples of {scale.title}")
    lead.button(place.get_by_role("link", name="Examples"))
    examples = [(level.score, each) for level in scale.levels for each in level.examples]
    for number, (score, example) in enumerate(examples):
        if number:
            lead.button(page.get_by_role("button", name="Save and add another"))
        row = page.locator(".edit-rows > li").last
        expect(row.get_by_role("heading", name="New example")).to_be_visible()
        lead.fill(row.get_by_label("Prompt"), example.prompt)
        if example.response:
            lead.fill(row.get_by_label("Response"), example.response)
        lead.pick(row.get_by_label("Score"), str(score))
        if example.note:
            lead.fill(row.get_by_label("Why"), example.note)
        if example.more:
            lines = (f"{name}:\n" + "".join(f"- {each}\n" for each in texts)
                for name, texts in example.more)
            write_more(lead, "".join(lines), number)


def publish(lead: Person) -> int:
    """Publish the rubric; return how many fields and clicks have led to it."""
    page = lead.page
    lead.does("publishes it")
    lead.button(page.get_by_role("link", name="Publish…"))
    lead.button(page.get_by_role("button", name="Publish version 1"))
    expect(page.get_by_role("status")).to_contain_text("is published")
    count = lead.fields + lead.buttons
    lead.heard.append((lead.step, "counted", f"{lead.fields} fields and {lead.buttons} clicks"))
    return count


# --- the project ---


def rate_one(lead: Person, title: str, items: Path, rows: Callable[[Person], None]) -> None:
    """Start a project with the rubric, upload items, and let ada rate one by keys."""
    page = lead.page
    lead.does("starts a project with it")
    lead.click(page.get_by_role("link", name="Evenhand"))
    lead.click(page.get_by_role("link", name="New project"))
    lead.click(page.get_by_label("Title"))
    lead.type(title)
    lead.click(page.get_by_role("radio", name=f"{title}, version 1"))
    lead.click(page.get_by_role("button", name="Create project"))
    add_items(lead, items)
    ada = desk_of_ada(lead, title)
    ada.does("rates an item by keys")
    rows(ada)
    expect(ada.hint()).to_have_text("All done: submit")
    ada.until_next_item(lambda: ada.press("Control+Enter"))


def scores(person: Person, *dimensions: str) -> None:
    """Give each reply a score in each dimension, by its digit."""
    for _ in person.labels():
        for row, key in zip(dimensions, "5432", strict=False):
            person.at_row(row)
            person.press(key)


# --- summaries, from a page of prose ---


def _ends(title: str, question: str, *ends: str) -> Scale:
    high, above, low, below = ends
    return Scale(title, question, (Level(5, high, (above,)), Level(1, low, (below,))))


SUMMARIES = "Summaries of news"
ABOUT_SUMMARIES = "Rate each quality of a summary by itself, with the article beside it."
QUALITIES = (
    _ends(
        *("Coherence", "Does it hang together as one piece of writing?"),
        *("of one piece", "it starts somewhere, goes somewhere, and no sentence could stand elsewhere"),
        *("in pieces", "its sentences could be shuffled, and nobody would notice"),
    ),
    _ends(
        *("Consistency", "Could each claim be underlined in the article?"),
        *("all in the article", "every name, number and event can be shown there"),
        *("not in the article", "its main claims are invented, or the article says the opposite"),
    ),
    _ends(
        *("Fluency", "Would an editor leave each sentence as it is?"),
        *("ready to print", "there is nothing to mend"),
        *("needs rewriting", "broken sentences, doubled words and stray signs are everywhere"),
    ),
    _ends(
        *("Relevance", "Does a reader in a hurry learn what she has to know?"),
        *("the news itself", "each main point is there, and each point there is a main one"),
        *("beside the news", "it spends its words on details and leaves the event out"),
    ),
)


def summeval_from_prose(lead: Person) -> None:
    """Write four scales from a page of prose, publish them, and see an item rated."""
    lead.signs_in()
    begin(lead, SUMMARIES, ABOUT_SUMMARIES)
    for scale in QUALITIES:
        write_scale(lead, scale)
    count = publish(lead)
    assert count <= MOST_OF_SCALES, f"{count} fields and clicks; at most {MOST_OF_SCALES}"
    names = [scale.title.lower() for scale in QUALITIES]
    rate_one(lead, SUMMARIES, NEWS, lambda ada: scores(ada, *names))


JOURNEYS = (summeval_from_prose,)
