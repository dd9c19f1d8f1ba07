"""Delete a project whole: no row of it stays in any table, and no row of another project goes."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from tasks.erasing.project_rows import erase_project
from tests.fuzz.people import ELSEWHERE, HERE
from tests.worker import work

from .full_projects import make_full_project

# "transaction": the worker has connections of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def numbers_of_rows() -> dict[str, int]:
    """The number of rows of each table that holds something of projects."""
    numbers = {}
    for model in apps.get_app_config("tasks").get_models():
        numbers[model._meta.db_table] = model._base_manager.count()
    return numbers


def test_nothing_of_a_deleted_project_remains_and_all_of_others() -> None:
    make_full_project(ELSEWHERE)
    work()
    before = numbers_of_rows()
    project = make_full_project(HERE)
    work()
    counts = erase_project(project)
    connection.check_constraints()
    assert numbers_of_rows() == before
    # It had something in every table.
    assert before.keys() - counts.keys() == {"tasks_databaseorigin"}
