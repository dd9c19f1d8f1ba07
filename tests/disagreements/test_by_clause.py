"""Cases by clause, and how decisions lie among the answers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from html import unescape
from uuid import uuid4

import pytest
from django.test import Client

from annotators.models import User
from rubrics.judging.case_figures import clauses_of
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope
from rubrics.judging.parts import COMMENT, Check
from tasks.cases.clause_figures import ClauseFigures, DifferingCases, differing_cases
from tasks.cases.deciding import Choice, decide_case, take_decision_back
from tasks.cases.decision_figures import DecisionFigures, decision_figures
from tasks.models import CaseEntry, Item, Project, ScoreDecision
from tasks.models.roles import Role
from tests.factories import NOW, make_membership, make_project, make_rubric, make_user

from .rated_items import NAMES, case_of, correct, rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in NAMES]
    return make_project(slug="eggs", annotators=people, leads=[lead], wanted=3)


# --- by clause ---


def clause_rows(project: Project) -> dict[str, ClauseFigures]:
    return {row.clause: row for row in differing_cases(project).clauses}


def test_a_clause_has_the_cases_in_which_its_check_differs(project: Project) -> None:
    """One of three ticked a language error, gave 3 and not 7: RQ-12. Squares: 16 + 16, and 4.

    All three could have given 4, so they concluded differently.
    """
    (clause,) = project.rubric.schema.dimensions[0].check("language_error").clauses
    rated(project, "error", 3, 7, 7, ticks={0: "language_error"})
    rated(project, "same checks", 5, 7)
    rated(project, "near", 6, 7)
    settled = 0  # without the error 3 is open, too
    differing = differing_cases(project)
    assert (differing.cases, differing.squares, differing.without_clause) == (2, 36, 1)
    assert clause_rows(project) == {clause: ClauseFigures(clause, 1, 2, 0, 32, settled)}
    assert round(differing.share(differing.clauses[0]), 3) == 0.889


def test_a_case_would_be_settled_if_its_spread_came_under_the_threshold(project: Project) -> None:
    """Two of three ticked the error: 3, 4 and 7, and 7 becomes 4. The spread of 1 is near."""
    (clause,) = project.rubric.schema.dimensions[0].check("language_error").clauses
    rated(project, "error", 3, 4, 7, ticks={0: "language_error", 1: "language_error"})
    assert clause_rows(project)[clause].settled == 1
    project.change_thresholds({"quality": 1})
    assert clause_rows(project)[clause].settled == 0


def test_a_case_with_another_check_of_the_leads_list_would_not_be_settled(
    project: Project,
) -> None:
    rubric = project.rubric.schema.dimensions[0]
    (clause,) = rubric.check("language_error").clauses
    item = rated(project, "error", 3, 4, 7, ticks={0: "language_error", 1: "language_error"})
    entry = CaseEntry.objects.get(item=item)
    other = next(check.code for check in rubric.checks if clause not in clauses_of(check))
    entry.checks.append(f"quality:{other}")
    entry.save(update_fields=["checks"])
    project.change(disputed_checks=[f"quality:{other}"])
    assert clause_rows(project)[clause].settled == 0
    project.change(disputed_checks=["quality:language_error"])
    assert clause_rows(project)[clause].settled == 1


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_all_figures_are_those_of_a_plain_reading(lead: User, slug: str) -> None:
    project = make_project(rubric=make_rubric(slug=slug), leads=[lead])
    draw = random.Random(11)  # noqa: S311 - the same on every run
    entries = [random_entry(project, draw, number) for number in range(400)]
    CaseEntry.objects.bulk_create(entries)
    disputed = draw.sample(sorted(check for entry in entries for check in entry.checks), 2)
    project.change(disputed_checks=disputed)
    differing = differing_cases(project)
    assert differing == plain_reading(project, entries)
    assert any(row.settled for row in differing.clauses)
    assert 0 < differing.without_clause < differing.cases < 400


def random_entry(project: Project, draw: random.Random, number: int) -> CaseEntry:
    dimensions = [part for part in project.rubric.schema.dimensions if part.scores]
    dimension = draw.choice(dimensions)
    every = checks_of_targets(dimension)
    checks = draw.sample(every, min(len(every), draw.choice((0, 1, 1, 2, 3))))
    spread = draw.randrange(5)
    spread_without = {}
    for check in checks:
        for clause in clauses_of(check):
            spread_without[clause] = draw.randrange(spread + 1)
    has_pairs = spread > 0
    return CaseEntry(
        project=project,
        batch_id=1,
        item_id=1,
        dimension=dimension.code,
        model="",
        token=f"{number:016x}",
        place=number,
        item_spread=spread,
        values=[1, 1 + spread],
        spread=spread,
        first_spread=spread,
        is_mixed=draw.random() < 0.1,
        was_mixed=False,
        is_forced_apart=draw.random() < 0.1,
        checks=[f"{dimension.code}:{check.code}" for check in checks],
        is_seen=False,
        pairs=3 if has_pairs else 0,
        seen_pairs=draw.randrange(3) if has_pairs else 0,
        squares=draw.randrange(100) if has_pairs else 0,
        spread_without=spread_without if has_pairs else {},
        is_complete=True,
        decision=CaseEntry.Decision.NONE,
    )


def checks_of_targets(dimension: Dimension) -> list[Check]:
    every = (*dimension.shared, *dimension.checks)
    return [check for check in every if check.scope is Scope.TARGET and check.code != COMMENT]


def plain_reading(project: Project, entries: Sequence[CaseEntry]) -> DifferingCases:
    """Return the same case by case."""
    checks_by_clause: dict[tuple[str, str], set[str]] = {}
    for dimension in project.rubric.schema.dimensions:
        for check in checks_of_targets(dimension):
            for clause in clauses_of(check):
                key = f"{dimension.code}:{check.code}"
                checks_by_clause.setdefault((dimension.code, clause), set()).add(key)
    disputed = set(project.disputed_checks)
    sums: dict[str, list[int]] = {}
    number = squares = without_clause = 0
    for entry in entries:
        threshold = project.thresholds[entry.dimension]
        is_one = entry.is_mixed or entry.is_forced_apart or entry.spread >= threshold
        if not (is_one or disputed & set(entry.checks)):
            continue
        number += 1
        squares += entry.squares
        has_clause = False
        for (code, clause), checks in checks_by_clause.items():
            if code != entry.dimension or not checks & set(entry.checks):
                continue
            has_clause = True
            left = entry.spread_without.get(clause, entry.spread)
            others = disputed & set(entry.checks) - checks
            is_settled = not entry.is_mixed and not others and left < threshold
            row = sums.setdefault(clause, [0] * 5)
            figures = (1, entry.pairs, entry.seen_pairs, entry.squares, int(is_settled))
            for place, figure in enumerate(figures):
                row[place] += figure
        without_clause += not has_clause
    rows = [ClauseFigures(clause, *row) for clause, row in sums.items()]
    rows.sort(key=lambda row: (-row.squares, -row.cases, row.clause))
    return DifferingCases(number, squares, without_clause, tuple(rows))


# --- decisions among the answers ---


def decided_items(project: Project, lead: User, number: int = 20) -> list[Item]:
    """Return items on which ada gave 4, ben 5 and cem 7, and ben's answer is final."""
    items = []
    for place in range(number):
        item = rated(project, f"item-{place}", 4, 5, 7)
        decide(item, lead, "ben")
        items.append(item)
    return items


