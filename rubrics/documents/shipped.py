"""The rubrics that ship with the program, as documents in `fixtures/`.

Those of the gallery follow published studies. They are stored when a project first uses them.
"""

from functools import cache
from pathlib import Path

from ..judging.schema import Rubric
from .document import parse
from .yaml_lines import values

FOLDER = Path(__file__).resolve().parents[2] / "fixtures"
SLUGS = ("response-quality", "dialogue")
GALLERY = (
    *("beavertails", "dices", "fed-turns", "flask", "helpsteer2", "instructgpt", "lamda"),
    *("mt-bench", "summeval", "ultrafeedback", "wmt-direct-assessment", "xstest"),
)


def path_of(slug: str) -> Path:
    """Return the path of a shipped document."""
    return FOLDER / ("rubrics" if slug in GALLERY else "") / f"{slug}.yaml"


@cache
def content(slug: str) -> object:
    """Return the plain values of a shipped document, not yet parsed."""
    return values(path_of(slug).read_text("utf-8"))


@cache
def shipped(slug: str) -> Rubric:
    """Return a rubric that ships with the program, by its slug."""
    return parse(content(slug))
