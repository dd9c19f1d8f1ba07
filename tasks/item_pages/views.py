"""The page of an item with all its ratings, and what a lead does there."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.cases import deciding
from tasks.cases.asking import Subject, ask
from tasks.item_pages.texts import WHOLE_TEXT, texts_of, whole_text
from tasks.lead_pages.led import led, led_with
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Concern, Item, Project, replies

from .item_page import ItemPage, render_item
from .panel import Act, Ask, Decide, ReplyTo
from .panel_forms import GONE, ActForm
from .small_forms import DropForm, ModelVisibilityForm

DROPPED = gettext_lazy("The item was dropped meanwhile. Take it back, then decide.")


@require_safe
@led_with(Item)
def item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show the texts of an item, and beside them what everyone said of one target.

    `?whole=` names a text that is answered by itself, all of it: a response by its number, with "r"
    before it.
    """
    item = _item_of(project, pk)
    name = request.GET.get(WHOLE_TEXT)
    if name is None:
        return render_item(ItemPage(request, item))
    texts = {**texts_of(item), "source": item.source}
    for response in item.responses_in_order:
        texts[f"r{response.position}"] = response.text
    return whole_text(texts, name)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def item_panel(request: Request, project: Project, pk: int) -> HttpResponse:
    """Decide a final score, ask a question, or reply to a flag or skip, by the act chosen."""
    page = ItemPage(request, _item_of(project, pk))
    panel = page.panel(request.POST, request.POST.get("act", ""))
    form = ActForm(list(panel.acts), request.POST)
    if not form.is_valid() or panel.act is None:
        return _refuse_act(page)
    try:
        done = _do(page, panel.act, takes_back=bool(form.cleaned_data["take_back"]))
    except deciding.CaseChanged:
        return _show_changed_case(page)
    if not done:
        return render_item(page, panel)
    messages.success(request, done)
    return _to(page.item, request)


def _do(page: ItemPage, act: Act, *, takes_back: bool) -> str:
    """Do what an act says, and return that in words; "" if its form is refused."""
    match act:
        case Decide() if takes_back:
            return _take_back(page, act)
        case Decide():
            return _decide(page, act)
        case ReplyTo():
            return _reply(page, act)
        case Ask():
            return _ask(page, act)


def _take_back(page: ItemPage, act: Decide) -> str:
    version = act.form["version"].value() or ""
    by = page.request.user
    deciding.take_decision_back(act.case, version=version, by=by, now=timezone.now())
    return _("The decision is taken back.")


def _decide(page: ItemPage, act: Decide) -> str:
    version = act.form["version"].value() or ""
    if version != act.case.version:
        raise deciding.CaseChanged
    if not act.form.is_valid():
        return ""
    decided = act.form.decided
    by = page.request.user
    try:
        deciding.decide_case(act.case, decided, version=version, by=by, now=timezone.now())
    except deciding.Barred as barred:
        act.form.refuse(barred)
        return ""
    return _("The decision is saved.")


def _reply(page: ItemPage, act: ReplyTo) -> str:
    if not act.form.is_valid():
        return ""
    decision = Concern.Decision(act.form.cleaned_data["decision"])
    answer = act.form.cleaned_data["answer"]
    concern = act.concern
    concern.project = page.item.project  # as it is led
    replies.reply_to(concern, decision, answer=answer, by=page.request.user, now=timezone.now())
    return _("%(item)s: decided.") % {"item": page.item}


def _ask(page: ItemPage, act: Ask) -> str:
    if not act.form.is_valid():
        return ""
    rating, place = act.form.target
    (view,) = [view for view in page.ratings if view.rating.pk == rating]
    subject = Subject(page.item, "", view.response_at(place))
    question = act.form.cleaned_data["question"]
    if ask(subject, [view], question, by=page.request.user, now=timezone.now()):
        act.form.add_error("rating", _("It was corrected just now: look at it again."))
        return ""
    return _("The rating goes back to %(name)s.") % {"name": view.name}


def _refuse_act(page: ItemPage) -> HttpResponse:
    """Show an item that does not allow the act, with the values that were sent."""
    messages.error(page.request, DROPPED if page.item.dropped else GONE)
    return render_item(page, page.panel(page.request.POST, ""))


def _show_changed_case(page: ItemPage) -> HttpResponse:
    """Show a case as it is by now, with what was entered."""
    page = ItemPage(page.request, _item_of(page.item.project, page.item.pk))
    panel = page.panel(page.request.POST, page.request.POST.get("act", ""))
    if isinstance(panel.act, Decide):
        panel.act.form.outdate()
    else:
        messages.error(page.request, DROPPED)
    return render_item(page, panel)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def drop_item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Drop an item with a reason, or take it back."""
    item = _item_of(project, pk)
    form = DropForm(request.POST)
    if not form.is_valid():
        return render_item(ItemPage(request, item), drop=form)
    form.apply(item, by=request.user, now=timezone.now())
    return _to(item, request)


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


def _item_of(project: Project, pk: int) -> Item:
    """Return an item of a project. Raise Http404 if it has none such."""
    return get_object_or_404(project.items.select_related("batch"), pk=pk)


def _to(item: Item, request: Request) -> HttpResponse:
    """Lead to an item, to the same target of it, in the list that one came from."""
    query = request.GET.copy()
    query.pop("act", None)
    target = request.POST.get("target")
    if target:
        query["target"] = target
    address = reverse("tasks:item", args=[item.project.slug, item.pk], query=query)
    return redirect(address)
