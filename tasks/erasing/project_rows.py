"""Delete a project whole: every row that is of it, in every table.

`erase_project` is called by the page “Delete this project”. Which tables have rows of a project is
read from the models, so that a new table is never forgotten:

    rows_of_projects()  →  […, (Score, "project"), (Placement, "rating__project"), …]
"""

from collections.abc import Iterator
from graphlib import TopologicalSorter

from django.apps import apps
from django.db import models, transaction

from tasks.models import Project

# A page deletes so many within the time that a request has. More take the command.
MOST_RATINGS = 20_000
# Triggers note what is deleted, in tables of the project. A second round deletes these notes.
ROUNDS = 2


@transaction.atomic
def erase_project(project: Project) -> dict[str, int]:
    """Delete a project and all that is in it. Return the number of rows of each table.

    Whoever takes or saves something at this moment is waited for, or finds nothing.
    """
    project.hold()
    counts: dict[str, int] = {}
    for _round in range(ROUNDS):
        for model, path in rows_of_projects():
            # A project is deleted here though its rows are protected, and without a query for each
            # row: `QuerySet.delete` would refuse, or load all of them.
            rows = model._base_manager.filter(**{path: project.pk})
            number = rows._raw_delete(rows.db)
            table = model._meta.db_table
            counts[table] = counts.get(table, 0) + number
    return {table: number for table, number in counts.items() if number}


def rows_of_projects() -> list[tuple[type[models.Model], str]]:
    """Return each model with rows of a project, and the lookup that leads to the project.

    A model comes before those that it refers to. The project itself is the last one, by "pk".
    """
    lookups: dict[type[models.Model], str] = {Project: "pk"}
    newest: list[type[models.Model]] = [Project]
    while newest:
        nearer, newest = newest, []
        for model in apps.get_models():
            if model not in lookups:
                for name, target in _references(model):
                    if target in nearer:
                        step = "" if target is Project else f"__{lookups[target]}"
                        lookups[model] = name + step
                        newest.append(model)
                        break
    sorter: TopologicalSorter[type[models.Model]] = TopologicalSorter()
    for model in lookups:
        sorter.add(model)
        for _name, target in _references(model):
            if target in lookups and target is not model:
                sorter.add(target, model)
    return [(model, lookups[model]) for model in sorter.static_order()]


def _references(row_model: type[models.Model]) -> Iterator[tuple[str, type[models.Model]]]:
    """Yield the foreign keys of a model: the name of each, and the model that it leads to."""
    for field in row_model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey):
            yield field.name, field.related_model
