"""A result of agreement is stored as JSON and read again as it was."""

from __future__ import annotations

import json

from tasks.agreement.page_result import without_people
from tasks.agreement.stored import (
    FORM,
    CheckPart,
    DifferingUnit,
    Estimates,
    Figure,
    Mean,
    Missing,
    ModelPart,
    Origin,
    Pair,
    Part,
    Result,
    Why,
    WithoutOne,
    as_json,
    estimate_of,
    result_of,
)

ALPHA = Figure(0.5, low=0.25, high=0.75, undefined=3)
NONE = Missing(Why.NO_VARIATION)
FIGURES: Estimates = {"alpha-ordinal": ALPHA, "same": NONE}
RESULT = Result(
    main="alpha-ordinal",
    reading="unreliable",
    overall=Part("", units=9, ratings=20, prevalence=[0.5, 0.5], figures=FIGURES),
    annotators=[3, -1],
    furthest=[DifferingUnit(7, "egg", 2, "heron", (1, 5), [(3, 5), (-1, 1)])],
    without=WithoutOne(3, ALPHA),
    team=[3, -1],
    team_units=8,
    of_team={"icc-1-1": NONE},
    slots=[-1],
    models=[
        ModelPart(
            "heron",
            units=9,
            ratings=20,
            prevalence=[],
            figures=FIGURES,
            mean=Mean(3.5, low=3.0, high=4.0, items=9),
            difference=None,
            is_best=True,
        )
    ],
    checks=[CheckPart("clear", 9, 20, [0.5, 0.5], {"same": ALPHA}, ticked=0.5)],
    pairs=[Pair(3, -1, units=9, figures=FIGURES)],
    sources=[Origin("clear", pairs=4, distance=1.5, share=0.25)],
    dropped=2,
    short="Quality",
    seed=7,
    resamples=1000,
)


def test_a_stored_result_is_read_as_it_was() -> None:
    assert result_of(json.loads(json.dumps(as_json(RESULT)))) == RESULT


def test_stored_json_has_plain_names_and_values() -> None:
    """Older programs' results are read by these names: another one needs another FORM."""
    stored = as_json(RESULT)
    alpha = {"value": 0.5, "low": 0.25, "high": 0.75, "undefined": 3}
    assert stored["form"] == FORM == 10
    assert stored["overall"]["figures"] == {
        "alpha-ordinal": alpha,
        "same": {"missing": "no variation"},
    }
    assert stored["without"] == {"annotator": 3, **alpha}
    assert stored["sources"] == [{"check": "clear", "pairs": 4, "apart": 1.5, "share": 0.25}]
    assert stored["furthest"] == [
        {
            "key": 7,
            "item": "egg",
            "response": 2,
            "model": "heron",
            "scores": [1, 5],
            "given": [[3, 5], [-1, 1]],
        }
    ]
    assert stored["models"][0]["mean"] == {"value": 3.5, "low": 3.0, "high": 4.0, "items": 9}
    assert stored["checks"][0]["ticked"] == 0.5


def test_a_missing_figure_without_one_annotator_is_read_too() -> None:
    missing = Result(
        main="same",
        reading="",
        overall=Part("", units=0, ratings=0, prevalence=[], figures={"same": NONE}),
        annotators=[],
        furthest=[],
        without=WithoutOne(3, NONE),
    )
    stored = as_json(missing)
    assert stored["without"] == {"annotator": 3, "missing": "no variation"}
    assert result_of(stored) == missing
    assert estimate_of(stored["overall"]["figures"]["same"]) == NONE


def test_a_result_without_people_has_no_number_of_a_person() -> None:
    result = without_people(RESULT)
    stored = as_json(result)
    names = ("annotators", "team", "slots", "pairs", "without", "furthest")
    assert not any(stored[name] for name in names)
    assert (result.overall, result.checks) == (RESULT.overall, RESULT.checks)
