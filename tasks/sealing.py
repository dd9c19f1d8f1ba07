"""Clocks of look-ups on their way through a page: a browser keeps them, and cannot set them."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _

from tasks.look_ups import Clock


def seal(response: int, number: int, clock: Clock) -> str:
    """The clock of a response's claim (`number` from 1) as a text that is good for this claim alone.
    `response`: its primary key."""
    return _signer(response, number).sign(str(clock))


def _signer(response: int, number: int) -> Signer:
    return Signer(salt=f"look-up {response}.{number}")


class SealedClock(forms.Field):
    """The clock in such a text, again as a text (`Clock.read`)."""

    def __init__(self, response: int, number: int) -> None:
        super().__init__(required=False)
        self.signer = _signer(response, number)

    def clean(self, value: str) -> str:
        """Refuse what was not sealed here for this claim."""
        try:
            return self.signer.unsign(value)
        except BadSignature:
            raise ValidationError(
                _("This is no clock that was given out here for the claim. Look the claim up once more.")
            ) from None
