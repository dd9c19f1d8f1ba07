"""Words for a queue without cases: what will come here, how far off that is, what to do now."""

from dataclasses import dataclass

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from tasks.models import CaseEntry, Project

from .queue import StateNumbers
from .queue_rows import QueueView


@dataclass(frozen=True, slots=True)
class EmptyState:
    """The words of a queue without cases."""

    title: str
    text: str
    link: str = ""  # the address of what can be done, and its words
    link_words: str = ""
    note: str = ""


def empty_state(queue_view: QueueView) -> EmptyState:
    """Return what a queue says that has no case to show."""
    state = _state_of(queue_view, queue_view.queue.numbers)
    if queue_view.project.status == Project.Status.OPEN:
        return state
    note = _("The project is closed: no more ratings come.")
    if queue_view.project.status == Project.Status.PAUSED:
        note = _("The project is paused: ratings come again when it is opened.")
    return EmptyState(state.title, state.text, state.link, state.link_words, note)


def _state_of(queue_view: QueueView, numbers: StateNumbers) -> EmptyState:
    every = queue_view.address(state="", after="", before="", last="")
    if queue_view.form.is_filtered:
        every = reverse("tasks:disagreements", args=[queue_view.project.slug])
        return EmptyState(
            _("No case matches these filters"), "", every, _("All open disagreements")
        )
    if queue_view.form.wanted.state != "open":
        return EmptyState(_("There is no such case"), "", every, _("All open disagreements"))
    done = numbers.decided + numbers.changed
    if done and not numbers.asked and not numbers.incomplete:
        words = ngettext("%(number)s case is decided.", "%(number)s cases are decided.", done)
        decided = queue_view.address(state="decided", after="", before="", last="")
        return EmptyState(
            _("All is decided"), words % {"number": done}, decided, _("Look at the decisions")
        )
    if numbers.asked or numbers.incomplete:
        return EmptyState(_("Nothing to decide now"), _waiting(numbers))
    return _before_any_case(queue_view.project)


def _waiting(numbers: StateNumbers) -> str:
    sentences = []
    if numbers.asked:
        words = ngettext(
            "%(number)s question waits for its answer.",
            "%(number)s questions wait for their answers.",
            numbers.asked,
        )
        sentences.append(words % {"number": numbers.asked})
    if numbers.incomplete:
        words = ngettext(
            "%(number)s case waits for more ratings of its item.",
            "%(number)s cases wait for more ratings of their items.",
            numbers.incomplete,
        )
        sentences.append(words % {"number": numbers.incomplete})
    return " ".join(sentences)


def _before_any_case(project: Project) -> EmptyState:
    """Return what is said where no answers differ by the threshold."""
    comes = _(
        "A response comes here when two people have rated it and their scores are far apart, or "
        "a check that sets the score is ticked by one of them only."
    )
    twice = project.items.filter(counted__gte=2, dropped=False).count()
    if not twice:
        once = project.items.filter(counted=1, dropped=False).count()
        words = ngettext(
            "So far %(number)s item has one rating, and none has two.",
            "So far %(number)s items have one rating, and none has two.",
            once,
        )
        if not once:
            words = _("Nothing is rated yet.")
        return EmptyState(_("Nothing to decide yet"), f"{comes} {words % {'number': once}}")
    largest = CaseEntry.objects.filter(project=project).aggregate(most=Max("spread"))["most"]
    if not largest:
        words = ngettext(
            "%(number)s item has two ratings or more, and they agree.",
            "%(number)s items have two ratings or more, and all of them agree.",
            twice,
        )
        return EmptyState(_("Nothing differs"), words % {"number": twice})
    words = ngettext(
        "So far %(number)s item has two ratings or more, and they differ by %(most)s at most.",
        "So far %(number)s items have two ratings or more, and they differ by %(most)s at most.",
        twice,
    )
    text = words % {"number": twice, "most": largest}
    if project.as_adjudicator:
        return EmptyState(_("Nothing to decide"), f"{comes} {text}")
    settings = reverse("tasks:settings", args=[project.slug])
    thresholds = sorted(set(project.thresholds.values()))
    limits = _("Change the limit of %(limit)s") % {"limit": ", ".join(map(str, thresholds))}
    return EmptyState(_("Nothing to decide"), f"{comes} {text}", f"{settings}", limits)
