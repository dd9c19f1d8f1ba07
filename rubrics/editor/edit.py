"""A document while the form of a part changes it.

`RubricDraft.edit` makes an `Edit` for a page. `saving` changes its content and its memory, which
the page then stores. It notes in it what the page needs to show the form again: `slips`, `order`.
"""

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from ..documents.draft_parts import (
    DraftAnswer,
    DraftDimension,
    DraftDocument,
    DraftLevel,
    DraftPart,
    plain_values,
)
from ..documents.yaml_lines import DocumentError, values
from ..judging.plain import Entries
from .elements import by_code, codes_of, new_code, without_fields


@dataclass(kw_only=True, eq=False)
class Memory(DraftPart):
    """All that the forms keep and the document does not have (`RubricDraft.beside`).

    All but the answers are by the code of their dimension. Its `rest` is no business of the forms.
    """

    answers: dict[str, list[DraftAnswer]] = field(default_factory=dict)  # by the code of a check
    levels: dict[str, dict[str, DraftLevel]] = field(default_factory=dict)  # by their score
    ends: dict[str, bool] = field(default_factory=dict)  # if only the ends are described
    own: dict[str, bool] = field(default_factory=dict)  # if it is a scale of one's own
    same: dict[str, str] = field(default_factory=dict)  # the dimension whose levels it has
    before_same: dict[str, list[DraftLevel]] = field(default_factory=dict)  # those it had before

    def forget(self, code: str) -> None:
        """Take out what is kept for a dimension, or speaks of it."""
        for by_dimension in (self.levels, self.ends, self.own, self.same, self.before_same):
            by_dimension.pop(code, None)
        self.same = {name: other for name, other in self.same.items() if other != code}


@dataclass
class Edit:
    """A document while a form changes one of its parts."""

    content: DraftDocument
    memory: Memory
    follows_title: bool = False  # the short name, until a part is saved
    # By the part whose field "More" cannot be read: the text that was entered, and its faults.
    slips: dict[DraftPart, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    # Where the rows of the form are now, as it sent them: a page keeps their order.
    order: list[str] = field(default_factory=list)

    @property
    def document(self) -> Entries:
        """The document as plain values."""
        return plain_values(self.content)

    @property
    def dimensions(self) -> list[DraftDimension]:
        return self.content.dimensions

    def dimension(self, part: str) -> DraftDimension:
        """Return the dimension of a part. Raises LookupError without it."""
        code = part.partition(".")[0]
        dimension = by_code(self.dimensions, code)
        if dimension is None:
            raise LookupError(code)
        return dimension

    def add_dimension(self, title: str) -> str:
        """Add a dimension with a scale from 1 to 5; return its code, which never changes."""
        code = new_code(title, codes_of(self.dimensions))
        dimension = DraftDimension(
            code=code,
            title=title,
            lowest=1,
            highest=5,
            rest={"short": title[:20].strip(), "unit": "response"},
        )
        self.dimensions.append(dimension)
        return code

    def remove_dimension(self, number: int) -> None:
        """Remove a dimension, and what the forms keep for it."""
        dimension = self.dimensions.pop(number)
        self.memory.forget(dimension.code)

    def has(self, part: str) -> bool:
        """Return True if a part is not removed."""
        return part.partition(".")[0] in ("about", "checks", *codes_of(self.dimensions))

    def more(self, text: str, former: DraftPart, part: DraftPart) -> Entries:
        """Return the entries under "More" of a part.

        If they can't be read, they are those that the part had before, and its slip is noted.
        """
        entries = plain_values(former)
        try:
            sent = values(text) if text.strip() else {}
            if not isinstance(sent, dict):
                raise DocumentError([(1, _('write entries, such as "clauses: [A-01]"'))])
            entries = sent
        except DocumentError as error:
            self.slips[part] = (text, error.faults)
        return without_fields(type(former), entries)

    def more_or_slip(self, part: DraftPart, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text under "More"; if it can't be read, as it was entered, and its faults."""
        return self.slips.get(part, (text, ()))

    def row_order(self, name: str) -> int:
        """Return where the page has a row; those that it does not know come last."""
        if name in self.order:
            return self.order.index(name)
        return len(self.order)
