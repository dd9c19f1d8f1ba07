"""Projects, items, leases and ratings."""

from .agreement_results import AgreementResult
from .concerns import Concern
from .corpus_answers import CorpusAnswer
from .drafts import Draft, UnseenDraft
from .invitations import Invitation
from .item_list import ItemEntry, ItemList, ItemWords
from .items import Batch, Item, Response
from .leases import Lease
from .notices import Notice
from .projects import Membership, Project, TextView
from .ratings import Outdated, Rating, ReadOnly
from .returned_ratings import ReturnedRating
from .score_counts import ScoreCounts
from .scores import FactCheck, Placement, Score
from .seats import Assignment, GroupHold, Seat
from .uploads import BadRows, BadRowsBlock
from .workdays import Workday

__all__ = [
    "AgreementResult",
    "Assignment",
    "BadRows",
    "BadRowsBlock",
    "Batch",
    "Concern",
    "CorpusAnswer",
    "Draft",
    "FactCheck",
    "GroupHold",
    "Invitation",
    "Item",
    "ItemEntry",
    "ItemList",
    "ItemWords",
    "Lease",
    "Membership",
    "Notice",
    "Outdated",
    "Placement",
    "Project",
    "Rating",
    "ReadOnly",
    "Response",
    "ReturnedRating",
    "Score",
    "ScoreCounts",
    "Seat",
    "TextView",
    "UnseenDraft",
    "Workday",
]
