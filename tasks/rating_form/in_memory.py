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
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from config.web.people import User
from rubrics.page import said_in
from rubrics.schema import Dimension, Example
from rubrics.shipped import FOLDER, SLUGS
from tasks.answers import NO_ANSWERS, TICKED, Answers
from tasks.models import Batch, Item, Lease, Project, Response
from tasks.queue.permutation import permuted

from .item_view import ItemView


class Tried(NamedTuple):
    """An item to try a draft on, which may be an example of a dimension."""

    item: Item
    dimension: Dimension | None = None
    example: Example | None = None
    place: str = ""  # of the example in the document

    def answers(self, view: ItemView) -> Answers:
        """Return the answers and the score of the example, as the form of the item has them."""
        dimension, example = self.dimension, self.example
        if not dimension or not example:
            return NO_ANSWERS
        fields: dict[str, str] = {}
        for target in view.targets(dimension):
            slot, whole = (view.slot(each, target) for each in (dimension, view.rubric.whole))
            fields[slot.name] = str(example.score)
            for part, checks in ((slot, dimension.checks), (whole, dimension.shared)):
                for said in said_in(example, dimension, checks):
                    answer = said["answer"]
                    fields[part.field_of(said["check"])] = answer.code if answer else TICKED
        return Answers.read(fields)


def items_to_try(project: Project, pasted: Sequence[str]) -> Iterator[Tried]:
    """Yield the items to try a project's rubric on, in order.

    `pasted`: a prompt and responses. Blank ones are left out.
    """
    if texts := [text for text in pasted[1:] if text.strip()]:
        asked = [{"role": "user", "text": text} for text in pasted[:1] if text.strip()]
        responses = [("", text) for text in texts]
        yield Tried(_item(project, _("Pasted texts"), responses, asked, elsewhere={}))
    for dimension in project.rubric.schema.dimensions:
        examples = [
            (example, f"dimensions.{dimension.code}.levels.{level.score}.examples.{number}")
            for level in dimension.levels
            for number, example in enumerate(level.examples, start=1)
        ]
        for number, (example, place) in enumerate(examples, start=1):
            item = example_as_item(project, dimension, number, example)
            yield Tried(item, dimension, example, place)
    yield from map(Tried, demonstrations(project))


def example_as_item(project: Project, dimension: Dimension, number: int, example: Example) -> Item:
    """Return an example as an item. It is named by the number and the dimension."""
    return _item(
        project,
        _("Example %(number)s of %(title)s") % {"number": number, "title": dimension.title},
        [("", text) for text in example.candidates or (example.response or "",)],
        map(asdict, example.history),
        persona=example.persona,
        elsewhere={"": example.elsewhere},
    )


def unsaved_lease(project: Project, item: Item, annotator: User) -> Lease:
    """Return a lease in memory. Its order is drawn for the person, and the same at every step.

    An item in memory keeps its order.
    """
    item.project, there, now = project, item.own_responses, timezone.now()
    key = f"{project.seed}/preview/{annotator.pk}".encode()
    places = [permuted(key, len(there), each) if item.pk else each for each in range(len(there))]
    drawn = [there[place] for place in places]
    return Lease(
        project=project,
        item=item,
        annotator=annotator,
        started_at=now,
        expires_at=now + timedelta(minutes=project.lease_minutes),
        opened_at=now,
        responses=[response.pk for response in drawn],
        model_names=list(dict.fromkeys(response.model for response in drawn)),
    )


def demonstrations(project: Project) -> Iterator[Item]:
    """Yield items of the shipped rubric whose items have what the project's rubric asks about."""
    needs = [each.needs for each in project.rubric.schema.dimensions]
    is_talk = any(each.persona or each.history or each.candidates for each in needs)
    lines = _lines("dialogue" if is_talk else SLUGS[0])
    for number, line in enumerate(lines[:2], start=1):
        others = [said for other in lines if other is not line for said in other["responses"]]
        yield _item(
            project,
            _("Conversation %(number)s") % {"number": number},
            [(said["model"], said["text"]) for said in line["responses"]],
            line["history"],
            persona=line.get("persona", ()),
            elsewhere={
                model: [said["text"] for said in others if said["model"] == model]
                for model in {said["model"] for said in line["responses"]}
            },
        )


@cache
def _lines(slug: str) -> list[dict[str, Any]]:
    """Return the demonstration items of a shipped rubric, as in their file."""
    with (FOLDER / f"demo-{slug}.items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _item(
    project: Project,
    name: str,
    responses: Sequence[tuple[str, str]],
    messages: Iterable[dict[str, str]],
    *,
    persona: Iterable[str] = (),
    elsewhere: Mapping[str, Sequence[str]],
) -> Item:
    """Return an item with these responses: their models and texts. It has each tag asked for."""
    dimensions = project.rubric.schema.dimensions
    item = Item(
        pk=0,
        project=project,
        batch=Batch(pk=0, project=project),
        external_id=name,
        persona=list(persona),
        messages=list(messages),
        metadata={"tags": [tag for each in dimensions for tag in each.needs.tags]},
    )
    item.elsewhere = elsewhere
    item.own_responses = [
        Response(pk=position, position=position, model=model, text=text)
        for position, (model, text) in enumerate(responses, start=1)
    ]
    return item
