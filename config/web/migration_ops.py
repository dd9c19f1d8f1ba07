"""The names of models and fields that the admin's pages show, in migrations: no table changes by
them."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class NameFields(Operation):
    """Give fields their names, by model. As an `AlterField` for each, a hundred took longer than
    all the migrations before them, since every model is made anew for every one."""

    reversible = True

    def __init__(self, names: Mapping[str, Mapping[str, str]]) -> None:
        self.names = names

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The models are made anew once, when they are next asked for."""
        state.__dict__.pop("apps", None)
        for model, names in self.names.items():
            for name, verbose_name in names.items():
                field = state.models[app_label, model].fields[name]
                _name, _path, args, options = field.deconstruct()
                named = field.__class__(*args, **(options | {"verbose_name": verbose_name}))
                state.alter_field(app_label, model, name, named, preserve_default=True)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Nothing: the database knows columns, and not what they are called on a page."""

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Nothing either."""

    def describe(self) -> str:
        return f"Name fields of {', '.join(self.names)}"
