"""The documents name files that exist, and keep their lines short."""

import re
from pathlib import Path

from annotators.keyboard import Keys
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
DOCUMENTS = [
    *(ROOT / f"docs/{each}.md" for each in ("annotators", "architecture", "glossary")),
    *DECISIONS,
]
NAMING = [*DOCUMENTS, ROOT / "tasks/queue/README.md"]
PICTURES = sorted((ROOT / "docs/screenshots").iterdir())
LARGEST_PICTURE = 150_000  # bytes
LONGEST_LINE = 120
# A path in back-ticks: `tasks/models/items.py`, `tasks/text/`.
PATH = re.compile(r"`([a-z_]+(?:/[a-z_0-9.-]+)+/?)`")
PATH_BESIDE = re.compile(r"`((?:\.\./)+[a-z_0-9./-]+)`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@cases("file", NAMING)
def test_a_document_names_files_that_exist(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    named = [ROOT / path for path in PATH.findall(text)]
    named += [file.parent / path for path in PATH_BESIDE.findall(text)]
    linked = [file.parent / path for path in LINK.findall(text)]
    assert [path for path in (*named, *linked) if not path.exists()] == []


@cases("file", DOCUMENTS)
def test_the_lines_of_a_document_are_short(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


def test_the_architecture_counts_its_mechanisms() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = text.partition("## Mechanisms of our own")[2].partition("\n## ")[0]
    of_our_own, of_the_product = section.split("Within the product's own work:")
    counts: list[int] = []
    for table in (of_our_own, of_the_product):
        rows = re.findall(r"^\| [^-].*\|$", table, re.MULTILINE)
        counts.append(len(rows) - 1)  # without the header
    numbers = re.search(r"There are (\d+) .*? and (\d+) within it", section, re.DOTALL)
    assert numbers
    assert [int(number) for number in numbers.groups()] == counts


@cases("file", DECISIONS)
def test_a_decision_says_what_it_gains_and_costs(file: Path) -> None:
    """A departure from Django's usual way is recorded, with its gain as measured and its price."""
    headings = re.findall(r"^## (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["Context", "Decision", "Gain", "Price"]


def test_every_picture_is_taken_by_make_screenshots_and_every_one_it_takes_is_there() -> None:
    script = (ROOT / "docs/take_screenshots.py").read_text(encoding="utf-8")
    taken = re.findall(r'shoot\(\w+, "([\w-]+)"\)', script)
    assert sorted(f"{each}.png" for each in taken) == [each.name for each in PICTURES]


@cases("picture", PICTURES)
def test_a_picture_is_small(picture: Path) -> None:
    assert picture.stat().st_size < LARGEST_PICTURE


def test_readme_leads_to_the_page_for_annotators() -> None:
    assert "docs/annotators.md" in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_page_for_annotators_names_the_key_of_every_command() -> None:
    """Escape apart, those that the profile lists are all."""
    table = (ROOT / "docs/annotators.md").read_text(encoding="utf-8").partition("## Keys")[2]
    named = re.findall(r"`([^`]+)`", table)
    assert [key for key in Keys().by_command().values() if key not in named] == []
