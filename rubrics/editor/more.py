"""The field "More": entries that have no field of their own, as a small document."""

from collections.abc import Iterable

from ..documents.draft_parts import DraftAnswer, DraftLevel, DraftPart, refuse_misfits
from ..documents.yaml_lines import in_yaml
from ..judging.plain import Entries, Plain


def more_text(part: DraftPart, **further: list[Plain]) -> str:
    """Return the entries under "More", with further lists that are not empty.

    Raises MisfitError for a part that no form can show.
    """
    refuse_misfits(part)
    entries = {**part.rest}
    for name, rests in further.items():
        if rests:
            entries[name] = rests
    if entries:
        return in_yaml(entries)
    return ""


def more_by_part(answers_or_levels: Iterable[DraftAnswer | DraftLevel]) -> list[Plain]:
    """Return what "More" has of the answers or levels, which it names by code or score."""
    rests: list[Plain] = []
    for part in answers_or_levels:
        refuse_misfits(part)
        name: Entries = {"code": part.code} if isinstance(part, DraftAnswer) else {}
        if isinstance(part, DraftLevel):
            name = {"score": part.score}
        if part.rest:
            rests.append(name | part.rest)
    return rests
