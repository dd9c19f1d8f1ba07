"""An item's id that several columns make, and one that is the number of its row."""
# ruff: noqa: E501 - the sentences are as long as they are

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given

from tasks.importing.columns.choices import Certainty
from tasks.importing.columns.items import NewItem
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.sample import ROWS
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import LineError, SourceRow
from tasks.models import Item, Project, Score

from ..factories import make_project
from .import_steps import (
    TEXTS,
    table,
)

IDS = {"dialog": Use.ID, "turn": Use.ID}
MAPPING = Mapping("columns", {**IDS, "q": Use.PROMPT, "r": Use.RESPONSE}, file="f")
FILLED = TEXTS.filter(lambda text: text.strip() != "")


def rows(*contents: dict[str, Any]) -> list[SourceRow]:
    return [SourceRow(line, content) for line, content in enumerate(contents, start=1)]


def turns(dialogs: int, **more: str) -> list[dict[str, Any]]:
    """Rows of dialogs, of two turns each."""
    contents = []
    for number in range(2 * dialogs):
        dialog, turn = divmod(number, 2)
        numbers = {"dialog_id": f"d{dialog}", "turn_id": str(turn + 1)}
        texts = {"prompt": f"Why {number}?", "response": f"Because of {number}."}
        contents.append(numbers | texts | more)
    return contents


def proposed(*contents: dict[str, Any]) -> Proposal:
    return propose(Profile.of(rows(*contents)))


def ids(proposal: Proposal) -> list[str]:
    return proposal.mapping.of(Use.ID, Use.GROUP, Use.SHARED)


def read(mapping: Mapping, **content: Any) -> NewItem:
    item = mapping.item(SourceRow(3, {"q": "Why?", "r": "So."} | content))
    assert isinstance(item, NewItem), item
    return item


# --- several columns ---


def test_an_id_of_several_columns_is_their_values_which_stay_metadata() -> None:
    item = read(MAPPING, dialog="d1", turn=2)
    assert item.external_id == "d1:2"
    assert item.metadata == {"dialog": "d1", "turn": 2}
    sample = Profile.of(rows({"dialog": "d1", "turn": "2", "q": "Why?", "r": "So."})).sample
    assert MAPPING.faults(sample) == []


@given(FILLED, FILLED, FILLED, FILLED)
def test_two_ids_are_the_same_only_if_each_of_their_values_is(
    first: str, second: str, third: str, fourth: str
) -> None:
    one = read(MAPPING, dialog=first, turn=second)
    other = read(MAPPING, dialog=third, turn=fourth)
    is_same = (first, second) == (third, fourth)
    assert (one.external_id == other.external_id) == is_same


def test_a_sign_between_the_values_is_escaped_within_them() -> None:
    assert read(MAPPING, dialog="a:b", turn="c\\").external_id == r"a\:b:c\\"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"dialog": "d1"}, 'line 3: "turn" is missing; give every item an id of its own, a text'),
        ({"dialog": " ", "turn": "1"}, 'line 3: "dialog" is blank (" "); give every item an id of its own'),
    ],
)  # fmt: skip
def test_a_row_that_lacks_a_part_of_its_id_is_bad(content: dict[str, str], said: str) -> None:
    error = MAPPING.item(SourceRow(3, {"q": "Why?", "r": "So."} | content))
    assert isinstance(error, LineError)
    assert str(error) == said


# --- proposed ---


@pytest.mark.parametrize(
    "names", [("dialog_id", "turn_id"), ("topic", "question_no"), ("Thema", "Nr")]
)
def test_two_columns_are_the_id_if_no_column_is_another_one_in_every_row(
    names: tuple[str, str],
) -> None:
    renamed = []
    for dialog, turn, *texts in (row.values() for row in turns(3)):
        texts_by_name = dict(zip(("prompt", "response"), texts, strict=True))
        renamed.append(dict(zip(names, (dialog, turn), strict=True)) | texts_by_name)
    proposal = proposed(*renamed)
    assert ids(proposal) == [*names]
    choices = {choice.path: choice for choice in proposal.choices}
    first, second = names
    assert choices[first].certainty is Certainty.LIKELY
    assert choices[first].reason == f"with “{second}” another one in every row"
    assert proposal.sentence.startswith("6 items, each with one response.")


def test_no_two_columns_are_the_id_if_a_row_behind_the_first_ones_has_the_same() -> None:
    contents = turns(ROWS)
    assert ids(proposed(*contents)) == ["dialog_id", "turn_id"]
    again = contents[-1] | {"prompt": "How?"}
    assert ids(proposed(*contents, again)) == []
    without = contents[-1] | {"turn_id": ""}
    assert ids(proposed(*contents, without)) == []


def test_two_columns_are_not_the_id_beside_one_that_is() -> None:
    contents = [row | {"item_id": str(n)} for n, row in enumerate(turns(3))]
    assert ids(proposed(*contents)) == ["item_id"]


def test_no_pair_of_columns_is_the_id_where_several_could_be() -> None:
    contents = [row | {"row_id": row["turn_id"]} for row in turns(3)]
    assert ids(proposed(*contents)) == []


# --- loaded ---


@pytest.fixture
def project(db: None) -> Project:
    return make_project(slug="p")


def test_the_command_asks_about_an_id_of_two_columns_and_takes_it(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "items.csv"
    contents = turns(2)
    file.write_bytes(table([*contents[0]], *([*row.values()] for row in contents)))
    with pytest.raises(CommandError, match="Likely: dialog_id is the item’s id"):
        call_command("import_batch", "p", file)
    call_command("import_batch", "p", file, "--yes", verbosity=0)
    names = Item.objects.order_by("position").values_list("external_id", flat=True)
    assert [*names] == ["d0:1", "d0:2", "d1:1", "d1:2"]


def test_rows_of_an_id_of_two_columns_are_one_item_and_its_ratings_find_it(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "ratings.csv"
    header = ["topic", "question_no", "prompt", "response", "rater", "quality"]
    cells = [
        ["t", "1", "Why?", "So.", rater, score] for rater, score in (("Anna", "3"), ("Ben", "5"))
    ]
    file.write_bytes(table(header, *cells, ["u", "1", "How?", "So.", "Anna", "7"]))
    uses = [f"{column}=id" for column in ("topic", "question_no")]
    uses += ["prompt=prompt", "response=response", "rater=rater", "quality=score"]
    arguments = [argument for use in uses for argument in ("--use", use)]
    call_command("import_batch", "p", file, *arguments, "--yes", "--make-rubric", verbosity=0)
    scores = Score.objects.order_by("rating__item__position", "value")
    told = scores.values_list("rating__item__external_id", "value")
    assert [*told] == [("t:1", 3), ("t:1", 5), ("u:1", 7)]


# --- numbers of rows ---


def test_the_number_of_its_row_is_the_id_of_an_item_of_which_no_column_is(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "items.csv"
    file.write_bytes(
        table(["id", "prompt", "response"], ["x", "Why?", "So."], ["x", "How?", "So."])
    )
    call_command("import_batch", "p", file, "--use", "id=metadata", verbosity=0)
    items = Item.objects.order_by("position").values_list("external_id", "metadata")
    assert [*items] == [("items:2", {"id": "x"}), ("items:3", {"id": "x"})]
