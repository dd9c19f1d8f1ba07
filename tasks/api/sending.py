"""Items that a program sends: what it may send, what it is told, and how they are loaded."""

import re
from enum import StrEnum
from typing import Annotated, TypeAlias

from django.utils import timezone
from pydantic import BaseModel, Field, WithJsonSchema

from config.web.problems import Problem, ProblemKind, ValueFault
from tasks.importing.batches.loading import AlreadyLoading, BadLines, Load, load_batch
from tasks.importing.batches.sent_items import BatchIsComplete, SentItems
from tasks.importing.batches.staging import UploadRefused
from tasks.importing.columns.uses import CONVERSATIONS
from tasks.importing.files.rows import JsonObject, LineError
from tasks.models import Project
from tasks.models.batches import LONGEST_NAME

from .authentication import ApiCall
from .batches import ListedBatch
from .bodies import escaped
from .problems import RETRY_AFTER, invalid

MOST_ITEMS = 1_000  # of a call
STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")  # of a path such as `responses[0].text`
Step: TypeAlias = str | int
SHAPE = {
    "type": "object",
    "title": "Item",
    "description": "an item as in a file (docs/import.md); any other name is metadata",
    "required": ["id"],
    "additionalProperties": True,
    "properties": {
        "id": {"type": ["string", "integer"], "description": "once in a project"},
        "prompt": {"type": "string"},
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["role"],
                "properties": {"role": {"type": "string"}, "content": {}, "text": {}},
            },
        },
        "persona": {"type": ["array", "string"], "items": {"type": "string"}},
        "system": {"type": "string"},
        "context": {"type": "string"},
        "reference": {"type": "string"},
        "source": {"type": "string"},
        "warning": {"type": "string"},
        "responses": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["text"],
                "properties": {"model": {"type": "string"}, "text": {"type": "string"}},
            },
        },
    },
}
SentItem = Annotated[JsonObject, WithJsonSchema(SHAPE)]


class Existing(StrEnum):
    """Handling of an item whose id the project has."""

    REFUSE = "refuse"
    SKIP = "skip"


class ItemsToAdd(BaseModel, extra="forbid"):
    """Items for a batch."""

    batch: str = Field(
        min_length=1,
        max_length=LONGEST_NAME,
        pattern=r"\S",
        description="a new name, or that of a batch that is not complete",
    )
    items: list[SentItem] = Field(min_length=1, max_length=MOST_ITEMS)
    existing: Existing = Field(
        Existing.REFUSE,
        description="an id that the project has: `skip` leaves the item out if its texts are equal",
    )
    complete: bool = Field(False, description="true: no more items come into the batch")


class AddedItems(BaseModel):
    """The outcome of a call that added items."""

    batch: ListedBatch
    added: int = Field(description="items that came in")
    responses: int = Field(description="responses that came in")
    skipped: int = Field(description="items that the project had, with the same texts")
    remarks: list[str] = Field(description="what a lead may not expect")


def load_items(request: ApiCall, project: Project, to_add: ItemsToAdd) -> AddedItems:
    """Add items to a batch, all of them or none. Raise Problem if they can't be taken."""
    load = _loaded(request, project, to_add)
    if to_add.complete:
        load.batch.call_complete()
    return AddedItems(
        batch=ListedBatch.of(project.batches.with_progress().get(pk=load.batch.pk)),
        added=load.items,
        responses=load.responses,
        skipped=load.skipped,
        remarks=list(load.sentences),
    )


def _loaded(request: ApiCall, project: Project, to_add: ItemsToAdd) -> Load:
    """Load the items as those of a file. Raise Problem if they can't be."""
    faults: list[LineError] = []
    order = SentItems.of(
        to_add.items,
        faults,
        project=project,
        batch_name=to_add.batch,
        skips=to_add.existing is Existing.SKIP,
        by=request.auth.owner,
        now=timezone.now(),
    )
    try:
        load = load_batch(order)
        if load.batch.complete and load.items:  # skipped items may be sent to it again
            raise BatchIsComplete("%(batch)s", batch=load.batch)
        return load
    except AlreadyLoading as error:
        detail = "Other items are being loaded into this project."
        wait = {"Retry-After": RETRY_AFTER}
        raise Problem(ProblemKind.CONFLICT, detail, headers=wait) from error
    except BatchIsComplete as error:
        allowed = "a new name, or that of a batch that is not complete"
        advice = "Take another name: this batch is complete."
        raise invalid([ValueFault(to_add.batch, allowed, advice, pointer="/batch")]) from error
    except BadLines as error:
        raise invalid(_fault(fault, to_add.items) for fault in faults) from error
    except UploadRefused as error:
        detail = f"The call {str(error).strip()}"  # it names no file
        raise Problem(ProblemKind.INVALID, detail) from error


def _fault(fault: LineError, items: list[JsonObject]) -> ValueFault:
    """Return the fault of an item with its place in the body. `line` is the item's number."""
    number = fault.line - 1
    value: object = items[number]
    places: list[Step] = []
    for place in _steps(fault.column, items[number]):
        places.append(place)
        value = _part(value, place)
    pointer = "".join(f"/{escaped(str(place))}" for place in ("items", number, *places))
    return ValueFault(value, fault.reason, _sentence(fault.advice), pointer=pointer)


def _steps(column: str, item: JsonObject) -> list[Step]:
    """Return the way to a column in an item, whose names may have any signs."""
    meta = item.get("meta")
    if column in item:
        return [column]
    if isinstance(meta, dict) and column in meta:
        return ["meta", column]
    steps: list[Step] = []
    if column == "prompt":  # or what is there in its place
        steps += [name for name in CONVERSATIONS if name in item]
        return steps[:1] or [column]
    for number, name in STEP.findall(column):
        steps.append(int(number) if number else name)
    return steps


def _part(value: object, step: Step) -> object:
    """Return a member of a value, None if it has none."""
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
