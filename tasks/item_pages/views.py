"""The page of an item with all its ratings, and what a lead does there."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.answers.slot_answers import LABELS
from tasks.cases import deciding
from tasks.cases.asking import Subject, ask, out_of_reach
from tasks.cases.case import Case, cases_of
from tasks.cases.final_score_form import FinalScoreForm
from tasks.cases.rating_views import RatingView, ratings_of
from tasks.item_pages.listing import neighbours
from tasks.item_pages.side_by_side import TargetView, targets_of
from tasks.item_pages.texts import WHOLE_TEXT, as_html, item_texts, texts_of, whole_text
from tasks.lead_pages.led import led, led_with
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Concern, Item, Project, Question, replies
from tasks.models.dropping import decide_dropped

from .decision_form import DecisionForm
from .forms import DropForm, ItemFilterForm, ModelVisibilityForm, SendBackForm


@dataclass(frozen=True)
class ItemConcerns:
    """The skips and flags of an item: all, and by column of the table of ratings."""

    concerns: list[Concern]
    undecided: list[Concern]
    other_people: list[str]
    letters: list[str]
    concerns_by_column: list[list[Concern]]


@dataclass(frozen=True)
class PlaceInList:
    """The list that one came from as a query, and the items before and after one."""

    from_list: str
    before: int | None  # keys
    after: int | None


@require_safe
@led_with(Item)
def item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show the texts of an item, and beside them what everyone said of one target.

    `?whole=` names a text that is answered by itself, all of it: a response by its number, with "r"
    before it.
    """
    item = get_object_or_404(project.items.select_related("batch"), pk=pk)
    name = request.GET.get(WHOLE_TEXT)
    if name is None:
        return _item_page(request, item)
    texts = {**texts_of(item), "source": item.source}
    for response in item.responses_in_order:
        texts[f"r{response.position}"] = response.text
    return whole_text(texts, name)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def send_back(request: Request, project: Project, pk: int) -> HttpResponse:
    """Send a rating back to its annotator with a question about a response, or about the item."""
    item = get_object_or_404(project.items.select_related("batch"), pk=pk)
    ratings = ratings_of(item)
    choices = _choices_to_send_back(item, ratings)
    form = SendBackForm(choices, request.POST)
    if form.is_valid():
        rating, place = form.target
        (view,) = [view for view in ratings if view.rating.pk == rating]
        subject = Subject(item, "", view.response_at(place))
        question = form.cleaned_data["question"]
        if not ask(subject, [view], question, by=request.user, now=timezone.now()):
            messages.success(request, _("The rating goes back to %(name)s.") % {"name": view.name})
            return _to(item, request)
        form.add_error("rating", _("It was corrected just now: look at it again."))
    return _item_page(request, item, form)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def decide_score(request: Request, project: Project, pk: int) -> HttpResponse:
    """Decide the final score of a target in a dimension, or take the decision back."""
    item = get_object_or_404(project.items.select_related("batch"), pk=pk)
    if item.dropped:
        messages.error(request, _("The item was dropped meanwhile. Take it back, then decide."))
        return _to(item, request)
    case = _asked_case(request, item)
    form = FinalScoreForm(case, request.POST)
    version = request.POST.get("version", "")
    now = timezone.now()
    try:
        if version != case.version:
            raise deciding.CaseChanged
        if request.POST.get("act") == "take_back":
            deciding.take_decision_back(case, version=version, by=request.user, now=now)
            messages.success(request, _("The decision is taken back."))
            return _to(item, request)
        if form.is_valid():
            deciding.decide_case(case, form.decided, version=version, by=request.user, now=now)
            messages.success(request, _("The decision is saved."))
            return _to(item, request)
    except deciding.CaseChanged:
        form = FinalScoreForm(_asked_case(request, item), request.POST)
        form.outdate()
    except deciding.Barred as barred:
        form.refuse(barred)
    return _item_page(request, item, decision=form)


