"""What is rated, by whom next, and what came out."""

from .items import Batch, Item, Response
from .leases import Lease
from .projects import Membership, Project
from .ratings import CorpusAnswer, FactCheck, Placement, Rating, ReturnedRating, Score
from .uploads import BadRows, BadRowsBlock

__all__ = [
    "BadRows",
    "BadRowsBlock",
    "Batch",
    "CorpusAnswer",
    "FactCheck",
    "Item",
    "Lease",
    "Membership",
    "Placement",
    "Project",
    "Rating",
    "Response",
    "ReturnedRating",
    "Score",
]
