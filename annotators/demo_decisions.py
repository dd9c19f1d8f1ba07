"""The decisions of a finished demonstration: its lead has settled some of the disagreements."""

from datetime import datetime

from annotators.models import User
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Choice, decide_case
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseEntry, Project, ScoreDecision
from tasks.models.list_renewal import renew_all

# So far apart that a newcomer finds a queue of one or two dozen cases, by rubric.
THRESHOLDS = {
    "response-quality": {"quality": 4},
    "dialogue": {"quality": 3, "coherence": 3, "consistency": 3, "diversity": 3},
}
# The causes and reasons of the cases that are decided.
CAUSES = (
    (ScoreDecision.Cause.SLIP, "One answer overlooks what the others ticked."),
    (ScoreDecision.Cause.JUDGEMENT, ""),
    (ScoreDecision.Cause.RUBRIC, "The rubric does not say how much is too little here."),
    (ScoreDecision.Cause.SLIP, ""),
)


def decide_some(project: Project, *, now: datetime) -> None:
    """Decide every third of the widest cases, until each cause has one."""
    project.change_thresholds(THRESHOLDS[project.rubric.slug])
    renew_all(project, list(project.items.order_by("pk").values_list("pk", flat=True)))
    by = User.objects.get(username="lea")
    causes = iter(CAUSES)
    entries = CaseEntry.objects.of_project(project).differing(project).select_related("item")
    for entry in list(entries)[::3]:
        entry.item.project = project
        case = _case_of(entry)
        choice = _choice(case)
        if choice is None:
            continue
        cause = next(causes, None)
        if cause is None:
            return
        choice = Choice(choice.adopted, None, *cause)
        decide_case(case, choice, version=case.version, by=by, now=now)


def _case_of(entry: CaseEntry) -> Case:
    for case in cases_of(entry.item, entry.target, ratings_of(entry.item)):
        if case.dimension.code == entry.dimension:
            return case
    raise LookupError(entry)


def _choice(case: Case) -> Choice | None:
    """Return the middle one of the answers that the rules leave open, or None."""
    answers = []
    for answer in case.answers:
        if answer.value is not None and case.is_open(answer.value, answer.check_answers):
            answers.append(answer)
    if not answers:
        return None
    answers.sort(key=lambda answer: answer.value or 0)
    middle = answers[(len(answers) - 1) // 2]
    return Choice(middle.person, None)
