"""Projects, items, leases and ratings."""

from .admissions import Admission
from .agreement_results import AgreementResult
from .answered_calls import AnsweredCall
from .api_tokens import ApiToken, TokenUse
from .api_usage import ApiUsage
from .batches import Batch
from .case_counts import CaseCount
from .case_entries import CaseEntry
from .case_openings import CaseOpening
from .changes import RatingsChange
from .clause_texts import ClauseText
from .concerns import Concern
from .corpus_answers import CorpusAnswer
from .decisions import ScoreDecision
from .drafts import Draft
from .imported import ImportedRater, RatingFile
from .invitations import Invitation
from .item_list import ItemEntry, ItemList
from .item_words import ItemWords
from .items import Item, Response
from .leases import Lease
from .memberships import Membership
from .notices import Notice
from .origins import DatabaseOrigin
from .practice import PracticeRound
from .practice_answers import PracticeAnswer
from .progress import Assignment, BatchProgress, GroupHold
from .project_settings import TextView
from .projects import Project
from .questions import Question
from .ratings import Rating
from .returned_ratings import ReturnedRating
from .scores import FactCheck, Placement, Score
from .stored_exports import ExportBlock, StoredExport
from .stored_figures import ScoreCounts
from .stored_numbers import StoredNumber
from .uploads import Upload, UploadBlock, UploadProgress
from .workdays import Workday

__all__ = [
    "Admission",
    "AgreementResult",
    "AnsweredCall",
    "ApiToken",
    "ApiUsage",
    "Assignment",
    "Batch",
    "BatchProgress",
    "CaseCount",
    "CaseEntry",
    "CaseOpening",
    "ClauseText",
    "Concern",
    "CorpusAnswer",
    "DatabaseOrigin",
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
    "Question",
    "Rating",
    "RatingFile",
    "RatingsChange",
    "Response",
    "ReturnedRating",
    "Score",
    "ScoreCounts",
    "ScoreDecision",
    "StoredExport",
    "StoredNumber",
    "TextView",
    "TokenUse",
    "Upload",
    "UploadBlock",
    "UploadProgress",
    "Workday",
]