def decide(item: Item, lead: User, name: str = "", value: int | None = None) -> None:
    case = case_of(item)
    adopted = None
    for answer in case.answers:
        if answer.name == name:
            adopted = answer.person
    decide_case(case, Choice(adopted, value, "slip", "So."), version=case.version, by=lead, now=NOW)


def figures(project: Project) -> DecisionFigures:
    (row,) = decision_figures(project, with_people=True)
    return row


def numbers(row: DecisionFigures) -> tuple[int, ...]:
    return row.number, row.median, row.highest, row.lowest, row.none


def test_decisions_are_counted_by_the_answer_that_they_equal(project: Project, lead: User) -> None:
    for number, (name, value) in enumerate([("ada", None), ("ben", None), ("cem", None), ("", 6)]):
        decide(rated(project, f"item-{number}", 4, 5, 7), lead, name, value)
    assert numbers(figures(project)) == (4, 1, 1, 1, 1)
    decide(rated(project, "two", 5, 7), lead, "ada")
    assert numbers(figures(project)) == (5, 2, 1, 2, 1)


def test_only_decisions_that_stand_as_they_were_made_count(project: Project, lead: User) -> None:
    kept, withdrawn, changed, first, at_once = decided_items(project, lead, 5)
    case = case_of(withdrawn)
    take_decision_back(case, version=case.version, by=lead, now=NOW)
    correct(changed, "ada", 6)
    decisions = ScoreDecision.objects.filter(item=first)
    decisions.update(source="first", adopted=None)
    made = ScoreDecision.objects.filter(item=at_once)
    made.update(source="median", adopted=None, bulk=uuid4())
    assert numbers(figures(project)) == (1, 1, 0, 0, 0)
    decide(kept, lead, "cem")
    assert numbers(figures(project)) == (1, 0, 1, 0, 0)


