"""The documents name files that exist, and keep their lines short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
DOCUMENTS = [ROOT / "docs/architecture.md", ROOT / "docs/glossary.md", *DECISIONS]
LONGEST_LINE = 120
# A path in back-ticks: `tasks/models/items.py`, `tasks/text/`.
PATH = re.compile(r"`([a-z_]+(?:/[a-z_0-9.-]+)+/?)`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_a_document_names_files_that_exist(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    named = [ROOT / path for path in PATH.findall(text)]
    linked = [file.parent / path for path in LINK.findall(text)]
    assert [path for path in (*named, *linked) if not path.exists()] == []


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_the_lines_of_a_document_are_short(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("file", DECISIONS, ids=name)
def test_a_decision_says_what_it_gains_and_costs(file: Path) -> None:
    """A departure from Django's usual way is recorded, with its gain as measured and its price."""
    headings = re.findall(r"^## (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["Context", "Decision", "Gain", "Price"]
