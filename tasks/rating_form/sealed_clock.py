"""Clocks of look-ups on their way through a page: a browser keeps them, and cannot set them. Nor
does it set one back that was good before: what is kept of the look-up here goes first
(`LookUp.clock_after`)."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _

from tasks.fact_checks import Clock


def seal(annotator: int, response: int, number: int, clock: Clock) -> str:
    """The clock of a response's claim (`number` from 1) as a text that is good for this claim
    alone, and from this annotator's hand. `annotator`, `response`: their primary keys."""
    return _signer(annotator, response, number).sign(str(clock))


def _signer(annotator: int, response: int, number: int) -> Signer:
    # Of no lease: a form goes on where that has ended, and as a correction.
    return Signer(salt=f"look-up {annotator}: {response}.{number}")


class SealedClock(forms.Field):
    """The clock in such a text, again as a text (`Clock.read`)."""

    def __init__(self, annotator: int, response: int, number: int) -> None:
        super().__init__(required=False)
        self.signer = _signer(annotator, response, number)

    def clean(self, value: str) -> str:
        """Refuse what was not sealed here for this claim."""
        try:
            return self.signer.unsign(value)
        except BadSignature:
            raise ValidationError(
                _(
                    "This is no clock that was given out here for the claim. Look the claim up once more."
                )
            ) from None
