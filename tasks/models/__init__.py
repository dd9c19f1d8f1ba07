"""Projects, items, leases and ratings."""

from .clause_texts import ClauseText
from .concerns import Concern, ReturnedRating
from .drafts import Draft
from .imported import ImportedRater, RatingFile
from .invitations import Invitation
from .item_list import ItemEntry, ItemList
from .item_words import ItemWords
from .items import Batch, Item, Response
from .leases import Lease
from .notices import Notice
from .practice import Admission, PracticeAnswer, PracticeRound
from .progress import Assignment, BatchProgress, GroupHold, Workday
from .projects import Membership, Project, TextView
from .ratings import Rating
from .scores import CorpusAnswer, FactCheck, Placement, Score
from .stored_exports import ExportBlock, StoredExport
from .stored_figures import AgreementResult, ScoreCounts
from .uploads import Upload, UploadBlock, UploadProgress

__all__ = [
    "Admission",
    "AgreementResult",
    "Assignment",
    "Batch",
    "BatchProgress",
    "ClauseText",
    "Concern",
    "CorpusAnswer",
    "Draft",
    "ExportBlock",
    "FactCheck",
    "GroupHold",
    "ImportedRater",
    "Invitation",
    "Item",
    "ItemEntry",
    "ItemList",
    "ItemWords",
    "Lease",
    "Membership",
    "Notice",
    "Placement",
    "PracticeAnswer",
    "PracticeRound",
    "Project",
    "Rating",
    "RatingFile",
    "Response",
    "ReturnedRating",
    "Score",
    "ScoreCounts",
    "StoredExport",
    "TextView",
    "Upload",
    "UploadBlock",
    "UploadProgress",
    "Workday",
]
