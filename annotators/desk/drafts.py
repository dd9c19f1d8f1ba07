"""Save what a page sends as its draft, and compare it with a rating of the item.

A page writes its own draft only (`tasks.models.drafts`). A form that comes after the item was rated
is not saved: its annotator sees both, and decides.
"""

from dataclasses import dataclass

from tasks.answers import SHOWN
from tasks.models import Draft, Rating
from tasks.queue.saving import save_form
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import evaluated_of
from tasks.rating_form.view_models import EvaluatedForm

from .loading import Correction, Opened

# Form fields that are not answers, and are sent again with them.
BESIDE = ("seen", "active_seconds", "draft_writer", "draft_number")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A rating that says something else than a form that came after it."""

    rating: Rating  # its latest revision
    rating_url: str
    differences: tuple[Difference, ...]  # `here` is the page, `there` the rating
    correct_url: str  # saves the page's version as a correction; "" if that can't be done any more
    leave_url: str  # where to go on without the page's version
    fields: tuple[tuple[str, str], ...]  # of the page's form
    kept_as: str  # the key under which a browser saves them
    why_not: str  # why the rating can't be corrected

    @property
    def name(self) -> str:
        """A name for the element with the page's form, on a page of something else."""
        return f"sends-{self.kept_as.rpartition(':')[2]}"

    @property
    def lost(self) -> list[str]:
        """The page's answers that are discarded if the rating stays as it is."""
        return [each.about for each in self.differences if each.here]


def save_draft(opened: Opened, evaluated: EvaluatedForm) -> Conflict | None:
    """Save the form as a draft, or return the conflict that prevents it."""
    lease, form, header = opened.lease, opened.form, opened.header
    if header.was_kept and not opened.corrected:
        rated = lease.rating_of_another()
        if rated is not None:
            return rating_conflict(opened, evaluated, rated)
    if header.version is None:
        return None
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
        header.version,
        answers,
        corrects=opened.corrected,
        seen=" ".join(sorted(evaluated.seen)),
        active_seconds=seconds,
        now=opened.now,
    )
    if number is None:
        return rating_conflict(opened, evaluated)
    own = Draft(
        writer=header.version.writer, number=number, answers=answers, active_seconds=seconds
    )
    others = (each for each in lease.drafts if each.writer != own.writer)
    lease.drafts = [own, *(each for each in others if each.version != header.version.shown)]
    return None


def rating_conflict(
    opened: Opened, evaluated: EvaluatedForm, rated: Rating | None = None
) -> Conflict | None:
    """Return the conflict of this form with the stored rating, or None if there is none.

    `rated`: the rating to compare with, by default that of the lease. There is no conflict if one
    of its revisions or a draft that goes on from it says the same. Nor is there one if the same
    page submitted the rating after it sent this form.
    """
    lease, version = opened.lease, opened.header.version
    rated = rated or Rating.objects.filter(lease=lease.pk).select_related("lease").first()
    if rated is None or (
        version
        and (submitted := rated.lease)
        and submitted.writer == version.writer
        and version.number < submitted.number
    ):
        return None
    revisions = list(Rating.objects.revisions_of(rated))
    found = [differences(evaluated, evaluated_of(each, opened.view)) for each in revisions]
    begun = opened.draft is not None and opened.draft.corrects_id is not None
    if not all(found) or (begun and not differences(evaluated, opened.first_evaluated())):
        return None
    page = Correction(opened.request, lease, revisions)
    sent = {name: opened.request.POST.get(name, "") for name in BESIDE}
    return Conflict(
        rating=page.latest,
        rating_url=page.urls["page_url"],
        differences=found[-1],
        correct_url="" if page.read_only else page.urls["draft_url"],
        leave_url=page.urls["back_url"],
        fields=tuple((opened.form.sent | sent).items()),
        kept_as=f"{opened.urls['kept_as']}:{sent['draft_writer']}",
        why_not=page.read_only,
    )
