"""An item is lent for five minutes at least, so that whoever works on it keeps it."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.test import Client

from tasks.settings.forms import SettingsForm
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("minutes", "is_taken"), [("4", False), ("5", True)])
def test_a_lead_sets_no_less_than_five_minutes(
    client: Client, minutes: str, is_taken: bool
) -> None:
    lead = make_user(name="lea")
    project = make_project(slug="eggs", leads=[lead])
    client.force_login(lead)
    page = client.get("/projects/eggs/settings/")
    assert 'name="lease_minutes" value="30" min="5"' in page.content.decode()
    shown = {
        field.html_name: "" if field.value() is None else field.value()
        for field in page.context["form"]
    }
    answer = client.post("/projects/eggs/settings/", {**shown, "lease_minutes": minutes})
    project.refresh_from_db()
    assert project.lease_minutes == (5 if is_taken else 30)
    if not is_taken:
        assert [*answer.context["form"].errors] == ["lease_minutes"]


def test_the_settings_say_why_a_lease_lasts_five_minutes_at_least() -> None:
    told = SettingsForm(instance=make_project()).fields["lease_minutes"].help_text
    assert str(told).startswith("At least 5.")
    assert "every two minutes" in str(told)


def test_the_admin_and_the_database_refuse_less() -> None:
    project = make_project()
    project.lease_minutes = 4
    with pytest.raises(ValidationError, match="lease_minutes"):
        project.clean_fields()
    with pytest.raises(IntegrityError, match="a_lease_lasts_five_minutes_at_least"):
        project.save()
