"""The page of one's own rating: its form to correct it, or the rating as it is to read it.

Beside the rows it shows the stored answers, and above the form what differs from them in a draft,
or in a form that could not be stored.
"""

from typing import TypedDict

from django.http import HttpResponse, QueryDict

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


class RatingContext(TypedDict):
    """The names in the templates of the page, beside those of a form (`form_contexts`)."""

    rating: Rating  # the latest revision
    revisions: list[RevisionContext]  # those after the first, newest first
    read_only: str  # why it can't be corrected any more; "" if it can
    outdated: bool  # the form was not stored, because another revision came first
    changed: tuple[Difference, ...]  # listed above the form
    reply_error: str  # why the reply to a question is refused; "" if it is not
    notice: str  # that it was stored; "" on any other page
    is_stored: bool  # nothing is left to do here


def show_correction(
    correction: Correction, evaluated: EvaluatedForm | None = None, *, notice: str = ""
) -> HttpResponse:
    """Render the page to correct or to read a rating.

    `evaluated`: the form that a page sent to be judged; None for a new page, which shows the draft,
    else the rating. `notice`: says that a correction was stored just now.
    """
    stored = _stored_answers(correction)
    current = evaluated or correction.first_evaluated()
    changes: tuple[Difference, ...] = ()
    if correction.draft:
        changes = _unstored_changes(correction, current, stored)
    context = RatingContext(
        rating=correction.latest,
        revisions=_history(correction),
        read_only=correction.read_only,
        outdated=False,
        changed=changes,
        reply_error=_reply_error(current),
        notice=notice,
        is_stored=bool(notice) and not correction.latest.waits_for_revision,
    )
    # After a correction was stored, the fields are of the page before.
    post = correction.request.POST if evaluated else None
    return _render(correction, current, stored, context, post=post, status=200)


def show_unstored_correction(correction: Correction, evaluated: EvaluatedForm) -> HttpResponse:
    """Render the page after its form was submitted and not stored.

    The answer is 409 if it is refused: another revision came first, or none is accepted any more.
    Otherwise the form has faults, which it shows at its rows.
    """
    stored = _stored_answers(correction)
    post = correction.request.POST
    is_outdated = CorrectionForm(post).is_outdated(correction.latest.revision)
    is_refused = is_outdated or bool(correction.read_only)
    changes: tuple[Difference, ...] = ()
    if is_refused:
        changes = _unstored_changes(correction, evaluated, stored)
    context = RatingContext(
        rating=correction.latest,
        revisions=_history(correction),
        read_only=correction.read_only,
        outdated=is_outdated,
        changed=changes,
        reply_error=_reply_error(evaluated),
        notice="",
        is_stored=False,
    )
    status = 409 if is_refused else 200
    return _render(correction, evaluated, stored, context, post=post, status=status)


def _stored_answers(correction: Correction) -> EvaluatedForm:
    return evaluated_of(correction.latest, correction.view)


def _reply_error(evaluated: EvaluatedForm) -> str:
    return dict(evaluated.errors).get(REPLY, "")


def _render(
    correction: Correction,
    current: EvaluatedForm,
    stored_form: EvaluatedForm,
    rating_context: RatingContext,
    *,
    post: QueryDict | None,
    status: int,
) -> HttpResponse:
    """Render the form with what was entered; a rating that is only to be read as it is stored."""
    form = annotate_with_earlier(current, stored_form)
    if correction.read_only:
        form = fixed(stored_form)
    names = {
        **form_context(correction, form, post=post),
        **new_page_context(correction),
        **other_versions_context(correction, None),
        **correction.urls,
        **rating_context,
    }
    return render_page(correction.request, RATING_PAGE, "main", names, status)


def _unstored_changes(
    correction: Correction, current: EvaluatedForm, stored_form: EvaluatedForm
) -> tuple[Difference, ...]:
    """Return how what was entered differs from the stored rating."""
    changes = differences(current, stored_form)
    draft = correction.draft
    if draft and draft.corrects_id is None:
        # It is no correction, but a form of the item that was rated elsewhere meanwhile. It may be
        # half done, so that a missing answer is no change.
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
