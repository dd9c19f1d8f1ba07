"""The rating form as values: what is asked of an item, and how it stands with the answers given so far."""

from .desk import Desk, FieldSpec, ShownResponse, ShownSet, element_id, fields_of
from .evaluation import evaluate
from .parts import Row, Sheet, TargetSheet

__all__ = [
    "Desk",
    "FieldSpec",
    "Row",
    "Sheet",
    "ShownResponse",
    "ShownSet",
    "TargetSheet",
    "element_id",
    "evaluate",
    "fields_of",
]
