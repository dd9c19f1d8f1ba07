"""All figures of a dimension come from the same scores, whoever and whatever they are split by."""

import numpy as np
import pytest

from tasks.agreement.report import Report, report
from tasks.agreement.samples import Scores
from tasks.agreement.stored import Figure, Missing, Why

from .spelt_out import (
    counts_of,
    had,
    matrix_of,
)

SCALE = range(1, 6)
# Units × annotators, None where someone did not rate. Units 0 to 3 are by model 0, others by 1.
ROWS = [
    [1, 1, 2, None],
    [2, 3, 2, None],
    [3, 3, 3, None],
    [4, 5, 4, None],
    [5, 5, None, 1],
    [2, 2, None, 5],
    [1, None, 1, None],
    [None, 4, None, None],
]


def scores(
    rows: list[list[int | None]] = ROWS, said: dict[tuple[int, int], int] | None = None
) -> Scores:
    given = [
        (unit, annotator, value)
        for unit, row in enumerate(rows)
        for annotator, value in enumerate(row)
        if value is not None
    ]
    unit, annotator, value = (np.array(column) for column in zip(*given, strict=True))
    return Scores(
        levels=SCALE,
        value=value - 1,
        unit=unit,
        annotator=annotator,
        model=(unit >= 4).astype(int),
        batch=np.zeros(len(given), dtype=int),
        week=unit // 3,
        answer_set=np.array([(said or {}).get((u, a), 0) for u, a, _ in given]),
    )


@pytest.fixture(scope="module")
def found() -> Report:
    return report(scores(), {})


# --- samples ---


def test_the_counts_are_those_of_the_rows() -> None:
    counts, spelt = scores().counts, counts_of(ROWS, SCALE)
    assert counts.patterns.tolist() == spelt.patterns.tolist()
    assert counts.units.tolist() == spelt.units.tolist()
    assert counts.annotators == 4


@pytest.mark.parametrize("people", [(0, 1), (1, 2), (0, 1, 2), (3, 0)])
def test_a_matrix_has_the_units_that_all_its_annotators_rated(people: tuple[int, ...]) -> None:
    spelt = matrix_of([[row[each] for each in people] for row in ROWS], SCALE)
    matrix = scores().matrix(people)
    assert matrix.patterns.tolist() == spelt.patterns.tolist()
    assert matrix.units.tolist() == spelt.units.tolist()


def test_a_matrix_counts_as_its_rows_do() -> None:
    rows = [[1, 2], [2, 2], [5, 4], [2, 2]]
    assert (
        matrix_of(rows, SCALE).counts.patterns.tolist() == counts_of(rows, SCALE).patterns.tolist()
    )


def test_the_team_is_who_rated_the_most_units_with_nobody_else() -> None:
    assert scores().team() == (0, 1, 2)
    assert scores([[1, None], [None, 2]]).team() == ()
    alone = [[None] * 9 + [1, 2]] * 2 + [[1, 1] + [None] * 9]
    assert scores(alone).team() == (9, 10)  # beyond a byte


def test_pairs_of_rows_are_all_pairs_of_ratings_of_a_unit() -> None:
    rows, others = scores().pairs
    assert len(rows) == 4 * 3 + 2 * 3 + 1
    assert (scores().unit[rows] == scores().unit[others]).all()
    assert (rows < others).all()


# --- the report ---


def test_the_report_says_how_much_it_compares(found: Report) -> None:
    assert (found.overall.units, found.overall.ratings) == (7, 20)


def test_parts_are_figures_of_their_own_rows(found: Report) -> None:
    of_model = report(scores(ROWS[:4]), {}).overall.figures["alpha-ordinal"]
    assert had(found.by_model[0].figures["alpha-ordinal"]) == had(of_model)
    assert list(found.by_model) == [0, 1]
    assert list(found.by_batch) == [0]
    assert had(found.by_batch[0].figures["alpha-ordinal"]) == had(
        found.overall.figures["alpha-ordinal"]
    )


