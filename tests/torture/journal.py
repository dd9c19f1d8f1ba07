"""What an annotator writes down: JSON lines, on the disk before the next request is sent."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Journal:
    """One annotator's. `intend` before a request, then `acknowledge`, or nothing where no answer
    came."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()
        self._number = len(path.read_text(encoding="utf-8").splitlines())

    def intend(self, kind: str, **what: Any) -> int:
        """Note what is about to be sent, and have everything until here on the disk; the entry's
        number."""
        with self._lock:
            number = self._write({"intent": kind, **what})
            self._file.flush()
            os.fsync(self._file.fileno())
            return number

    def acknowledge(self, intent: int, **what: Any) -> None:
        """Note that the program said it has it."""
        with self._lock:
            self._write({"acknowledged": intent, **what})

    def note(self, **what: Any) -> None:
        """Note something else."""
        with self._lock:
            self._write(what)

    def close(self) -> None:
        """Have all of it on the disk."""
        with self._lock:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def _write(self, entry: dict[str, Any]) -> int:
        self._number += 1
        self._file.write(json.dumps({"number": self._number, **entry}) + "\n")
        return self._number


def read(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each annotator's name with the entries in order. A line that a kill cut off is no entry."""
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").split("\n")
        yield path.stem, [json.loads(line) for line in lines[:-1]]
