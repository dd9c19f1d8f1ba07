"""The examples of a dimension: from their form into the document, and back.

The document has examples under its levels, the form in one list. There an example is called by its
place, "4.0" for the first at the level 4, as long as the page does not change.
"""

from collections.abc import Iterable, Iterator

from ..documents.draft_parts import DraftDimension, DraftExample, DraftLevel
from .edit import Edit
from .elements import in_former_order, mappings_in, whole_number
from .fields import ExampleRow
from .more import more_text


def examples_in(dimension: DraftDimension) -> Iterator[tuple[str, DraftExample]]:
    """Yield the examples of a dimension, each with its place: "SCORE.NUMBER"."""
    for level in dimension.levels:
        for number, example in enumerate(level.examples):
            yield f"{level.score}.{number}", example


def save_examples(edit: Edit, dimension: DraftDimension, posted_rows: Iterable[ExampleRow]) -> None:
    """Put the examples that a form sent under the levels of a dimension."""
    former = dict(examples_in(dimension))
    levels = {level.score: level for level in dimension.levels}
    for level in levels.values():
        level.examples = []
    examples: list[DraftExample] = []
    for row in posted_rows:
        before = former.get(row.at)
        if not before and not _has_text(row):
            continue
        example = _posted_example(edit, before or DraftExample(), row)
        # An example may stand under another level than that of its score.
        home = example.score
        if before and before.score == home:
            home = whole_number(row.at.partition(".")[0])
        level = levels.setdefault(home, DraftLevel(score=home))
        level.examples.append(example)
        examples.append(example)
    dimension.levels = [level for level in levels.values() if level.is_described or level.examples]
    places = {id(example): place for place, example in examples_in(dimension)}
    edit.order = [places[id(example)] for example in examples]


def _has_text(example_row: ExampleRow) -> bool:
    """Return if something is written in a row, so that it becomes an example."""
    parts = (example_row.prompt, example_row.response, example_row.why, example_row.more)
    return any(part and part.strip() for part in parts)


def _posted_example(
    edit: Edit, former_example: DraftExample, example_row: ExampleRow
) -> DraftExample:
    example = DraftExample(
        score=whole_number(example_row.score or ""),
        checks=in_former_order(example_row.checks, former_example.checks),
        why=example_row.why,
        response=example_row.response,
    )
    example.rest = edit.more(example_row.more, former_example, example)
    if example in edit.slips and example_row.prompt is not None:
        example.rest.pop("history", None)  # the field for the prompt had it
    prompt = example_row.prompt or ""
    if prompt.strip() and "history" not in example.rest:
        example.rest["history"] = [{"role": "user", "text": prompt}]
    return example


def example_rows(edit: Edit, dimension: DraftDimension) -> tuple[ExampleRow, ...]:
    """Return the rows of a form of examples, in the order of the page."""
    rows = [_row_of_example(edit, place, example) for place, example in examples_in(dimension)]
    return tuple(sorted(rows, key=lambda row: edit.row_order(row.at)))


def _row_of_example(edit: Edit, place: str, example: DraftExample) -> ExampleRow:
    """Return a row. A history of more than a prompt stands under "More"."""
    rest = {**example.rest}
    turns = rest.get("history", [])
    text = ""
    for turn in mappings_in(turns)[:1]:
        text = str(turn.get("text"))
    prompt = None
    if turns in ([], [{"role": "user", "text": text}]):
        prompt = text
        rest.pop("history", None)
    score = example.score
    more, slips = edit.more_or_slip(example, more_text(DraftExample(rest=rest)))
    return ExampleRow(
        at=place,
        score=None if score is None else str(score),
        checks=tuple(example.checks),
        why=example.why,
        prompt=prompt,
        response=example.response,
        more=more,
        slips=slips,
    )
