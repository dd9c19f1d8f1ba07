"""The rating form as values: what is asked of an item, and how it stands with the answers given so far."""

from .desk import Desk, ShownResponse, ShownSet, fields_at, fields_of
from .evaluation import evaluate
from .parts import Fact, Question, Row, Sheet, TargetSheet
from .places import FieldSpec, Place, element_id

__all__ = [
    "Desk",
    "Fact",
    "FieldSpec",
    "Place",
    "Question",
    "Row",
    "Sheet",
    "ShownResponse",
    "ShownSet",
    "TargetSheet",
    "element_id",
    "evaluate",
    "fields_at",
    "fields_of",
]