def test_people_are_compared_after_twenty_decisions(project: Project, lead: User) -> None:
    items = decided_items(project, lead, 19)
    assert (figures(project).are_enough, figures(project).distances) == (False, [])
    items.append(rated(project, "last", 4, 5))
    decide(items[-1], lead, "ben")
    people = {person.person: person for person in figures(project).distances}
    ada, ben, cem = (people[User.objects.get(username=name).pk] for name in NAMES)
    assert (ada.number, ben.number, cem.number) == (20, 20, 19)
    assert ada.signed is not None
    assert ada.absolute is not None
    assert ben.signed is not None
    assert (ada.signed.value, ada.absolute.value, ben.signed.value) == (-1, 1, 0)
    assert (cem.signed, cem.absolute) == (None, None)


# --- the page ---


def words_of(client: Client, project: Project) -> str:
    answer = client.get(f"/projects/{project.slug}/disagreements/by-clause/")
    text = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return " ".join(unescape(text).split())


def test_the_page_links_each_clause_to_the_rubric(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    (clause,) = project.rubric.schema.dimensions[0].check("language_error").clauses
    rated(project, "error", 3, 4, 7, ticks={0: "language_error", 1: "language_error"})
    html = client.get(f"/projects/{project.slug}/disagreements/by-clause/").content.decode()
    link = re.search(rf'<a href="([^"]+)#{clause}">{clause}</a>', html)
    assert link
    rubric_page = client.get(link[1]).content.decode()
    assert f'id="{clause}"' in rubric_page
    assert f"{clause} 1 100 % 0 3 1" in words_of(client, project).replace("\xa0", " ")


def test_the_page_says_that_nothing_differs_and_nothing_is_decided(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    rated(project, "near", 6, 7)
    words = words_of(client, project)
    assert "Nothing differs by the thresholds of this project." in words
    assert "No case was decided by itself so far." in words


def test_people_have_their_names_or_pseudonyms_and_too_few_scores_say_so(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    decided_items(project, lead, 19)
    decide(rated(project, "two scores", 4, 5), lead, "ben")
    words = words_of(client, project).replace("\xa0", " ")
    assert "20 cases were decided one by one." in words
    assert "95 % the median (19) 0 % the highest score" not in words
    assert "ada 20 −1.00 95 %: −1.00 to −1.00 1.00 95 %: 1.00 to 1.00" in words
    assert "cem 19 too few: 19" in words
    project.change(names_annotators=False)
    words = words_of(client, project)
    assert "ada" not in words
    assert "rater-1 20" in words


def test_an_adjudicator_sees_what_was_decided_and_no_people(
    project: Project, lead: User, client: Client
) -> None:
    decided_items(project, lead)
    adjudicator = make_user()
    make_membership(project=project, user=adjudicator, role=Role.ADJUDICATOR)
    client.force_login(adjudicator)
    words = words_of(client, project)
    assert "20 cases were decided one by one." in words
    assert not {"ada", "ben", "cem", "Person"} & set(words.split())
