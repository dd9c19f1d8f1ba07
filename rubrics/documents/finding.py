"""A finding about a document: what the reader, the proof and the advice return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A property of a document that its author did not mean."""

    text: str  # the path, what was found, and what to do
    is_fault: bool = True  # a rubric with a fault is refused

    @property
    def path(self) -> tuple[str, ...]:
        """The part that it is about, by codes."""
        return tuple(self.text.partition(": ")[0].split("."))


def finding_at(
    path: str, message: str, /, *, is_fault: bool = True, **placeholders: object
) -> Finding:
    """Return a finding at a path. The message has a place for each placeholder."""
    text = message % placeholders
    return Finding(f"{path}: {text}", is_fault)
