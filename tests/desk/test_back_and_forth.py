"""A project's items and its exported ratings, taken into an empty project, give the same export."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotators import demo
from tasks.agreement.results import result
from tasks.exporting.forms import export_of
from tasks.exporting.options import Format, Options, Shape
from tasks.models import ImportedRater, Project, Rating, TextView
from tasks.queue.submitting import correct_rating

from ..exports import text_of
from ..factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_item,
    make_project,
    make_rating,
    make_submission,
    make_user,
)

pytestmark = pytest.mark.django_db

# All that an import may change, and the name of the project.
CHANGED = ("project", "kind", "file", "line")


def carried(project: Project, folder: Path, shape: str = "scores") -> Project:
    """Take an export of a project into one that has its items alone."""
    other = Project.objects.exclude(pk=project.pk).get(slug="other")
    file = folder / f"{shape}.csv"
    file.write_text(text_of(project, shape=shape, revisions=True))
    call_command("import_ratings", other.slug, str(file), verbosity=0)
    other.refresh_from_db()
    return other


def compared(project: Project, shape: str, **options: Any) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(text_of(project, shape=shape, **options), newline=""))
    return [{name: cell for name, cell in row.items() if name not in CHANGED} for row in rows]


def assert_same(project: Project, other: Project) -> None:
    for shape in ("scores", "ratings"):
        for options in ({}, {"revisions": True}, {"texts": True}):
            assert compared(other, shape, **options) == compared(project, shape, **options)
    for dimension in project.rubric.schema.dimensions:
        ours, theirs = (result(each, dimension, NOW) for each in (project, other))
        assert ours.result.overall == theirs.result.overall


def test_scores_with_answers_claims_comments_corrections_and_times(tmp_path: Path) -> None:
    project = make_project(slug="one", wanted=2)
    other = make_project(slug="other", rubric=project.rubric)
    for each in (project, other):
        batch = make_batch(project=each, name="b")
        for number in range(3):
            make_item(
                batch=batch, external_id=f"i{number}", responses=[("x", "A; b=c."), ("y", "No.")]
            )
    ada, ben = make_user(name="ada"), make_user(name="ben")
    for one in project.items.all():
        make_rating(
            item=one,
            annotator=ada,
            order=(2, 1),
            comments={1: "=SUM(A1) | so: yes\nno", 2: '"'},
            comment="All; good=yes.",
            facts=[(2, "Mars has two moons", "holds", "https://a.example\nhttps://b.example")],
            active_seconds=30,
            view=TextView.RENDERED,
        )
        make_rating(item=one, annotator=ben, values={1: 6})
    first = Rating.objects.filter(annotator=ada).earliest("pk")
    lease = first.lease
    assert lease
    correct_rating(first, make_submission(lease=lease, values={1: 6}), based_on=1, now=NOW)
    assert_same(project, carried(project, tmp_path))
    assert Rating.objects.filter(project=other, revision=2).count() == 1


def test_dialogue_with_candidate_sets_lines_and_answers_about_a_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user(name="lea")
    monkeypatch.setattr(demo, "PROJECTS", {"dialogue": demo.PROJECTS["dialogue"]})
    monkeypatch.setattr(demo, "TEMPERS", dict(list(demo.TEMPERS.items())[:2]))
    demo.make_finished(NOW)
    project = Project.objects.get(slug="dialogue-finished")
    other = make_project(slug="other", rubric=project.rubric)
    for batch in project.batches.all():
        twin = make_batch(project=other, name=batch.name)
        for one in batch.items.all():
            make_item(
                batch=twin,
                external_id=one.external_id,
                messages=[(turn["role"], turn["text"]) for turn in one.messages],
                persona=one.persona,
                responses=[(each.model, each.text) for each in one.responses.all()],
                metadata=one.metadata,
            )
    assert_same(project, carried(project, tmp_path))
    ada = project.memberships.filter(role="annotator")[0].user
    for answer in ("yes", "no"):  # the second is another revision
        answer_about_corpus(project.batches.all()[0], ada, answer, now=NOW)
    carried(project, tmp_path, "corpus_answers")
    assert compared(other, "corpus_answers") == compared(project, "corpus_answers")
    assert not other.corpus_answers.filter(file=None).exists()  # each goes with its file
    with pytest.raises(CommandError, match="2 rows can’t be loaded"):
        carried(project, tmp_path, "corpus_answers")


@pytest.mark.parametrize("shape", ["scores", "ratings", "wide"])
def test_a_top_score_that_comes_late_comes_back_in_every_format(tmp_path: Path, shape: str) -> None:
    project = make_project(slug="one", wanted=1)
    ada = make_user(name="ada")
    for value in (5, 6, 7):
        item = make_item(project=project, external_id=f"i{value}", responses=[("x", "Yes.")])
        make_rating(item=item, annotator=ada, values={1: value}, order=(1,))
    before = compared(project, shape)
    for written in Format:
        other = make_project(slug=f"in-{written}", rubric=project.rubric)
        for item in project.items.all():
            make_item(project=other, external_id=item.external_id, responses=[("x", "Yes.")])
        file = tmp_path / f"export.{written}"
        options = Options(shape=Shape(shape), format=written)
        file.write_bytes(b"".join(export_of(project, options, now=NOW)))
        call_command("import_ratings", other.slug, str(file), verbosity=0)
        after = compared(other, shape)
        names = [name for name in before[0] if name not in ("batch", "item")]
        assert [[row[name] for name in names] for row in after] == [
            [row[name] for name in names] for row in before
        ]


def test_scores_that_fit_no_dimension_are_left_out_and_the_items_come_in(
    tmp_path: Path, capsys: Any
) -> None:
    project = make_project(slug="one")
    file = tmp_path / "helpsteer.csv"
    rows = ["prompt,response,helpfulness,correctness,complexity"]
    rows += [f"Why number {n}?,Because of {n}.,{n},4,{n % 3}" for n in range(5)]
    file.write_text("\n".join(rows))
    call_command("import_ratings", project.slug, str(file), "--yes")
    assert project.items.count() == 5
    assert not project.ratings.exists()
    assert not project.rating_files.exists()
    assert "“helpfulness” is not in the rubric: 5 scores are left out." in capsys.readouterr().out


def test_a_rubric_that_is_made_calls_dimensions_as_the_file_does(tmp_path: Path) -> None:
    project = make_project(slug="one")
    file = tmp_path / "sheet.csv"
    rows = ["Frage,Antwort,Bewerter,Verständlichkeit"]
    for n in range(5):
        texts = f"Warum {n}?,Weil es Nummer {n} ist und keine andere Nummer in der ganzen Reihe."
        rows += [f"{texts},{name},{n + 1}" for name in ("Eva", "Udo")]
    file.write_text("\n".join(rows))
    call_command("import_ratings", project.slug, str(file), "--make-rubric", "--yes")
    project.refresh_from_db()
    [dimension] = project.rubric.schema.dimensions
    assert (dimension.code, dimension.title) == ("verstandlichkeit", "Verständlichkeit")
    assert project.ratings.count() == 10


def test_two_raters_of_a_project_whose_names_differ_in_capitals_stay_two(tmp_path: Path) -> None:
    project = make_project(slug="one")
    for name in ("Anna", "anna"):
        ImportedRater.objects.create(project=project, name=name)
    file = tmp_path / "sheet.csv"
    rows = ["id,prompt,response,annotator,score"]
    for n in range(3):
        names = ("Anna", "anna", "BEN" if n else "ben")
        rows += [f"i{n},Why {n}?,So {n}.,{name},2" for name in names]
    file.write_text("\n".join(rows))
    options = ("--use", "annotator=rater", "--make-rubric", "--yes")
    call_command("import_ratings", project.slug, str(file), *options)
    people = project.ratings.values_list("rater__name", flat=True)
    assert {*people} == {"Anna", "anna", "ben"}
