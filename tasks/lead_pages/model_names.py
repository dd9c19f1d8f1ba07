"""The names of models on the pages of leads: “Model 1”, until they press “Show models”.

Every page of a lead, every file made from one and every answer to a token asks here. The export
names models always, and so do the pages of an upload, whose file names them.
"""

from functools import cached_property

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from config.web.people import User
from config.web.requests import Request
from tasks.models import Project, StoredNumber
from tasks.models.item_list import numbers_of_models
from tasks.models.stored_numbers import Numbering, with_next


class NumberedModels:
    """The models of a project as a lead has them: by their names, or by numbers."""

    stores = True  # what a program reads is kept elsewhere, so its numbers must stay

    def __init__(self, project: Project, user: User, *, are_visible: bool = False) -> None:
        self.project = project
        self.are_visible = are_visible
        # Of the session. A role that comes back has another key; an admin needs none.
        self.key = f"models_shown_in_{project.pk}_to_{user.pk}_as_{project.led_as}"
        self._numbering = Numbering(project, StoredNumber.Kind.MODEL, reader=user.pk)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each model: in random order, and stored for this lead once a token asks."""
        known = numbers_of_models(self.project, self._numbering.reader)
        stored = {model: number for model, number in known.items() if number}
        missing = sorted(
            known.keys() - stored.keys(), key=lambda model: salted_hmac(self.key, model).digest()
        )
        if missing and self.stores:
            numbers = self._numbering.of(missing)
        else:
            numbers = with_next(stored, missing)
        return {model: numbers[model] for model in sorted(known, key=numbers.__getitem__)}

    @cached_property
    def hidden(self) -> dict[str, str]:
        """The words in place of each model’s name while the models are hidden."""
        words = _("Model %(number)s")
        return {model: words % {"number": number} for model, number in self.numbers.items()}

    def of(self, model: str) -> str:
        """Return the name of a model, or “Model 1” and the like; "" for a model without a name."""
        return model if self.are_visible or not model else self.hidden[model]

    def sort_key(self, model: str) -> str | int:
        """Return the key by which models are sorted; one without a name comes first.

        Hidden models are sorted by their numbers: their places must not tell their names.
        """
        return model if self.are_visible else self.numbers.get(model, 0)


class ModelNames(NumberedModels):
    """The models of a project as the user of a page sees them."""

    stores = False  # looking at a page stores nothing

    def __init__(self, request: Request, project: Project) -> None:
        super().__init__(project, request.user)
        is_pressed = bool(request.session.get(self.key))  # the log-out ends the session
        self.are_visible = is_pressed and not project.as_adjudicator  # never to an adjudicator

    def hidden_in(self, text: str) -> str:
        """Return a cell or head of an export, in which a model is named as its lead sees it.

        A cell is the name alone. A head of a wide export is like "quality / MODEL / ada".
        """
        if self.are_visible:
            return text
        if text in self.hidden:
            return self.hidden[text]
        if " / " in text:
            for model, words in self.hidden.items():
                text = text.replace(f" / {model} / ", f" / {words} / ")
        return text
