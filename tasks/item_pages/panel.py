"""The panel on the page of an item: one form for each act that the item allows now.

An act decides the final score in a dimension, asks a question, or replies to a flag or a skip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from tasks.answers.slot_answers import LABELS
from tasks.cases.asking import out_of_reach
from tasks.cases.case import Case
from tasks.cases.final_score_form import FinalScoreForm
from tasks.cases.history import reply_act
from tasks.cases.rating_views import RatingView
from tasks.models import Concern, Item, Question

from .panel_forms import QuestionForm, ReplyForm

ASK = "ask"


@dataclass(frozen=True, slots=True)
class Decide:
    """Decide the final score of the current target in one dimension."""

    case: Case
    form: FinalScoreForm
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a rating back to its annotator with a question."""

    form: QuestionForm
    label: str
    value: str = ASK


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """Reply to a flag or a skip."""

    concern: Concern
    form: ReplyForm
    label: str
    value: str


Act = Decide | Ask | ReplyTo


@dataclass(frozen=True, slots=True)
class Panel:
    """The acts by their values, in the order of the page, and the one that is chosen."""

    acts: Mapping[str, Act]
    chosen: str

    @property
    def act(self) -> Act | None:
        """The chosen act; None if the item allows none."""
        return self.acts.get(self.chosen)

    @property
    def cases(self) -> list[Case]:
        """The cases that can be decided."""
        return [act.case for act in self.acts.values() if isinstance(act, Decide)]


@dataclass(frozen=True)
class PanelData:
    """Values of the fields as they were sent: bound for the chosen act, initial for the others."""

    data: QueryDict
    chosen: str

    def arguments(self, value: str, initial: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments of the form of an act; `initial`: what it begins with."""
        common = {"prefix": value, "auto_id": "%s", "use_required_attribute": False}
        if value == self.chosen and self.data:
            return {**common, "data": self.data, "initial": initial}
        sent = {}
        for name, text in self.data.items():
            if name.startswith(f"{value}-") and not name.endswith("-version"):
                sent[name.removeprefix(f"{value}-")] = text
        return {**common, "initial": {**initial, **sent}}


def panel_of(
    item: Item,
    ratings: Sequence[RatingView],
    cases: Sequence[Case],
    concerns: Sequence[Concern],
    sent: PanelData,
) -> Panel:
    """Return the panel with what was sent."""
    acts: dict[str, Act] = {}
    for case in cases:
        label = _("Decide the final score")
        if len(cases) > 1:
            words = _("Decide the final score: %(dimension)s")
            label = words % {"dimension": case.dimension.title}
        value = f"decide-{case.dimension.code}"
        form = FinalScoreForm(case, **sent.arguments(value, {"version": case.version}))
        acts[value] = Decide(case, form, label, value)
    ratings_to_ask = choices_to_ask(item, ratings)
    if ratings_to_ask:
        question_form = QuestionForm(ratings_to_ask, **sent.arguments(ASK, {}))
        acts[ASK] = Ask(question_form, _("Ask, or send a rating back"))
    for concern in concerns:
        reply = _reply_to(concern, sent)
        acts[reply.value] = reply
    chosen = sent.chosen if sent.chosen in acts else _first_act(acts)
    return Panel(acts, chosen)


def _reply_to(concern: Concern, sent: PanelData) -> ReplyTo:
    words = _("Reply to a skip by %(name)s: %(reason)s")
    if concern.kind == Concern.Kind.FLAG:
        words = _("Reply to a flag by %(name)s: %(reason)s")
    label = words % {"name": concern.annotator, "reason": concern.get_reason_display()}
    value = reply_act(concern)
    initial = {"decision": concern.decision, "answer": concern.answer}
    form = ReplyForm(concern, **sent.arguments(value, initial))
    return ReplyTo(concern, form, label, value)


def _first_act(acts: Mapping[str, Act]) -> str:
    """Return the act that is chosen at first: the oldest flag or skip that waits, if any."""
    for value, act in acts.items():
        if isinstance(act, ReplyTo) and not act.concern.decision:
            return value
    return next(iter(acts), "")


def choices_to_ask(item: Item, ratings: Sequence[RatingView]) -> list[tuple[str, str]]:
    """Return what can be sent back, whole and by response, to whoever still rates here.

    Those about which a question waits are left out, because another one would replace it.
    """
    obstacles = out_of_reach(item, ratings)
    waiting = Question.objects.waiting().filter(item=item, dimension="")
    waiting_slots = set(waiting.values_list("annotator", "rating__attempt", "response"))
    whole = _("%(name)s: the whole item")
    part = _("%(letter)s for %(name)s")
    choices = []
    for view in ratings:
        rating = view.rating
        if rating.pk in obstacles:
            continue
        if (rating.annotator_id, rating.attempt, None) not in waiting_slots:
            choices.append((str(rating.pk), whole % {"name": view.name}))
        for place in view.places:
            if (rating.annotator_id, rating.attempt, view.response_at(place)) in waiting_slots:
                continue
            words = part % {"name": view.name, "letter": LABELS[place - 1]}
            choices.append((f"{rating.pk}-{place}", words))
    return choices
