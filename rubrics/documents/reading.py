"""Read a whole document into a rubric, step by step, and collect its faults with their lines.

The steps are: its parts by themselves (`nodes`), how they fit together (`wellformed`), and how the
rules work (`proof`). `document` refuses a document with faults, `document_report` lists them.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ..judging.schema import Rubric, yes_no_words
from .misfits import Path
from .nodes import MOST_FAULTS, Node, ReadingState, with_place
from .proof import findings
from .wellformed import faults_in
from .yaml_lines import Fault, Lines


class Reading:
    """A document whose parts are read; `add_misfits` and `prove` are the next steps."""

    def __init__(
        self, content: object, document_lines: Lines | None = None, key_faults: Iterable[Fault] = ()
    ) -> None:
        """Read plain values. The lines and the faults of keys come from a YAML text, if any."""
        language = content.get("language", "en") if isinstance(content, dict) else ""
        self._state = ReadingState([*key_faults], yes_no_words(str(language)))
        root = Node(content, (), document_lines or Lines(), self._state)
        self.rubric: Rubric | None = root.read(Rubric)  # as far as it can be read

    @property
    def faults(self) -> list[Fault]:
        """The faults that the steps so far have found."""
        return self._state.faults

    def add_misfits(self) -> None:
        """Add the faults of parts that do not fit together, unless they only follow from others."""
        if not self.rubric:
            return
        around: set[Path] = set()
        for path in self._state.faulty:
            for end in range(len(path)):
                around.add(path[:end])
        for path, message, fact in islice(faults_in(self.rubric), MOST_FAULTS):
            is_read = path not in around and self._state.faulty.isdisjoint(_parts_around(path))
            if is_read and fact not in self._state.unread:
                self.faults.append((self._line_at(path), with_place(path, message)))

    def prove(self) -> None:
        """Add the faults of rules that do not work, if there is no other fault."""
        if not self.rubric or self.faults:
            return
        for finding in findings(self.rubric):
            if finding.is_fault:
                self.faults.append((self._line_at(finding.path), finding.text))

    def _line_at(self, path: Path) -> int:
        """Return the line of a part, or of the first part around it that has one; 0 for none."""
        for part in _parts_around(path):
            if part in self._state.line_of:
                return self._state.line_of[part]
        return 0


def _parts_around(path: Path) -> Iterator[Path]:
    """Yield the path of a part, then those of the parts around it, the whole document last."""
    for end in range(len(path), -1, -1):
        yield path[:end]
