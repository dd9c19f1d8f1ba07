"""Load what an annotator has open: an item to rate, or a rating to correct.

Everything loaded is the annotator's own. Views get one of the two types and never look again.
"""

from functools import cached_property
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from config.web.requests import Request
from tasks.models import Draft, Lease, Rating
from tasks.queue.held import lease_of, lease_to_submit
from tasks.rating_form.form import RatingForm, first_evaluated, item_view_of
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm

from .forms import DraftHeaderForm

STEPS = ("submit", "verdict", "draft", "texts", "open_texts", "skip", "flag", "renew", "corpus")


class Opened:
    """An item that its annotator has open, and the form that their page sent.

    It is rated under a lease. A correction is one of the subclass.
    """

    def __init__(self, request: Request, lease: Lease, corrected: Rating | None = None) -> None:
        self.request, self.lease, self.corrected = request, lease, corrected
        self.now = timezone.now()

    @property
    def is_over(self) -> bool:
        """True if the item is rated, or its rating can't be corrected any more."""
        return self.lease.status == Lease.Status.SUBMITTED

    @cached_property
    def urls(self) -> dict[str, str]:
        """The URLs that the form sends to, and those that its page links to, by template names.

        `page_url` is the page itself. `back_url` is the target of key B: the last rating from the
        desk, and the desk from a rating. `kept_as` is no URL but the key under which a browser
        saves a form that it could not send. It names the item, because the item comes with another
        lease once this one has expired.
        """
        slug = self.lease.project.slug
        desk = reverse("annotators:desk", args=[slug])
        steps = {
            f"{step}_url": reverse(f"annotators:{step}", args=[slug, self.lease.pk])
            for step in STEPS
        }
        back = reverse("annotators:last_rating", args=[slug])
        return steps | {
            "page_url": desk,
            "back_url": back,
            "kept_as": f"{desk}#{self.lease.item_id}",
        }

    @cached_property
    def header(self) -> dict[str, Any]:
        """The facts that the page sends about itself. Raises BadRequest if they are wrong."""
        return DraftHeaderForm(self.request.POST).header

    @property
    def own_draft(self) -> Draft | None:
        """The draft that the page wrote, else the one that it was loaded with."""
        sent = self.header["version"] if self.lease.drafts else None
        return next(
            (
                each
                for each in self.lease.drafts
                if sent and (each.writer == sent.writer or each.version == sent.shown)
            ),
            None,
        )

    @property
    def draft(self) -> Draft | None:
        """The page's own draft, else the one that a new page shows.

        That is the one that `?draft=` names, else the newest that no page went on from.
        """
        asked, corrected = self.request.GET.get("draft"), self.corrected and self.corrected.pk
        current = [each for each in self.lease.drafts if not each.continued]
        named = [each for each in current if each.writer == asked]
        usual = [each for each in current if each.corrects_id == corrected]
        return self.own_draft or next(iter((*named, *usual)), None)

    @property
    def other_drafts(self) -> list[Draft]:
        """Versions of the form that the page neither wrote nor shows, newest first."""
        own = self.draft
        return [
            each
            for each in self.lease.drafts
            if not each.continued and each != own and (own is None or each.answers != own.answers)
        ]

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return item_view_of(self.lease, self.corrected, self.draft)

    @cached_property
    def form(self) -> RatingForm:
        """The form that the page sent."""
        return RatingForm(self.view, self.request.POST)

    def first_evaluated(self) -> EvaluatedForm:
        """Return the form as a new page shows it: the draft, or else the earlier rating."""
        return first_evaluated(self.view, self.corrected, self.draft)


class Correction(Opened):
    """One's own rating, to be corrected on its page. It may have come back, or be read-only."""

    def __init__(self, request: Request, lease: Lease, revisions: list[Rating]) -> None:
        first, latest = revisions[0], revisions[-1]
        latest.project, latest.item = lease.project, lease.item
        latest.first_pk, latest.first_said_at = first.pk, first.submitted_at
        lease.drafts = [  # without those of the correction of another rating
            draft
            for draft in lease.drafts
            if draft.corrects_id in {None, *(each.pk for each in revisions)}
        ]
        super().__init__(request, lease, latest)
        self.latest, self.revisions = latest, revisions
        self.read_only = latest.why_read_only(self.now)  # "" if it may be corrected

    @cached_property
    def urls(self) -> dict[str, str]:
        """The URLs of the rating, and those of its lease for all else."""
        slug, first = self.lease.project.slug, self.revisions[0].pk  # as all revisions share them
        page, submit, verdict, draft = (
            reverse(f"annotators:{name}", args=[slug, first])
            for name in ("rating", "correct", "rating_verdict", "rating_draft")
        )
        return super().urls | {
            "submit_url": submit,
            "verdict_url": verdict,
            "draft_url": draft,
            "page_url": page,
            "back_url": reverse("annotators:desk", args=[slug]),
            "kept_as": page,
        }

    @property
    def is_over(self) -> bool:
        return bool(self.read_only)


def own_lease(request: Request, slug: str, pk: int, *, to_submit: bool = False) -> Opened:
    """Return the annotator's own lease, in whatever status.

    Raise Http404 if there is none, or if they no longer rate in the project. `to_submit`: accept a
    lease that ended when its annotator was just removed, too.
    """
    lease = (
        lease_to_submit(request.user, slug, pk, timezone.now())
        if to_submit
        else lease_of(request.user, slug, pk)
    )
    if lease is None:
        raise Http404
    return Opened(request, lease)


def own_rating(request: Request, slug: str, pk: int) -> Correction:
    """Return the annotator's own rating with its latest revision; `pk` may be that of any.

    Raise Http404 if there is none, or if they no longer rate in the project.
    """
    asked = Rating.objects.by(request.user).filter(project__slug=slug, pk=pk).first()
    revisions = list(Rating.objects.revisions_of(asked)) if asked else []
    made_under = next((each.lease_id for each in revisions if each.lease_id), None)
    lease = lease_of(request.user, slug, made_under) if made_under else None
    if lease is None:
        raise Http404
    return Correction(request, lease, revisions)
