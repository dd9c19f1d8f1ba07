"""Three published studies, taken as their files are; each α is that of the package krippendorff."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tasks.agreement.making import glance
from tasks.agreement.stored import Missing, Why
from tasks.models import Project, Rating

from ..agreement.spelt_out import had
from ..factories import make_rubric

pytestmark = pytest.mark.django_db

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
# By krippendorff 0.9, ordinal, on the same files: of two ratings of one person the later one with
# a time, else the first; 0 is no answer of the judges.
ALPHA = {
    "acceptable": 0.479739659878228,
    "q0": 0.05314248811046174,
    "q1": -0.022442551724759507,
    "q2": -0.05501836179409114,
    "q3": 0.31453552273384766,
    "q4": 0.037309332917204174,
    "q5": 0.08009462593347672,
    "q6": 0.017075571574144854,
    "q7": 0.11329578670735185,
    "q8": 0.0671683806522928,
}


def loaded(command: str, name: str, *options: Any) -> Project:
    file = DATA / name
    if not file.exists():
        pytest.skip("the data is not here")
    make_rubric()
    created = ("--create", "--rubric", "response-quality")
    call_command(command, "study", file, *created, "--take-good", "--yes", *options)
    return Project.objects.get()


def assert_alphas(project: Project, codes: Iterable[str]) -> None:
    for code in codes:
        found = glance(project, project.rubric.schema.dimension(code))
        assert had(found.overall.figures["alpha-ordinal"]).value == pytest.approx(
            ALPHA[code], abs=1e-6
        )


def test_tulu_comes_in_but_for_preferences_of_pairs(capsys: Any) -> None:
    project = loaded("import_batch", "tulu.items.jsonl")
    call_command("import_ratings", "study", DATA / "tulu.ratings.jsonl", "--make-rubric", "--yes")
    project.refresh_from_db()
    assert_alphas(project, ["acceptable"])
    said = capsys.readouterr().out
    assert "1,150 ratings by 16 persons, 2,300 scores." in said
    assert "“preference” is not in the rubric: 1,150 scores are left out." in said
    assert Rating.objects.filter(revision=2).count() == 6


def test_convai2_comes_in_where_it_has_a_response(capsys: Any) -> None:
    project = loaded("import_batch", "convai2_wild.items.jsonl", "--use", "trailing=metadata")
    options = ("--make-rubric", "--take-good", "--yes")
    call_command("import_ratings", "study", DATA / "convai2_wild.ratings.jsonl", *options)
    project.refresh_from_db()
    printed = capsys.readouterr()
    assert "436 ratings by 394 persons, 797 scores." in printed.out
    assert "157 more rows" in printed.err or "is no item of the project" in printed.err
    found = glance(project, project.rubric.schema.dimension("quality"))
    # Nothing was rated twice there.
    assert found.overall.figures["alpha-ordinal"] == Missing(Why.NO_OVERLAP)


def test_the_judges_come_in_without_texts_and_0_is_no_answer(tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.yaml"
    questions = [f"Q{number}" for number in range(9)]
    mapping.write_text(
        "\n".join(
            [
                "shape: ratings",
                "ratings: {no_answer: ['', '0', '0.0']}",
                "columns:",
                "  text_id: group",
                "  annotator_id: rater",
                *(f"  {each}: unused" for each in ("round", "DQQ0", "DQQ1", "DQQ2")),
                *(f"  {each}: score" for each in questions),
            ]
        )
    )
    project = loaded(
        "import_ratings", "llm_rubric_judges.tsv", "--make-rubric", "--mapping", mapping
    )
    assert_alphas(project, [each.lower() for each in questions])
    assert project.items.filter(lacks_texts=True).count() == 250
    assert not project.items.filter(counted=0, dropped=False).exists()
