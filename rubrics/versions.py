"""A rubric under the address of its pages, published or not."""

from dataclasses import dataclass
from typing import Protocol

from .judging import schema


class RubricVersion(Protocol):
    """A rubric with its address: a published version, or a draft."""

    @property
    def slug(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def schema(self) -> schema.Rubric: ...


@dataclass(frozen=True)
class UnpublishedVersion:
    """A draft as it could be read last, under the address of a version that is not published."""

    slug: str
    schema: schema.Rubric
    version: int = 0
