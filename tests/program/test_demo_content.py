"""What the demonstration puts into its database, and into one of an earlier version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client

from annotators import demo
from rubrics.documents.document import parse
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.models import Project
from tests.factories import NOW, make_project, make_user

pytestmark = pytest.mark.django_db

# A version from before most of today's checks.
EARLIER = {
    "slug": "response-quality",
    "title": "Response quality",
    "summary": "How good is it?",
    "dimensions": [
        {
            "code": "quality",
            "short": "Q",
            "title": "Quality",
            "question": "How good?",
            "unit": "response",
            "lowest": 1,
            "highest": 2,
            "levels": [
                {"score": 2, "label": "Good", "definition": "Good."},
                {"score": 1, "label": "Bad", "definition": "Bad."},
            ],
            "checks": [{"code": "plagiarised", "kind": "tick", "wording": "Copied", "key": "C"}],
            "rules": [],
        }
    ],
}


@pytest.fixture
def _three_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of response quality alone, since rating all items takes long."""
    slug = "response-quality"
    for name in (f"demo-{slug}.items.jsonl", f"demo-{slug}.expected.jsonl"):
        lines = (demo.FIXTURES / name).read_text(encoding="utf-8").splitlines(keepends=True)
        few = {f"rq-demo-0{number}" for number in (1, 2, 3)}
        kept = [line for line in lines if json.loads(line)["id"] in few]
        (tmp_path / name).write_text("".join(kept), encoding="utf-8")
    monkeypatch.setattr(demo, "FIXTURES", tmp_path)
    monkeypatch.setattr(demo, "PROJECTS", {slug: demo.PROJECTS[slug]})


@pytest.mark.usefixtures("_three_items")
def test_a_folder_with_an_earlier_rubric_gets_its_finished_project_with_todays() -> None:
    make_user(name="lea")
    earlier, _ = Rubric.objects.load(parse(EARLIER), now=NOW)
    first = make_project(slug="response-quality", rubric=earlier)
    demo.make_projects(NOW)
    demo.make_finished(NOW)
    finished = Project.objects.get(slug="response-quality-finished")
    assert finished.rubric.version == 2
    assert finished.rubric.schema == shipped("response-quality")
    assert finished.ratings.filter(kind="counted").count() == 4 * 2 * 3
    first.refresh_from_db()
    assert first.rubric == earlier


@pytest.mark.usefixtures("_three_items")
def test_the_people_of_a_new_demonstration_are_enough_for_its_projects(client: Client) -> None:
    for name in ("ada", "ben"):
        make_user(name=name)
    client.force_login(make_user(name="lea"))
    demo.make_projects(NOW)
    start = client.get("/").content.decode()
    assert "0 of 6" in start
    assert "can’t come" not in start
