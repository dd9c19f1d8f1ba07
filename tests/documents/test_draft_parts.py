"""A draft's document as typed parts, and back as plain values."""

from __future__ import annotations

from typing import Any

import pytest

from rubrics.documents.document import dump
from rubrics.documents.draft_parts import (
    DraftCheck,
    DraftDocument,
    plain_values,
    read_part,
    refuse_misfits,
)
from rubrics.documents.shipped import GALLERY, SLUGS, shipped

CHECK = {"code": "made_up", "kind": "tick", "wording": "Made up"}


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_a_shipped_document_read_as_parts_and_written_again_is_equal(slug: str) -> None:
    content = dump(shipped(slug))
    assert plain_values(read_part(DraftDocument, content)) == content


def test_entries_that_a_document_lacks_stay_lacking() -> None:
    content: dict[str, Any] = {
        "title": "News",
        "dimensions": [
            {
                "code": "tone",
                "levels": [{"score": 1, "examples": [{"response": "Text"}]}],
                "checks": [{"code": "made_up"}, {"answers": [{}]}],
                "rules": [{"code": "r1"}],
            },
            {},
        ],
    }
    assert plain_values(read_part(DraftDocument, content)) == content


def test_an_entry_that_was_lacking_is_written_once_something_is_entered() -> None:
    check = read_part(DraftCheck, {"code": "made_up", "help": "Look it up."})
    check.wording = "Made up"
    expected = {"code": "made_up", "help": "Look it up.", "wording": "Made up"}
    assert plain_values(check) == expected


@pytest.mark.parametrize(
    "entries",
    [
        {"colour": "red", "clauses": ["A-01"], "nothing": None, "1": {"deep": [1.5, True]}},
        {"answers": [{"code": "yes", "wording": "Yes", "sets": ["odd"], "colour": {}}]},
        {"answers": []},
        {"when": {"all_of": ["a"], "at_least": "two", "unknown": [[]]}},
    ],
)
def test_entries_without_a_field_are_written_again_as_they_were(entries: dict[str, Any]) -> None:
    assert plain_values(read_part(DraftCheck, CHECK | entries)) == CHECK | entries


@pytest.mark.parametrize(
    "entries", [{"when": 5}, {"answers": {}}, {"wording": 5}, {"when": {"of": "a"}}, {"help": []}]
)
def test_an_entry_of_another_type_than_its_field_stays_and_fits_no_form(
    entries: dict[str, Any],
) -> None:
    check = read_part(DraftCheck, CHECK | entries)
    assert plain_values(check) == CHECK | entries
    with pytest.raises(ValueError, match="is no"):
        refuse_misfits(check.when or check)