def test_a_unit_belongs_to_the_week_of_its_last_rating() -> None:
    late = scores()
    late.week[late.unit == 0] = [0, 9, 0]
    assert late.last_week[late.unit == 0].tolist() == [9, 9, 9]
    assert list(report(late, {}).by_week) == [0, 1, 2, 9]


def test_every_two_annotators_are_a_pair_even_if_they_have_nothing_in_common(
    found: Report,
) -> None:
    pairs = {(pair.first, pair.second): pair for pair in found.pairs}
    assert list(pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairs[0, 1].units == 6
    assert isinstance(pairs[0, 1].figures["kappa"], Figure)
    assert pairs[2, 3].figures["kappa"] == Missing(Why.NO_OVERLAP)


def test_an_annotator_against_all_others_is_named_with_the_figure_without_them(
    found: Report,
) -> None:
    assert found.without is not None
    person, without = found.without
    assert person == 3
    assert had(without) == had(
        report(scores([row[:3] for row in ROWS]), {}).overall.figures["alpha-ordinal"]
    )
    assert had(without).value > had(found.overall.figures["alpha-ordinal"]).value
    assert report(scores([row[:2] for row in ROWS]), {}).without is None


def test_the_units_furthest_apart_come_first(found: Report) -> None:
    assert found.furthest[:2] == (4, 5)
    assert 2 not in found.furthest  # all gave it the same


# --- checks ---


def test_a_check_is_compared_by_its_answers_not_by_the_scores() -> None:
    ticked = {(0, 0): 1, (0, 1): 1, (0, 2): 1, (4, 0): 1}
    found = report(scores(said=ticked), {"tick": np.array([0, 1])})
    [check] = found.by_check
    assert check.prevalence == [16 / 20, 4 / 20]
    assert (
        had(check.figures["alpha-nominal"]).value
        != had(found.overall.figures["alpha-nominal"]).value
    )


def test_disagreement_is_traced_to_the_checks_in_which_people_differ() -> None:
    ticked = {(4, 3): 1, (5, 3): 1}  # the one who sees what nobody sees
    found = report(scores(said=ticked), {"tick": np.array([0, 1])})
    first, rest = found.sources
    assert (first.check, first.pairs) == ("tick", 4)
    assert first.distance == pytest.approx((4 + 4 + 3 + 3) / 4)
    assert first.share == pytest.approx(50 / (50 + 6))
    assert (rest.check, rest.pairs) == ("", 15)
    assert first.share + rest.share == pytest.approx(1)


def test_nothing_that_was_rated_twice_is_a_report_of_what_is_missing() -> None:
    found = report(scores([[1, None], [None, 2]]), {})
    assert found.overall.units == 0
    assert found.overall.figures["alpha-ordinal"] == Missing(Why.NO_OVERLAP)
    assert found.sources == []
    assert found.furthest == found.team == ()


def test_the_figures_of_a_check_are_of_the_ratings_in_which_it_was_answered() -> None:
    """An automatic score leaves questions open: that is no answer of its own."""
    said = {(0, 0): 1, (0, 1): 1, (0, 2): 2, (1, 0): 1, (1, 1): 2, (2, 0): 2, (2, 1): 2}
    answers = {"helpful": np.array([-1, 0, -1]), "harmless": np.array([-1, 0, 1])}
    helpful, harmless = report(scores(said=said), answers).by_check
    assert (helpful.ratings, helpful.units) == (2, 1)
    assert (harmless.ratings, harmless.units) == (7, 3)
    assert helpful.prevalence == [1.0, 0.0]


def test_a_pair_of_which_one_left_a_question_open_does_not_differ_in_it() -> None:
    said = {(0, 0): 1, (0, 1): 2, (0, 2): 2}
    answers = {"helpful": np.array([-1, 0, -1])}
    sources = {source.check for source in report(scores(said=said), answers).sources}
    assert "helpful" not in sources
