"""Save what a page sends as its draft, and find a rating of the item that says something else."""

from collections.abc import Iterable

from django.shortcuts import get_object_or_404

from tasks.answers.slot_answers import SHOWN
from tasks.answers.submission import DraftVersion
from tasks.models import Draft, Lease, Rating
from tasks.queue.saving import save_form
from tasks.rating_form.compare import differences
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.stored_forms import evaluated_of

from .loading import DeskItem


def save_draft(desk_item: DeskItem, evaluated: EvaluatedForm) -> Rating | None:
    """Save the form as the draft of its page.

    If the item was rated meanwhile and the rating says something else, return the rating. The draft
    is then saved beside it. If the rating says the same, or if this form is older than the page's
    submit, save nothing.
    """
    lease = desk_item.lease
    version = desk_item.header.version
    corrected = desk_item.corrected
    rated = None
    if not corrected:
        rated = lease.first_rating()
    if rated is not None:
        revisions = list(Rating.objects.revisions_of(rated))
        under = rated.lease or lease
        if version and version.writer == under.writer and version.number < under.number:
            return None
        if _says_the_same(desk_item, evaluated, revisions):
            return None
        rated = revisions[0]
    if version is None:
        return rated
    answers = _unsaved_answers(desk_item, evaluated)
    seconds = desk_item.form.cleaned_data.get("active_seconds")
    seen = " ".join(sorted(evaluated.seen))
    now = desk_item.now
    number = save_form(
        lease, version, answers, corrects=corrected, seen=seen, active_seconds=seconds, now=now
    )
    if number is None:
        get_object_or_404(Lease, pk=lease.pk)  # its batch may have been removed meanwhile
        return None
    draft = Draft(
        corrects=corrected,
        writer=version.writer,
        number=number,
        answers=answers,
        active_seconds=seconds,
    )
    lease.drafts = [draft, *_other_drafts(lease.drafts, version)]
    return rated


def _other_drafts(drafts: Iterable[Draft], version: DraftVersion) -> list[Draft]:
    """Return the drafts of other pages, without the one that this page went on from."""
    others = [draft for draft in drafts if draft.writer != version.writer]
    return [draft for draft in others if draft.version != version.loaded]


def _says_the_same(
    desk_item: DeskItem, evaluated: EvaluatedForm, revisions: Iterable[Rating]
) -> bool:
    """Return True if one of the revisions has the answers of the form."""
    for revision in revisions:
        if not differences(evaluated, evaluated_of(revision, desk_item.view)):
            return True
    return False


def _unsaved_answers(desk_item: DeskItem, evaluated: EvaluatedForm) -> dict[str, str]:
    """Return the answers of the form, by field.

    Answers about a corpus are stored beside the drafts, but for clicks that were never judged.
    """
    answers = desk_item.form.answers.fields()
    for target in evaluated.sets:
        for row in target.rows:
            for question in row.corpus:
                if not question.is_clicked:
                    answers.pop(question.name, None)
                    answers.pop(f"{question.name}.{SHOWN}", None)
    return answers
