"""What is rated, by whom next, and what came out."""

from .items import Batch, Item, Response
from .leases import Lease
from .projects import Membership, Project
from .ratings import CorpusAnswer, FactCheck, Placement, Rating, ReturnedRating, Score

__all__ = [
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
