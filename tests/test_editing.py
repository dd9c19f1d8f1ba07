"""A rubric's draft, edited part by part in forms."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from rubrics import document
from rubrics.models import RubricDraft
from rubrics.shipped import GALLERY, SLUGS, shipped
from tests.editor_forms import fields_of
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def start(slug: str, by: User) -> RubricDraft:
    return RubricDraft.objects.start(document.dump(shipped(slug)), by=by, now=NOW)


def parts_of(draft: RubricDraft) -> list[str]:
    dimensions = [each["code"] for each in draft.content["dimensions"]]
    within = [f"{code}.{name}" for code in dimensions for name in ("checks", "rules", "examples")]
    return ["about", "checks", *dimensions, *within]


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_every_document_opened_and_saved_part_by_part_is_equal(
    client: Client, lead: User, slug: str
) -> None:
    draft = start(slug, lead)
    client.force_login(lead)
    for number, part in enumerate(parts_of(draft), start=2):
        url = f"/rubric-drafts/{draft.pk}/parts/{part}/"
        answer = client.post(url, fields_of(client, url))
        assert answer.status_code == 302, (part, answer.content.decode()[:2000])
        saved = RubricDraft.objects.get(pk=draft.pk)
        assert saved.revision == number
        assert saved.content == draft.content, part
