"""The page of one's own rating: its form to correct it, or the rating as it is to read it."""

from typing import TypedDict

from django.http import HttpResponse

from tasks.answers.slot_answers import REPLY
from tasks.models import Rating
from tasks.rating_form.compare import Difference, annotate_with_earlier, differences, fixed
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.stored_forms import evaluated_of

from .form_contexts import form_context, new_page_context, other_versions_context, render_page
from .forms import CorrectionForm
from .loading import Correction

RATING_PAGE = "annotators/ratings/rating.html"


class RevisionContext(TypedDict):
    """A revision of a rating, and how it differs from the one before."""

    rating: Rating
    differences: tuple[Difference, ...]


def show_correction(
    correction: Correction,
    evaluated: EvaluatedForm | None = None,
    *,
    sent: bool = False,
    notice: str = "",
) -> HttpResponse:
    """Render the page of one's own rating; `sent`: the form was submitted to be stored.

    The answer is 409 if it was not stored: another revision came first, or none is accepted.
    """
    request = correction.request
    latest = correction.latest
    stored = evaluated_of(latest, correction.view)
    post = request.POST if evaluated else None  # of this item, not of the one before it
    entered = evaluated or correction.first_evaluated()
    errors = dict(entered.errors)
    is_outdated = sent and CorrectionForm(request.POST).is_outdated(latest.revision)
    is_refused = sent and (is_outdated or bool(correction.read_only))
    form = fixed(stored) if correction.read_only else annotate_with_earlier(entered, stored)
    context = {
        **form_context(correction, form, post=post),
        **new_page_context(correction),
        **other_versions_context(correction, None),
        "rating": latest,
        "revisions": _history(correction),
        "read_only": correction.read_only,
        "outdated": is_outdated,
        "changed": _unstored_changes(correction, entered, stored, sent=sent, refused=is_refused),
        "reply_error": errors.get(REPLY, ""),
        "notice": notice,
        "is_stored": bool(notice) and not latest.waits_for_revision,
    }
    return render_page(request, RATING_PAGE, "main", context, 409 if is_refused else 200)


def _unstored_changes(
    correction: Correction,
    entered: EvaluatedForm,
    stored: EvaluatedForm,
    *,
    sent: bool,
    refused: bool,
) -> tuple[Difference, ...]:
    """Return the changes to list above the form: those of a draft, or of a form that was refused.

    A form that was sent and can be stored lists none: each row shows its own.
    """
    draft = correction.draft
    shows_draft = draft is not None and not sent
    if not (refused or shows_draft):
        return ()
    changes = differences(entered, stored)
    if draft and draft.corrects_id is None:  # two ratings meet: one may be half done
        changes = tuple(change for change in changes if change.current)
    return changes


def _history(correction: Correction) -> list[RevisionContext]:
    """Return the later revisions, newest first, each compared with the one before."""
    if len(correction.revisions) == 1:
        return []
    history = []
    earlier = None
    for revision in correction.revisions:
        evaluated = evaluated_of(revision, correction.view)
        if earlier is not None:
            changes = differences(evaluated, earlier)
            history.append(RevisionContext(rating=revision, differences=changes))
        earlier = evaluated
    return history[::-1]
