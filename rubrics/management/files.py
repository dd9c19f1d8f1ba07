"""The rubric that a command line names, by its file or by its slug.

The verbs of `manage.py rubric` call these functions. A rubric that cannot be had raises NoRubric,
whose lines the commands print.
"""

from collections.abc import Callable
from pathlib import Path

from django.db import DatabaseError

from config.embedded_postgres.programs import EmbeddedDatabaseError, NoDatabaseError
from rubrics.documents.document import read
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging import schema
from rubrics.models import Rubric


class NoRubric(LookupError):
    """A file or a slug without a rubric. `args` are its faults, a line each."""


def read_file(file: Path) -> schema.Rubric:
    """Return the rubric of a document. Raises NoRubric with all its faults."""
    try:
        return read(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise NoRubric(f"{file}: {error}") from error
    except DocumentError as error:
        raise NoRubric(*[f"{file}: {fault}" for fault in error.faults]) from error


def find_rubric(name: str, *, say: Callable[[str], object] = lambda text: None) -> schema.Rubric:
    """Return the rubric for a slug or a path.

    Calls `say` with a message if the database cannot be queried. Raises NoRubric, with a hint at
    what to do.
    """
    if "/" in name or name.endswith((".yaml", ".yml", ".json")):
        return read_file(Path(name))
    stored = _newest_stored(name, say)
    if stored is not None:
        return stored
    if name in (*SLUGS, *GALLERY):
        return shipped(name)
    raise NoRubric(
        f'"{name}" is no rubric here; load one with manage.py rubric load FILE,'
        " give the path of a document,"
        f" or name one that ships with the program: {', '.join((*SLUGS, *GALLERY))}"
    )


def _newest_stored(slug: str, say: Callable[[str], object]) -> schema.Rubric | None:
    try:
        return Rubric.objects.newest(slug).schema
    except (Rubric.DoesNotExist, NoDatabaseError):  # nothing is stored
        return None
    except (DatabaseError, EmbeddedDatabaseError) as error:  # not reachable, or not migrated
        cause = str(error).strip().splitlines()[0]
        say(
            f"The database was not asked ({cause});"
            " only the rubrics that ship with the program are known."
        )
        return None
