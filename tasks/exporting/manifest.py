"""The manifest of an export: how its file came about, and how it is made again.

`Export.manifest` writes it beside the file. `manage.py export_ratings --again` reads it.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NotRequired, TypedDict

from django.conf import settings

from rubrics.models import Rubric
from tasks.models import Admission, Project
from tasks.models.imported import names_of

from .options import Options, stored_query
from .pseudonyms import newcomers_of, pseudonyms_of


class AdmissionRow(TypedDict):
    """Someone who may rate after practice, and how they came in."""

    annotator: str
    how: str
    at: str
    by: NotRequired[str]
    reason: NotRequired[str]


class ManifestRubric(TypedDict):
    """A version of a rubric, with a digest of all that it says."""

    rubric: str
    version: int
    sha256: str


class ExportOrigin(TypedDict, total=False):
    """The part of a manifest that says what the file is of."""

    program: str
    project: str
    title: str
    rubrics: list[ManifestRubric]
    options: str  # as the query of the page Export
    consequences: str
    counted: Sequence[str]  # the kinds that count in the figures of `items`
    slots: list[str]
    dropped_items: int  # in the file by `options.dropped`, else left out
    admissions: list[AdmissionRow]


def origin_of(project: Project, options: Options, rubrics: Sequence[Rubric]) -> ExportOrigin:
    """Return what an export is of. `rubrics` are the versions that its ratings were made by."""
    origin: ExportOrigin = {
        "program": f"Evenhand {version()}",
        "project": project.slug,
        "title": project.title,
        "rubrics": [_version_of(rubric) for rubric in rubrics],
        "options": options.query,
        "consequences": project.consequences,
    }
    if project.has_imported:
        origin["counted"] = project.counted_kinds
    if project.has_slots:
        origin["slots"] = _slots(project, options)
    if project.dropped_count:
        origin["dropped_items"] = project.dropped_count
    if project.practice != "off" and (admissions := _admissions(project, options)):
        origin["admissions"] = admissions
    return origin


def version() -> str:
    """Return the version of the program."""
    text = (settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8")
    settings_of_project = tomllib.loads(text)
    return str(settings_of_project["project"]["version"])


def _version_of(rubric: Rubric) -> ManifestRubric:
    return {"rubric": rubric.slug, "version": rubric.version, "sha256": rubric.digest}


def _slots(project: Project, options: Options) -> list[str]:
    """Return the raters of files who are no persons, as the file names them."""
    slots = project.raters.filter(is_slot=True)
    if not options.pseudonyms:
        return [slot.name for slot in slots]
    pseudonyms = pseudonyms_of(project)
    return sorted(pseudonyms[slot.person] for slot in slots if slot.person in pseudonyms)


def _admissions(project: Project, options: Options) -> list[AdmissionRow]:
    """Return who may rate after practice, and how they came in."""
    admissions = Admission.objects.in_project(project)
    if options.pseudonyms:
        names = pseudonyms_of(project)
        names |= newcomers_of(project, names)
    else:
        names = names_of(admissions)
    rows = []
    for key, admission in sorted(admissions.items()):
        admission_row: AdmissionRow = {
            "annotator": names.get(key, "newcomer"),
            "how": admission.how,
            "at": admission.at.isoformat(),
        }
        if admission.by and not options.pseudonyms:
            admission_row["by"] = str(admission.by)
            admission_row["reason"] = admission.reason
        rows.append(admission_row)
    return rows


@dataclass(frozen=True, slots=True)
class Manifest:
    """The part of a manifest by which an export is made again."""

    project: str
    query: str
    sha256: str
    taken_at: datetime


def read_manifest(content: bytes) -> Manifest:
    """Return what is needed to make the export of a manifest again.

    Raise ValueError if no export wrote it.
    """
    try:
        manifest = json.loads(content)
        return Manifest(
            project=manifest["project"],
            query=stored_query(manifest["options"]),
            sha256=manifest["sha256"],
            taken_at=datetime.fromisoformat(manifest["taken_at"]),
        )
    except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        raise ValueError("This is no manifest of an export.") from None
