"""Convert YAML texts to plain values, before `rubrics.document` interprets them."""

from collections.abc import Collection, Hashable
from typing import Any

import yaml


class DocumentError(ValueError):
    """All faults of a document, one per line."""

    def __init__(self, faults: Collection[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class _UniqueKeyLoader(yaml.SafeLoader):
    """A loader that reports duplicate keys, where PyYAML silently keeps the last one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.faults: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or key_node.value == "<<":
                continue
            key = str(key_node.value)
            if key in seen:
                line = key_node.start_mark.line + 1
                self.faults.append(f'line {line}: "{key}" stands twice in one mapping; keep one')
            seen.add(key)
        return super().construct_mapping(node, deep)


def values(text: str) -> object:
    """Return the plain values of a YAML text.

    Raises DocumentError if the text is not YAML or has a duplicate key.
    """
    try:
        loader = _UniqueKeyLoader(text)
        content = loader.get_single_data()
    except RecursionError:
        raise DocumentError(
            ["not readable as YAML: lists or mappings are nested too deeply"]
        ) from None
    # ValueError: a number with thousands of digits, or a date that does not exist.
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError([f"not readable as YAML: {' '.join(str(error).split())}"]) from error
    if loader.faults:
        raise DocumentError(loader.faults)
    return content
