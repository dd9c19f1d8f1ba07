"""Items that are not stored, and leases on them, for a desk that stores no rating.

A draft of a rubric is tried on the texts pasted for it, on its own examples, and on demonstration
items. A project without items is previewed with a demonstration item. Annotators practise on
examples.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from functools import cache
from typing import NamedTuple, NotRequired, TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _

from config.web.people import User
from rubrics.documents.shipped import FOLDER, SLUGS
from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Example
from rubrics.models import Rubric
from rubrics.pages.rubric_page import example_answers
from rubrics.versions import UnpublishedVersion
from tasks.answers.slot_answers import NO_ANSWERS, TICKED, Answers
from tasks.models import Batch, Item, Lease, Project, Response
from tasks.queue.permutation import permuted

from .item_view import ItemView


class TrialItem(NamedTuple):
    """An item to try a draft on, which may be an example of a dimension."""

    item: Item
    dimension: Dimension | None = None
    example: Example | None = None
    place: str = ""  # of the example in the document

    def answers(self, item_view: ItemView) -> Answers:
        """Return the answers and the score of the example, as the form of the item has them."""
        dimension = self.dimension
        example = self.example
        if not dimension or not example:
            return NO_ANSWERS
        fields: dict[str, str] = {}
        for target in item_view.targets(dimension):
            slot = item_view.slot(dimension, target)
            whole = item_view.slot(item_view.rubric.whole_response, target)
            fields[slot.name] = str(example.score)
            for part, checks in ((slot, dimension.checks), (whole, dimension.shared)):
                for check, answer, _is_good in example_answers(example, dimension, checks):
                    fields[part.field_of(check)] = answer.code if answer else TICKED
        return Answers.read(fields)


def items_to_try(project: Project, pasted: Sequence[str]) -> Iterator[TrialItem]:
    """Yield the items to try a project's rubric on, in order.

    `pasted`: a prompt and responses. Blank ones are left out.
    """
    texts = [text for text in pasted[1:] if text.strip()]
    if texts:
        messages = []
        if pasted[0].strip():
            messages.append({"role": "user", "text": pasted[0]})
        responses = [("", text) for text in texts]
        item = _item(project, _("Pasted texts"), responses, messages, elsewhere={})
        yield TrialItem(item)
    for dimension in project.rubric.schema.dimensions:
        for number, (place, example) in enumerate(_examples(dimension), start=1):
            item = example_as_item(project, dimension, number, example)
            yield TrialItem(item, dimension, example, place)
    yield from map(TrialItem, demonstrations(project))


def _examples(dimension: Dimension) -> Iterator[tuple[str, Example]]:
    """Yield the examples of a dimension, each with its place in the document."""
    for level in dimension.levels:
        place = f"dimensions.{dimension.code}.levels.{level.score}.examples"
        for number, example in enumerate(level.examples, start=1):
            yield f"{place}.{number}", example


def example_as_item(project: Project, dimension: Dimension, number: int, example: Example) -> Item:
    """Return an example as an item. It is named by the number and the dimension."""
    name = _("Example %(number)s of %(title)s") % {"number": number, "title": dimension.title}
    texts = example.candidates or (example.response or "",)
    responses = [("", text) for text in texts]
    messages = map(asdict, example.history)
    elsewhere = {"": example.elsewhere}
    return _item(project, name, responses, messages, persona=example.persona, elsewhere=elsewhere)


def unsaved_project(title: str, version: UnpublishedVersion) -> Project:
    """Return a project in memory that rates by a draft.

    It has no primary key, so that to ask the database for anything of it is an error.
    """
    rubric = Rubric(
        slug=version.slug,
        version=version.version,
        title=version.schema.title,
        language=version.schema.language,
    )
    rubric.schema = version.schema
    return Project(title=title, rubric=rubric)


def unsaved_lease(project: Project, item: Item, annotator: User) -> Lease:
    """Return a lease in memory. Its order is drawn for the person, and the same at every step.

    An item in memory keeps its order.
    """
    item.project = project
    now = timezone.now()
    drawn = list(item.responses_in_order)
    if item.pk:
        key = f"{project.seed}/preview/{annotator.pk}".encode()
        size = len(drawn)
        drawn = [drawn[permuted(key, size, number)] for number in range(size)]
    responses = [response.pk for response in drawn]
    models = dict.fromkeys(response.model for response in drawn)
    end = now + timedelta(minutes=project.lease_minutes)
    return Lease(
        project=project,
        item=item,
        annotator=annotator,
        started_at=now,
        expires_at=end,
        opened_at=now,
        responses=responses,
        model_names=list(models),
    )


def demonstrations(project: Project) -> Iterator[Item]:
    """Yield items of the shipped rubric whose items have what the project's rubric asks about."""
    needs = [dimension.needs for dimension in project.rubric.schema.dimensions]
    is_talk = any(need.persona or need.history or need.candidates for need in needs)
    slug = "dialogue" if is_talk else SLUGS[0]
    lines = _lines(slug)
    for number, line in enumerate(lines[:2], start=1):
        responses = [(response["model"], response["text"]) for response in line["responses"]]
        elsewhere: dict[str, list[str]] = {model: [] for model, _text in responses}
        for other in lines:
            for response in other["responses"]:
                if other is not line and response["model"] in elsewhere:
                    elsewhere[response["model"]].append(response["text"])
        name = _("Conversation %(number)s") % {"number": number}
        persona = line.get("persona", ())
        yield _item(project, name, responses, line["history"], persona=persona, elsewhere=elsewhere)


class DemonstrationResponse(TypedDict):
    """A response of a demonstration item, as in its file."""

    model: str
    text: str


class DemonstrationItem(TypedDict):
    """An item of a demonstration, as in its file."""

    responses: list[DemonstrationResponse]
    history: list[dict[str, str]]
    persona: NotRequired[list[str]]


@cache
def _lines(slug: str) -> list[DemonstrationItem]:
    """Return the demonstration items of a shipped rubric, as in their file."""
    with (FOLDER / f"demo-{slug}.items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _item(
    project: Project,
    name: str,
    models_and_texts: Sequence[tuple[str, str]],
    messages: Iterable[dict[str, str]],
    *,
    persona: Iterable[str] = (),
    elsewhere: Mapping[str, Sequence[str]],
) -> Item:
    """Return an item with these responses: their models and texts. It has each tag asked for."""
    tags: list[str] = []
    for dimension in project.rubric.schema.dimensions:
        tags += dimension.needs.tags
    item = Item(
        project=project,
        batch=Batch(project=project),
        external_id=name,
        persona=list(persona),
        messages=list(messages),
        metadata={"tags": tags},
    )
    item.elsewhere = elsewhere
    item.responses_in_order = []
    for position, (model, text) in enumerate(models_and_texts, start=1):
        response = Response(pk=position, position=position, model=model, text=text)
        item.responses_in_order.append(response)
    return item