def _asked_case(request: Request, item: Item) -> Case:
    """Return the case that a form is about. Raise Http404 if there is none."""
    ratings = ratings_of(item)
    names = ModelNames(request, item.project)
    targets = targets_of(item, item.project.rubric.schema, ratings, names)
    current = _current_target(request, targets)
    if current:
        for case in cases_of(item, current.scored, ratings):
            if case.dimension.code == request.POST.get("dimension"):
                return case
    raise Http404


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def drop_item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Drop an item with a reason, or take it back."""
    item = get_object_or_404(project.items.select_related("batch"), pk=pk)
    form = DropForm(request.POST)
    if not form.is_valid():
        return _item_page(request, item, drop=form)
    why = form.cleaned_data["why"]
    now = timezone.now()
    if form.cleaned_data["act"] == "drop":
        replies.drop_item(item, why=why, by=request.user, now=now)
    else:
        decide_dropped(item, False, why=why, by=request.user, now=now)
    return _to(item, request)


@redirect_get_to("tasks:items", "slug")
@led_with(Concern)
def decide(request: Request, project: Project, pk: int) -> HttpResponse:
    """Decide what becomes of an item that was skipped or flagged."""
    concern = get_object_or_404(project.concerns.select_related("item__batch"), pk=pk)
    concern.item.project = project  # as it is led
    form = DecisionForm(concern, request.POST)
    if not form.is_valid():
        return _item_page(request, concern.item, refused=(concern, form))
    decision = Concern.Decision(form.cleaned_data["decision"])
    answer = form.cleaned_data["answer"]
    replies.reply_to(concern, decision, answer=answer, by=request.user, now=timezone.now())
    messages.success(request, _("%(item)s: decided.") % {"item": concern.item})
    return _to(concern.item, request)


@redirect_get_to("tasks:items", "slug")
@led
def show_models(request: Request, project: Project) -> HttpResponse:
    """Show or hide the models' names to this lead, in this project, until they log out."""
    names = ModelNames(request, project)
    request.session[names.key] = request.POST.get("models") == "shown"
    form = ModelVisibilityForm(request.POST)
    origin = form.cleaned_data if form.is_valid() else {}
    if origin.get("item"):
        item = project.items.filter(pk=origin["item"]).first()
        if item:
            return _to(item, request)
    page = origin.get("page") or "items"
    address = reverse(f"tasks:{page}", args=[project.slug], query=request.GET)
    return redirect(address)


def _to(item: Item, request: Request) -> HttpResponse:
    """Lead to an item, to the same target of it, in the list that one came from."""
    query = request.GET.copy()
    target = request.POST.get("target")
    if target:
        query["target"] = target
    address = reverse("tasks:item", args=[item.project.slug, item.pk], query=query)
    return redirect(address)


def _choices_to_send_back(item: Item, ratings: Sequence[RatingView]) -> list[tuple[str, str]]:
    """Return what can be sent back, whole and by response, to whoever still rates here.

    Those about which a question waits are left out, because another one would replace it.
    """
    obstacles = out_of_reach(item, ratings)
    waiting = Question.objects.waiting().filter(item=item, dimension="")
    asked = set(waiting.values_list("annotator", "rating__attempt", "response"))
    whole = _("%(name)s: the whole item")
    part = _("%(letter)s for %(name)s")
    choices = []
    for view in ratings:
        rating = view.rating
        if rating.pk in obstacles:
            continue
        if (rating.annotator_id, rating.attempt, None) not in asked:
            choices.append((str(rating.pk), whole % {"name": view.name}))
        for place in view.places:
            if (rating.annotator_id, rating.attempt, view.response_at(place)) in asked:
                continue
            words = part % {"name": view.name, "letter": LABELS[place - 1]}
            choices.append((f"{rating.pk}-{place}", words))
    return choices


