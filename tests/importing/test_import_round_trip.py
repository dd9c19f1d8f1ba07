"""A file written, imported, rated, exported: in every format all that was written comes out as it
was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, example, given, settings, strategies as st

from annotators.models import User
from tasks.models import Batch, Item, Lease, Placement, Project, Rating, Response, Score

from ..factories import make_rating
from .import_steps import (
    ODDITIES,
    TEXTS,
)

Contents = list[dict[str, Any]]
# Two of a pair are not equal, else its rows are copies; each item has an id of its own.
PAIRS = st.lists(
    st.tuples(TEXTS, TEXTS).filter(lambda pair: pair[0] != pair[1]),
    min_size=1,
    max_size=4,
    unique_by=itemgetter(0),
)


def table(contents: Contents, **form: str) -> str:
    file = io.StringIO(newline="")
    rows = csv.DictWriter(file, list(contents[0]), quoting=csv.QUOTE_ALL, **form)  # type: ignore[arg-type]
    rows.writeheader()
    rows.writerows(contents)
    return file.getvalue()


WRITERS: dict[str, Callable[[Contents], bytes]] = {
    "items.csv": lambda contents: table(contents).encode(),
    "marked.csv": lambda contents: table(contents, delimiter=";", lineterminator="\n").encode(
        "utf-8-sig"
    ),
    "lone-cr.csv": lambda contents: table(contents, lineterminator="\r").encode(),
    "utf-16.csv": lambda contents: table(contents, delimiter="\t").encode("utf-16"),
    "items.tsv": lambda contents: table(contents, delimiter="\t").encode(),
    "items.jsonl": lambda contents: "".join(
        json.dumps(content, ensure_ascii=False) + "\n" for content in contents
    ).encode(),
    "escaped.jsonl": lambda contents: "\r\n".join(map(json.dumps, contents)).encode(),
    "items.json": lambda contents: json.dumps(contents, ensure_ascii=False, indent=2).encode(),
    "utf-16.json": lambda contents: json.dumps({"items": contents}, ensure_ascii=False).encode(
        "utf-16-be"
    ),
}


@pytest.fixture
def carry(project: Project, ada: User, tmp_path: Path) -> Callable[..., None]:
    """Carry pairs of texts, an item with each, through a file of that name and the export; nothing
    may have changed anywhere."""

    def carried(name: str, *pairs: tuple[str, str]) -> None:
        try:
            _carry(project, ada, tmp_path / name, *pairs)
        finally:
            for model in (Score, Placement, Rating, Lease, Response, Item, Batch):
                model.objects.all().delete()

    return carried


def _carry(project: Project, ada: User, file: Path, *pairs: tuple[str, str]) -> None:
    own = f"name {pairs[0][1]}"  # a column of metadata
    contents = [row for pair in pairs for row in rows_with(*pair, own, file.suffix)]
    file.write_bytes(WRITERS[file.name](contents))
    out = file.with_name("out.csv")
    call_command("import_batch", "eggs", str(file), "--batch", "b", verbosity=0)
    items = list(Item.objects.order_by("position"))
    for item, (text, other) in zip(items, pairs, strict=True):
        metadata = {own: text, **deep_in(text, other, file.suffix)}
        nothing_has_changed_in(item, text, other, metadata)
        make_rating(item=item, annotator=ada, comments={1: text, 2: other}, comment=text)
    call_command("export_ratings", "eggs", "-o", str(out))
    with out.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    of_item = {item: list(some) for item, some in groupby(rows, itemgetter("item"))}
    assert len(of_item) == len(pairs)
    for text, other in pairs:
        nothing_has_changed_in_what_is_exported(of_item[f"id {text}"], text, other, own)


def deep_in(text: str, other: str, suffix: str) -> dict[str, Any]:
    """Deep metadata, which only JSON has."""
    return {"deep": {text: [other]}} if "json" in suffix else {}


def rows_with(text: str, other: str, own: str, suffix: str) -> Contents:
    """The rows of an item that has these texts everywhere."""
    # A cell of a table that begins with [ is JSON, too.
    deep = deep_in(text, other, suffix)
    fields = {
        "id": f"id {text}",
        "persona": [other, text] if deep else json.dumps([other, text]),
        **({"history": [{"role": "user", "text": text}]} if deep else {"prompt": text}),
        "system": other,
        "context": text,
        "reference": other,
        "source": text,
        "warning": other,
        own: text,
        **deep,
    }
    return [
        fields | {"model": other, "response": text},
        fields | {"model": text, "response": other},
        # If every response were empty, one would be asked whether they are responses.
        fields | {"model": "", "response": "."},
    ]


def nothing_has_changed_in(item: Item, text: str, other: str, metadata: dict[str, Any]) -> None:
    kept = [item.system, item.context, item.reference, item.source, item.warning]
    assert kept == [other, text, other, text, other]
    assert item.persona == [other, text]
    assert item.messages == [{"role": "user", "text": text}]
    assert item.metadata == metadata
    assert list(item.responses.values_list("model", "text")) == [
        (other, text),
        (text, other),
        ("", "."),
    ]


def nothing_has_changed_in_what_is_exported(
    rows: list[dict[str, str]], text: str, other: str, own: str
) -> None:
    assert [(row["item"], row["model"], row[f"meta.{own}"], row["comment"]) for row in rows] == [
        (f"id {text}", other, text, text),
        (f"id {text}", text, text, other),
        (f"id {text}", "", text, ""),
    ]
    assert {row["item_comment"] for row in rows} == {text}
    assert {row["warning"] for row in rows} == {other}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=PAIRS)
@example(pairs=[("NA", ""), ('"\r\n,;\t', "\r"), ("[", "\ufeff=1+1\n")])
def test_no_text_changes_from_a_file_to_the_export(
    carry: Callable[..., None], name: str, pairs: list[tuple[str, str]]
) -> None:
    carry(name, *pairs)


def test_no_oddity_changes_from_a_file_to_the_export(
    carry: Callable[..., None],
) -> None:
    pairs = zip(ODDITIES, [*ODDITIES[1:], ODDITIES[0]], strict=True)
    carry("items.jsonl", *pairs)
