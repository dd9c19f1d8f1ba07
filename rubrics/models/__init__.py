"""The tables of rubrics: published versions, and drafts."""

from .published_rubrics import PARSED_COLUMNS, Rubric, RubricQuerySet
from .rubric_drafts import RubricDraft, RubricDraftQuerySet

__all__ = ["PARSED_COLUMNS", "Rubric", "RubricDraft", "RubricDraftQuerySet", "RubricQuerySet"]
