"""The values of a row by their use, and its metadata. No Django but its translations.

`ItemReader` splits each row of a file. A row has leaves (`sample.leaves`), and each leaf has the
use of its column. With the uses `question: prompt` and `meta.topic: metadata`, the row

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


class UsedLeaf(NamedTuple):
    """A value with the use of its column."""

    use: Use
    leaf: Leaf


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
        """`rest`: the use of columns that the mapping does not name; None makes them an error.

        `root`: the object whose entries stand for those of the row; "" for none.
        """
        self.columns = column_uses
        self.rest = rest
        self.root = root
        self.packed = packed
        self.metadata_paths = _metadata_paths(column_uses)

    def split(self, content: Mapping[str, object]) -> RowValues:
        """Return the values of a row by their use, and its metadata. Raises BadValue.

        An object or a list of metadata alone stays as it stands. Beside other values, each leaf
        of metadata is an entry.
        """
        leaves_by_use: defaultdict[Use, list[Leaf]] = defaultdict(list)
        metadata: JsonObject = {}
        for name, path, value in self._entries(content):
            used_leaves: list[UsedLeaf] = []
            is_metadata = path in self.metadata_paths
            if not is_metadata:
                used_leaves = self._used_leaves(value, path)
                uses = {used.use for used in used_leaves}
                is_metadata = uses == {Use.METADATA}
            if is_metadata:
                key = path if name in metadata else name
                metadata[key] = value
                continue
            for use, leaf in used_leaves:
                if use is Use.METADATA:
                    add_to_metadata(metadata, leaf)
                elif leaf.value is not None:
                    leaves_by_use[use].append(leaf)
        return RowValues(leaves_by_use, metadata)

    def _entries(self, content: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
        """Yield the name, the path and the value of each entry of a row.

        In place of the root, its entries are yielded: "topic", "meta.topic" and "sky".
        """
        has_root = self.root not in self.columns
        for name, value in content.items():
            if has_root and name == self.root and isinstance(value, dict):
                for inner_name, inner_value in value.items():
                    yield inner_name, f"{name}.{inner_name}", inner_value
            else:
                yield name, name, value

    def _used_leaves(self, value: object, path: str) -> list[UsedLeaf]:
        """Return the leaves of an entry, without those of no use."""
        used_leaves = []
        for leaf in leaves(value, self.columns, self.packed, path, path):
            use = self._use(leaf)
            if use:
                used_leaves.append(UsedLeaf(use, leaf))
        return used_leaves

    def _use(self, leaf: Leaf) -> Use | None:
        """Return the use of a value. Raises BadValue for a column that is in no mapping.

        None is for an object or a list without a use that is empty in this row.
        """
        use = self.columns.get(leaf.path, self.rest)
        if use or leaf.value in EMPTY:
            return use
        reason = _("is a column that the mapping does not name")
        advice = _("say in the mapping what it is")
        raise BadValue(leaf.place, reason, advice, excerpt(leaf.value))


def _metadata_paths(column_uses: Mapping[str, Use]) -> set[str]:
    """Return the columns of metadata, and the objects and lists that hold no others.

    With `meta.topic` and `meta.hits[*].rank` as metadata these are both, `meta`, `meta.hits` and
    `meta.hits[*]`.
    """
    uses_within: defaultdict[str, set[Use]] = defaultdict(set)
    for path, use in column_uses.items():
        uses_within[path].add(use)
        for end, mark in enumerate(path):
            if mark in ".[":
                outer = path[:end]
                uses_within[outer].add(use)
    return {path for path, uses in uses_within.items() if uses == {Use.METADATA}}


def add_to_metadata(metadata: JsonObject, leaf: Leaf) -> None:
    """Add a value to metadata by its path; the values of a list become one list."""
    if "[*]" not in leaf.path:
        metadata.setdefault(leaf.path, leaf.value)
        return
    entries = metadata.setdefault(leaf.path, [])
    if isinstance(entries, list):
        entries.append(leaf.value)
