"""Migration operations for names that the admin shows. They change no table."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class NameFields(Operation):
    """Sets the verbose names of fields, by model.

    A hundred `AlterField` operations took longer than all earlier migrations together, because each
    of them rebuilds every model.
    """

    reversible = True

    def __init__(self, names: Mapping[str, Mapping[str, str]]) -> None:
        self.names = names

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Set the names; the models are rebuilt once, on the next access."""
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
        """Do nothing: the database does not store verbose names."""

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Do nothing, as in `database_forwards`."""

    def describe(self) -> str:
        return f"Name fields of {', '.join(self.names)}"
