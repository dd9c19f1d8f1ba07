"""Plain values, as YAML and JSON have them."""

from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
Entries: TypeAlias = dict[str, Plain]
