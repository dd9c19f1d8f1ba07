"""The choices of a lead that an upload has stored."""

from tasks.models import Upload

from .files.options import ReadingOptions
from .lead_choices import LeadChoices


def choices_of(upload: Upload) -> LeadChoices:
    """Return the choices of a lead about an upload's file."""
    return LeadChoices.model_validate(upload.choices)


def reading_of(upload: Upload) -> ReadingOptions:
    """Return how an upload's file is read, as far as the lead chose."""
    return ReadingOptions.model_validate(upload.choices)
