"""Save what a page sends as a draft, and find the version on the server that it was not shown.

The rule is that of `tasks.models.drafts`: a page may save over the draft that it wrote or was
shown. Otherwise its annotator sees both versions and keeps one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from tasks.answers import SHOWN
from tasks.models import Draft, Rating, UnseenDraft
from tasks.queue.saving import save_form
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import evaluated_of
from tasks.rating_form.view_models import EvaluatedForm
from tasks.submission import DraftVersion

from .loading import Correction, Opened

# Form fields that are not answers. A draft stores them in columns of their own.
BESIDE = ("seen", "active_seconds")
ATTEMPTS = 5  # while other pages save the same answers
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A version on the server, a draft or a rating, that a page was not shown."""

    saved_at: datetime  # the time of the draft, or of the submit
    differences: tuple[Difference, ...]  # `here` is the page, `there` the server
    keep_url: str  # saves the page's version; "" if that can't be done any more
    leave_url: str  # where to go on without the page's version
    fields: tuple[tuple[str, str], ...]  # of the page's form
    kept_as: str  # the key under which a browser saves them
    keep_over: int = 0  # the draft revision that the page's version then saves over; 0 for none
    rating: Rating | None = None  # its latest revision; None for a draft
    rating_url: str = ""
    why_not: str = ""  # why the rating can't be corrected

    @property
    def name(self) -> str:
        """A name for the element with the page's form, on a page of something else."""
        return f"sends-{self.kept_as.rpartition(':')[2]}"

    @property
    def lost_here(self) -> list[str]:
        """This page's answers that are discarded if the annotator keeps the other version."""
        return [each.about for each in self.differences if each.here]

    @property
    def lost_there(self) -> list[str]:
        """The other version's answers that are discarded if the annotator keeps this page's."""
        return [each.about for each in self.differences if each.there]


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

    def save(version: DraftVersion | None) -> int | None:
        assert version is not None
        return save_form(
            lease,
            version,
            answers,
            corrects=opened.corrected,
            seen=" ".join(sorted(evaluated.seen)),
            active_seconds=seconds,
            now=opened.now,
        )

    saved = unless_unseen(opened, evaluated, save)
    if isinstance(saved, Conflict):
        return saved
    if saved is None:
        return rating_conflict(opened, evaluated)
    lease.draft = Draft(revision=saved, active_seconds=seconds)
    return None


def unless_unseen(
    opened: Opened, evaluated: EvaluatedForm, act: Callable[[DraftVersion | None], T]
) -> T | Conflict:
    """Do `act` for the page, or return the conflict with a draft that the page was not shown.

    If that draft says the same as the page, try again with its revision.
    """
    version = opened.header.version
    for _attempt in range(ATTEMPTS):
        try:
            return act(version)
        except UnseenDraft:
            opened.lease.draft = Draft.objects.of_item(opened.lease.item, opened.request.user)
            if conflict := _draft_conflict(opened, evaluated):
                return conflict
            assert version is not None  # without it every draft counts as seen
            there = opened.lease.draft or Draft(revision=0, number=0)
            version = replace(version, based_on=there.revision)
            if there.writer == version.writer:  # a later save of this page overtook its submit
                version = replace(version, number=max(version.number, there.number))
    raise RuntimeError(f"{ATTEMPTS} times in a row another page saved a draft of the item first")


def rating_conflict(
    opened: Opened, evaluated: EvaluatedForm, rated: Rating | None = None, *, why_not: str = ""
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
    begun = lease.draft is not None and lease.draft.lease_id != lease.pk
    if not all(found) or (begun and not differences(evaluated, opened.first_evaluated())):
        return None
    there = Correction(opened.request, lease, revisions)
    why_not = why_not or there.read_only
    return Conflict(
        saved_at=revisions[0].submitted_at,
        differences=found[-1],
        keep_url="" if why_not else there.urls["draft_url"],
        leave_url=there.urls["back_url"],
        fields=_fields(opened),
        kept_as=_kept_as(opened),
        rating=there.latest,
        rating_url=there.urls["page_url"],
        why_not=why_not,
    )


def _draft_conflict(opened: Opened, evaluated: EvaluatedForm) -> Conflict | None:
    """Return the conflict with the stored draft, or None if it says the same as the form."""
    there = opened.lease.draft
    found = differences(evaluated, opened.first_evaluated()) if there else ()
    if there is None or not found:
        return None
    urls = opened.urls
    return Conflict(
        saved_at=there.saved_at,
        differences=found,
        keep_url=urls["draft_url"],
        leave_url=urls["page_url"],
        fields=_fields(opened),
        kept_as=_kept_as(opened),
        keep_over=there.revision,
    )


def _fields(opened: Opened) -> tuple[tuple[str, str], ...]:
    sent = (*BESIDE, "draft_writer", "draft_number")
    controls = {name: opened.request.POST.get(name, "") for name in sent}
    return tuple((opened.form.sent | controls).items())


def _kept_as(opened: Opened) -> str:
    return f"{opened.urls['kept_as']}:{opened.request.POST.get('draft_writer', '')}"
