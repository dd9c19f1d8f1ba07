"""Dates and times have one form on all pages, in each language."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.formats import date_format

ROOT = Path(__file__).parent.parent
# The form of `datetime=`, a weekday beside a date, and a month of a table or a chart.
OF_MACHINES = {"Y-m-d", "Y-m-d\\TH:i:sO", "Y-m", "c", "D", "D j"}


def test_templates_name_a_form_and_do_not_write_one() -> None:
    written = {
        (file.relative_to(ROOT).as_posix(), form)
        for file in (ROOT / "templates").rglob("*.*")
        for form in re.findall(r"\|(?:date|time)(?::\"([^\"]*)\")?", file.read_text("utf-8"))
        if form not in OF_MACHINES
    }
    assert len(written) > 15
    strays = {(file, form) for file, form in written if form and not form.endswith("_FORMAT")}
    assert strays == set()


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "24 Nov 2026, 04:39"),
        ("de", "24. November 2026 04:39"),
        ("fr", "24 novembre 2026 04:39"),
    ],
)
def test_a_time_is_told_as_the_language_tells_it(language: str, told: str) -> None:
    with translation.override(language):
        at = datetime(2026, 11, 24, 4, 39, tzinfo=UTC)
        assert date_format(at, "DATETIME_FORMAT") == told
