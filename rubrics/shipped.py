"""The rubrics that ship with the program, as documents in `fixtures/`."""

from functools import cache
from pathlib import Path

from .document import parse
from .schema import Rubric
from .yaml_lines import values

FOLDER = Path(__file__).resolve().parent.parent / "fixtures"
SLUGS = ("response-quality", "dialogue")


def path_of(slug: str) -> Path:
    """Return the path of a shipped document."""
    return FOLDER / f"{slug}.yaml"


@cache
def content(slug: str) -> object:
    """Return the plain values of a shipped document, not yet parsed."""
    return values(path_of(slug).read_text("utf-8"))


@cache
def shipped(slug: str) -> Rubric:
    """Return a rubric that ships with the program, by its slug, one of SLUGS."""
    return parse(content(slug))