def _concerns(
    item: Item, ratings: Sequence[RatingView], current: TargetView | None
) -> ItemConcerns:
    """Return skips and flags, oldest first: all, and by column of the table.

    The columns are the ratings, then whoever skipped or flagged the item and has not rated it.
    """
    concerns: list[Concern] = []
    if item.concerns.exists():
        related = ("annotator", "decided_by", "lease")
        rows = item.concerns.with_what_was_done().prefetch_related(*related)
        concerns = list(rows.order_by("raised_at", "pk"))
    raters = [view.rating.annotator_id for view in ratings]
    last_of_others: dict[int, Concern] = {}
    for concern in concerns:
        if concern.annotator_id not in raters:
            last_of_others[concern.annotator_id] = concern
    response = current.response if current else 0
    letters = list(current.letters) if current else []
    for concern in last_of_others.values():
        letters.append(concern.lease.letters.get(response, ""))
    by_column = []
    for person in (*raters, *last_of_others):
        theirs = [concern for concern in concerns if concern.annotator_id == person]
        by_column.append(theirs)
    undecided = [concern for concern in concerns if not concern.decision]
    other_people = [str(concern.annotator) for concern in last_of_others.values()]
    return ItemConcerns(
        concerns=concerns,
        undecided=undecided,
        other_people=other_people,
        letters=letters,
        concerns_by_column=by_column,
    )


def _current_target(request: Request, target_views: list[TargetView]) -> TargetView | None:
    """Return the target that is asked for, else the first one, if there is any."""
    key = request.POST.get("target") or request.GET.get("target")
    for target in target_views:
        if target.key == key:
            return target
    return target_views[0] if target_views else None


def _item_page(
    request: Request,
    item: Item,
    send_back_form: SendBackForm | None = None,
    *,
    drop: DropForm | None = None,
    refused: tuple[Concern, DecisionForm] | None = None,
    decision: FinalScoreForm | None = None,
) -> HttpResponse:
    project = item.project
    ratings = ratings_of(item)
    names = ModelNames(request, project)
    targets = targets_of(item, project.rubric.schema, ratings, names)
    current = _current_target(request, targets)
    address = reverse("tasks:item", args=[project.slug, item.pk])
    text = None
    if current and current.text:
        text = as_html(current.text, f"r{current.key}", address)
    choices = _choices_to_send_back(item, ratings)
    if send_back_form is None and choices:
        send_back_form = SendBackForm(choices)
    context = {"project": project, "ratings": ratings, "targets": targets}
    context["current"] = current
    context["text"] = text
    context["shows_models"] = names.are_visible
    context["form"] = send_back_form
    context["drop"] = drop or DropForm()
    context["cases"] = _cases_with_forms(item, current, ratings, decision)
    context["refused"] = refused
    context["questions"] = item.questions.select_related("annotator").order_by("pk")
    waiting = []
    for view in ratings:
        if view.waits:
            waiting.append(view.name)
    context["waiting"] = waiting
    context["rated_here"] = any(not view.rating.rater for view in ratings)
    context |= vars(_concerns(item, ratings, current))
    context |= vars(item_texts(item, address))
    context |= vars(_place_in_list(request, item, names))
    return render(request, "tasks/item_pages/item_ratings.html", context)


def _cases_with_forms(
    item: Item,
    current: TargetView | None,
    ratings: Sequence[RatingView],
    sent: FinalScoreForm | None,
) -> list[tuple[Case, FinalScoreForm]]:
    """Return the cases of a target with their forms: the one that was sent, and new ones."""
    if current is None or item.dropped:
        return []
    cases = []
    for case in cases_of(item, current.scored, ratings):
        form = FinalScoreForm(case)
        if sent is not None and sent.case.dimension == case.dimension:
            form = sent
        cases.append((case, form))
    return cases


def _place_in_list(request: Request, item: Item, names: ModelNames) -> PlaceInList:
    """Return the list that one came from as a query, and the items before and after this one."""
    # The choices of the form take queries: it is made only for a list that is filtered or sorted.
    if not ItemFilterForm.is_sent(request.GET):
        before, after = neighbours(item)
        return PlaceInList("", before, after)
    form = ItemFilterForm(item.project, request.GET, shows_models=names.are_visible)
    in_list = (form.wanted, form.order) if form.is_valid() else ()
    before, after = neighbours(item, *in_list)
    return PlaceInList(form.query, before, after)
