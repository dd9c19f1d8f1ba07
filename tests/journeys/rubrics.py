"""A rubric, by a lead who has it on paper: written in the editor, published, and rated with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import expect

from tests.demonstration import ROOT

from .gallery import add_items, desk_of_ada
from .person import Person

HERE = Path(__file__).parent
PROSE = HERE / "summaries.txt"
TALKS = ROOT / "fixtures" / "demo-dialogue.items.jsonl"
NEWS = HERE / "summaries.jsonl"  # two items of two summaries
MOST_OF_SCALES = 40  # fields and clicks, for four dimensions
MOST_OF_LEAF = 1.5  # fields and clicks


@dataclass(frozen=True)
class Example:
    """A text that shows a level, and the note on it, as they stand on paper.

    `persona` and `candidates`, the responses of one model, have no fields but "More".
    """

    prompt: str = ""
    response: str = ""
    note: str = ""
    persona: Sequence[str] = ()
    candidates: Sequence[str] = ()

    @property
    def texts(self) -> list[str]:
        """The leaves: each turn, the note, and each line of the persona."""
        said = [self.prompt, self.response or " / ".join(self.candidates), self.note]
        return [*filter(None, said), *self.persona]

    @property
    def more(self) -> str:
        lists = {"persona": self.persona, "candidates": self.candidates}
        lines = {name: "".join(f"- {each}\n" for each in texts) for name, texts in lists.items()}
        return "".join(f"{name}:\n{each}" for name, each in lines.items() if each)


@dataclass(frozen=True)
class Level:
    """A score that is described, with the points of its description."""

    score: int
    label: str
    points: Sequence[str]
    examples: Sequence[Example] = ()

    @property
    def leaves(self) -> int:
        """How many entries the paper has for it. One that two examples share stands there once."""
        return 1 + len(self.points) + len({text for each in self.examples for text in each.texts})


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
    """Open "More" and write what has no field, in place of what stands there."""
    more = lead.page.get_by_label("More").nth(number)
    lead.button(lead.page.locator("details.folded > summary").filter(has_text="More").nth(number))
    more.focus()
    lead.press("Control+a")
    lead.fields += 1
    lead.type(text)


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
        row = page.locator(".edit-rows > li").nth(number)
        expect(page.locator(".edit-rows > li")).to_have_count(number + 1)
        if example.prompt:
            lead.fill(row.get_by_label("Prompt"), example.prompt)
        if example.response:
            lead.fill(row.get_by_label("Response"), example.response)
        lead.pick(row.get_by_label("Score"), str(score))
        lead.fill(row.get_by_label("Why"), example.note or "As described.")
        if example.more:
            write_more(lead, example.more, number)


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
        *(
            "of one piece",
            "it starts somewhere, goes somewhere, and no sentence could stand elsewhere",
        ),
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


# --- dialogue, from its document ---


DIALOGUE = "Replies in small talk"
ABOUT_DIALOGUE = (
    "Four scales for what a chat partner says: three of a reply, one of all replies of a model."
)
SPOKEN = (
    Scale(
        "Quality",
        "Taken alone: is its grammar right, does it read easily, is nothing said twice?",
        (
            Level(
                5,
                "perfect",
                ("Long, and it tells a lot.", "Neither long nor short, and all of it is right."),
                (
                    Example("hi, what's new?", "hey, i was out with my kite all day. and you?"),
                    Example("got any hobbies?", "i built boats once, and i still whittle. you?"),
                ),
            ),
            Level(
                3,
                "fair",
                (
                    "Some grammar is wrong, but one gets it.",
                    "Short, and right.",
                    "Part of it comes twice.",
                    "It reads well, but it is indecent.",
                ),
                (
                    Example("got any hobbies?", "i hike a lot", "Right, but bare."),
                    Example("what cat is it?", "it is a manx. it is a manx.", "Said twice."),
                ),
            ),
            Level(
                1,
                "poor",
                ("Broken, or the grammar is badly wrong.", "One can hardly get it."),
                (
                    Example("my cat likes it", "i am twins twins twins", "Makes no sense."),
                    Example("i study law.", "i love my Greek. was is it to study?", "Broken."),
                ),
            ),
        ),
    ),
    Scale(
        "Persona consistency",
        "Does it go with the lines about the speaker, and contradict none?",
        (
            Level(
                5,
                "perfect",
                ("It takes up a line, openly or not.",),
                (
                    Example(
                        response="lovely, i collect stamps.",
                        note="Takes up the stamps openly.",
                        persona=("i own a thousand stamps.", "i box.", "i eat no fish.", "i rent."),
                    ),
                    Example(
                        response="i just bought a blue one from fiji.",
                        note="Takes up the stamps without the word.",
                        persona=("i own a thousand stamps.", "i box.", "i eat no fish.", "i rent."),
                    ),
                ),
            ),
            Level(
                3,
                "fair",
                ("It contradicts no line and takes up none.",),
                (
                    Example(
                        response="I like to cook.",
                        note="No line speaks of it.",
                        persona=(
                            "i am from leeds.",
                            "i sing for money.",
                            "i went to bath.",
                            "i ski.",
                        ),
                    ),
                ),
            ),
            Level(
                1,
                "poor",
                ("It contradicts a line.",),
                (
                    Example(
                        response="no, stamps bore me.",
                        note="Against the first line.",
                        persona=("i own many stamps.", "i box.", "i eat no meat.", "i rent."),
                    ),
                ),
            ),
        ),
    ),
    Scale(
        "Coherence",
        "Does its meaning go with what was said before?",
        (
            Level(
                5,
                "perfect",
                (
                    "Long, and it tells a lot; a slip that does not hinder is allowed.",
                    "Neither long nor short, and without a slip.",
                ),
                (
                    Example("hi, what's new?", "hi, i was out with my kite. and you?"),
                    Example("got any hobbies?", "i built boats once, i still whittle. you?"),
                ),
            ),
            Level(
                3,
                "fair",
                (
                    "It hardly goes with what was said, or one of these:",
                    "It says the question again.",
                    "It says the question in other words.",
                    "It would go anywhere and tells next to nothing.",
                    "It asks something and adds nothing.",
                ),
                (
                    Example("one can get hurt there. i stay in", "i wish i could", "Hardly goes."),
                    Example("do you like frogs?", "i do, any hobbies?", "Asks, adds nothing."),
                    Example("i long to see Rome.", "i long to see rome too.", "Other words."),
                ),
            ),
            Level(
                1,
                "poor",
                ("It has nothing to do with what was said: another topic, another question.",),
                (Example("how old is he?", "great! that band rocks", "Answers something else."),),
            ),
        ),
    ),
    Scale(
        "Diversity",
        "How much do the replies of a model differ, here and in all that it said?",
        (
            Level(
                5,
                "perfect",
                ("Much, in both.",),
                (
                    Example(
                        "what's new?",
                        note="Much here.",
                        candidates=("i read a saga", "just off work", "two jobs, no sleep"),
                    ),
                    Example(
                        "i read fifty books",
                        note="Much in all.",
                        candidates=("any with ghosts?", "you star!", "which one stayed?"),
                    ),
                ),
            ),
            Level(
                3,
                "fair",
                ("Much, in one of both.",),
                (
                    Example(
                        "what is new today?",
                        note="Much here alone.",
                        candidates=("a saga, at last", "off work", "too tired, two jobs"),
                    ),
                ),
            ),
            Level(
                1,
                "poor",
                ("Next to nothing, in both.",),
                (
                    Example(
                        "hi, how are you?",
                        note="Little here.",
                        candidates=("good, and you?", "good, how are you?", "well, and you?"),
                    ),
                    Example(
                        "i read a lot",
                        note="Little in all.",
                        candidates=("cool, how are you?", "great!", "great, how are you?"),
                    ),
                ),
            ),
        ),
        more="short: Diversity\nunit: candidate_set",
    ),
)


def dialogue_from_its_document(lead: Person) -> None:
    """Write all of a document of four scales with examples, publish it, and see an item rated."""
    lead.signs_in()
    begin(lead, DIALOGUE, ABOUT_DIALOGUE)
    for scale in SPOKEN:
        write_scale(lead, scale)
        write_examples(lead, scale)
    count, leaves = publish(lead), sum(scale.leaves for scale in SPOKEN)
    ratio = count / leaves
    lead.heard.append((lead.step, "counted", f"{ratio:.2f} for each of {leaves} leaves"))
    assert ratio <= MOST_OF_LEAF, (
        f"{ratio:.2f} fields and clicks for a leaf; at most {MOST_OF_LEAF}"
    )
    rate_one(lead, DIALOGUE, TALKS, rate_talk)


def rate_talk(person: Person) -> None:
    """Score each reply, then all replies of each model."""
    scores(person, *(scale.title.lower().replace(" ", "_") for scale in SPOKEN[:3]))
    for _model in range(2):
        person.at_row("diversity")
        person.press("4")
        person.settle()


JOURNEYS = (summeval_from_prose, dialogue_from_its_document)
