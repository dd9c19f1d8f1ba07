"""Save what a page sends as its draft, and find a rating of the item that says something else."""

from django.shortcuts import get_object_or_404

from tasks.answers import SHOWN
from tasks.models import Draft, Lease, Rating
from tasks.queue.saving import save_form
from tasks.rating_form.compare import differences
from tasks.rating_form.form import evaluated_of
from tasks.rating_form.view_models import EvaluatedForm

from .loading import Opened


def save_draft(opened: Opened, evaluated: EvaluatedForm) -> Rating | None:
    """Save the form as the draft of its page.

    If the item was rated meanwhile and the rating says something else, return the rating. The draft
    is then saved beside it. If the rating says the same, or if this form is older than the page's
    submit, save nothing.
    """
    lease, form, version = opened.lease, opened.form, opened.header["version"]
    rated = None if opened.corrected else lease.first_rating()
    if rated is not None:
        revisions = list(Rating.objects.revisions_of(rated))
        under = rated.lease or lease
        if version and version.writer == under.writer and version.number < under.number:
            return None
        if not all(differences(evaluated, evaluated_of(each, opened.view)) for each in revisions):
            return None
        rated = revisions[0]
    if version is None:
        return rated
    # Answers about a corpus are stored beside the drafts, but for clicks that were never judged.
    asked = [each for target in evaluated.sets for row in target.rows for each in row.corpus]
    stored = [each.name for each in asked if not each.is_clicked]
    answers = {
        name: said
        for name, said in form.answers.fields().items()
        if name.removesuffix(f".{SHOWN}") not in stored
    }
    seconds = form.cleaned_data.get("active_seconds")
    number = save_form(
        lease,
        version,
        answers,
        corrects=opened.corrected,
        seen=" ".join(sorted(evaluated.seen)),
        active_seconds=seconds,
        now=opened.now,
    )
    if number is None:
        get_object_or_404(Lease, pk=lease.pk)  # its batch may have been removed meanwhile
        return None
    own = Draft(
        corrects=opened.corrected,
        writer=version.writer,
        number=number,
        answers=answers,
        active_seconds=seconds,
    )
    others = (each for each in lease.drafts if each.writer != own.writer)
    lease.drafts = [own, *(each for each in others if each.version != version.shown)]
    return rated
