"""Load what an annotator has on their page: an item to rate, or a rating to correct.

Everything loaded is the annotator's own. Views get one of the two types and never look again.
"""

from functools import cached_property

from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils import timezone

from config.web.requests import Request
from tasks.models import Draft, Lease, Rating
from tasks.queue.live_leases import lease_of, lease_to_submit
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.form import RatingForm
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.leased_item import item_view_of
from tasks.rating_form.stored_forms import first_evaluated

from .forms import DraftHeader, DraftHeaderForm

STEPS = ("submit", "verdict", "draft", "texts", "uncover", "skip", "flag", "renew", "corpus")


class DeskItem:
    """An item on an annotator's page, and the form that the page sent.

    It is rated under a lease. A correction, a preview and an example of a practice round are
    subclasses.
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
        urls = {}
        for step in STEPS:
            urls[f"{step}_url"] = reverse(f"annotators:{step}", args=[slug, self.lease.pk])
        desk = reverse("annotators:desk", args=[slug])
        urls["page_url"] = desk
        urls["back_url"] = reverse("annotators:last_rating", args=[slug])
        urls["kept_as"] = f"{desk}#{self.lease.item_id}"
        return urls

    @property
    def post(self) -> QueryDict | None:
        """The fields that the page sent; None for a GET."""
        if self.request.method == "POST":
            return self.request.POST
        return None

    @cached_property
    def header(self) -> DraftHeader:
        """The facts that the page sends about itself. Raises BadRequest if they are wrong."""
        return DraftHeaderForm(self.request.POST).header

    @property
    def page_draft(self) -> Draft | None:
        """The draft that the page wrote, else the one that it was loaded with."""
        version = None
        if self.lease.drafts:
            version = self.header.version
        if version is None:
            return None
        for draft in self.lease.drafts:
            if draft.writer == version.writer or draft.version == version.loaded:
                return draft
        return None

    @property
    def draft(self) -> Draft | None:
        """The page's own draft, else the one that a new page shows.

        That is the one that `?draft=` names, else the newest that no page went on from.
        """
        if page_draft := self.page_draft:
            return page_draft
        current = [draft for draft in self.lease.drafts if not draft.continued]
        writer = self.request.GET.get("draft")
        for draft in current:
            if draft.writer == writer:
                return draft
        corrected = self.corrected and self.corrected.pk
        for draft in current:
            if draft.corrects_id == corrected:
                return draft
        return None

    @property
    def other_drafts(self) -> list[Draft]:
        """Versions of the form that the page neither wrote nor shows, newest first."""
        page_draft = self.draft
        others = [
            draft for draft in self.lease.drafts if not draft.continued and draft != page_draft
        ]
        if page_draft is None:
            return others
        return [draft for draft in others if draft.answers != page_draft.answers]

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return item_view_of(self.lease, self.corrected, self.draft)

    @cached_property
    def form(self) -> RatingForm:
        """The form that the page sent."""
        return RatingForm(self.view, self.request.POST)

    def forget_view_and_form(self) -> None:
        """Have the view and the form made again when they are next used."""
        del self.view, self.form

    def first_evaluated(self) -> EvaluatedForm:
        """Return the form as a new page shows it: the draft, or else the earlier rating."""
        return first_evaluated(self.view, self.corrected, self.draft)


class Correction(DeskItem):
    """One's own rating, to be corrected on its page. It may have come back, or be read-only."""

    def __init__(self, request: Request, lease: Lease, revisions: list[Rating]) -> None:
        first = revisions[0]
        latest = revisions[-1]
        latest.item = lease.item
        latest.use_loaded(project=lease.project, first=first)
        corrected = {None, *(revision.pk for revision in revisions)}
        # Without those of the correction of another rating.
        lease.drafts = [draft for draft in lease.drafts if draft.corrects_id in corrected]
        super().__init__(request, lease, latest)
        self.latest, self.revisions = latest, revisions
        self.read_only = latest.why_read_only(self.now)  # "" if it may be corrected

    @cached_property
    def urls(self) -> dict[str, str]:
        """The URLs of the rating, and those of its lease for all else."""
        slug = self.lease.project.slug
        args = [slug, self.revisions[0].pk]  # the first, as all revisions share the URLs
        page = reverse("annotators:rating", args=args)
        urls = {**super().urls}
        urls["submit_url"] = reverse("annotators:correct", args=args)
        urls["verdict_url"] = reverse("annotators:rating_verdict", args=args)
        urls["draft_url"] = reverse("annotators:rating_draft", args=args)
        urls["page_url"] = page
        urls["back_url"] = reverse("annotators:desk", args=[slug])
        urls["kept_as"] = page
        return urls

    @property
    def is_over(self) -> bool:
        return bool(self.read_only)


def load_lease(request: Request, slug: str, pk: int, *, to_submit: bool = False) -> DeskItem:
    """Return the annotator's own lease, in whatever status.

    Raise Http404 if there is none, or if they no longer rate in the project. `to_submit`: accept a
    lease that ended when its annotator was just removed, too.
    """
    if to_submit:
        lease = lease_to_submit(request.user, slug, pk, timezone.now())
    else:
        lease = lease_of(request.user, slug, pk)
    if lease is None:
        raise Http404
    return DeskItem(request, lease)


def load_rating(request: Request, slug: str, pk: int) -> Correction:
    """Return the annotator's own rating with its latest revision; `pk` may be that of any.

    Raise Http404 if there is none, or if they no longer rate in the project.
    """
    rating = Rating.objects.by(request.user).filter(project__slug=slug, pk=pk).first()
    revisions = []
    if rating:
        revisions = list(Rating.objects.revisions_of(rating))
    leases = [revision.lease_id for revision in revisions if revision.lease_id]
    lease = None
    if leases:
        lease = lease_of(request.user, slug, leases[0])
    if lease is None:
        raise Http404
    return Correction(request, lease, revisions)
