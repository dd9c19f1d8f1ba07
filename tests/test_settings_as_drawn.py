"""A second project of the same title is asked about before it is made."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Project

from .factories import make_project, make_rubric


def test_a_second_project_of_the_same_title_is_asked_about(client: Client, lead: User) -> None:
    rubric = make_rubric()
    make_project(slug="led", leads=[lead])
    client.force_login(lead)
    sent = {"title": "Moons", "rubric": str(rubric.pk), "wanted": "1", "form_key": "a" * 32}
    for _ in range(2):  # a double click
        assert client.post("/projects/new/", sent).headers["Location"] == "/projects/moons/"
    Project.objects.filter(slug="moons").update(created_at=timezone.now() - timedelta(minutes=1))
    for key in ("a" * 32, "b" * 32):  # by Back and Create again, and by a new form
        page = client.post("/projects/new/", sent | {"form_key": key}).content.decode()
        assert '<a href="/projects/moons/">Moons</a>' in page
        assert "Create another one" in page
        assert key not in page
    assert Project.objects.filter(title="Moons").count() == 1
    client.post("/projects/new/", sent | {"form_key": "c" * 32, "another": ""})
    assert Project.objects.filter(title="Moons").count() == 2
