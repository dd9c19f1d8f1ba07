"""The values of a row by their use, and its metadata. No Django but its translations.

A row is split into leaves (`sample.leaves`), and each leaf has the use of its column. With the uses
`question: prompt` and `meta.topic: metadata`, the row

    {"question": "Why?", "meta": {"topic": "sky"}}

has the leaf "Why?" as the prompt, and the metadata `{"meta": {"topic": "sky"}}`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _

from ..files.rows import JsonObject, excerpt
from ..files.values import BadValue
from .sample import EMPTY, Leaf, leaves
from .uses import Use

LeavesByUse: TypeAlias = Mapping[Use, Sequence[Leaf]]  # of a row; has every use that is read


class RowValues(NamedTuple):
    """The values of one row."""

    leaves_by_use: LeavesByUse  # without metadata, and without what is null
    metadata: JsonObject


class RowSplitter:
    """A splitter of the rows of one mapping."""

    def __init__(
        self,
        column_uses: Mapping[str, Use],
        rest: Use | None,
        root: str,
        packed: Collection[str],
    ) -> None:
        """`rest`: the use of columns that the mapping does not name; None makes them an error."""
        self.columns = column_uses
        self.rest = rest
        self.root = root
        self.packed = packed
        self.metadata = _only_metadata(column_uses)

    def split(self, content: Mapping[str, object]) -> RowValues:
        """Return the values of a row by their use, and its metadata. Raises BadValue."""
        leaves_by_use: defaultdict[Use, list[Leaf]] = defaultdict(list)
        metadata: JsonObject = {}
        for name, path, value in self._entries(content):
            if path in self.metadata:
                metadata[path if name in metadata else name] = value
                continue
            inner, uses = [], set()
            for leaf in leaves(value, self.columns, self.packed, path, path):
                use = self._use(leaf)
                if use:
                    inner.append((use, leaf))
                    uses.add(use)
            # Metadata stays as it stands, in its objects and lists, if nothing else is among it.
            if uses == {Use.METADATA}:
                metadata[path if name in metadata else name] = value
                continue
            for use, leaf in inner:
                if use is Use.METADATA:
                    add_to_metadata(metadata, leaf)
                elif leaf.value is not None:
                    leaves_by_use[use].append(leaf)
        return RowValues(leaves_by_use, metadata)

    def _entries(self, content: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
        """Yield the entries of a row with their names and paths; the root's are among them."""
        has_root = self.root not in self.columns
        for name, value in content.items():
            if has_root and name == self.root and isinstance(value, dict):
                for inner, entry in value.items():
                    yield inner, f"{name}.{inner}", entry
            else:
                yield name, name, value

    def _use(self, leaf: Leaf) -> Use | None:
        """Return what a value is, or None for an object or a list that is empty in this row."""
        use = self.columns.get(leaf.path, self.rest)
        if use or leaf.value in EMPTY:
            return use
        reason = _("is a column that the mapping does not name")
        advice = _("say in the mapping what it is")
        raise BadValue(leaf.place, reason, advice, excerpt(leaf.value))


def _only_metadata(column_uses: Mapping[str, Use]) -> set[str]:
    """Return the columns of metadata, and the objects and lists that hold no others."""
    uses: defaultdict[str, set[Use]] = defaultdict(set)
    for path, use in column_uses.items():
        uses[path].add(use)
        for end, sign in enumerate(path):
            if sign in ".[":
                outer = path[:end]
                uses[outer].add(use)
    return {path for path in uses if uses[path] == {Use.METADATA}}


def add_to_metadata(metadata: JsonObject, leaf: Leaf) -> None:
    """Add a value to metadata; those of a list become one."""
    if "[*]" not in leaf.path:
        metadata.setdefault(leaf.path, leaf.value)
        return
    entries = metadata.setdefault(leaf.path, [])
    if isinstance(entries, list):
        entries.append(leaf.value)
