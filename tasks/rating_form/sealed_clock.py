"""Sealed clocks of look-ups: a browser stores them but cannot set them.

It cannot replay an earlier clock either: the clock stored on the server takes precedence
(`LookUp.clock_after`).
"""

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _

from tasks.fact_checks import Clock


def seal(annotator: int, response: int, number: int, clock: Clock) -> str:
    """Return the clock as a signed text, valid only for this claim and this annotator.

    `annotator` and `response` are primary keys. `number` counts the response's claims from 1.
    """
    return _signer(annotator, response, number).sign(str(clock))


def _signer(annotator: int, response: int, number: int) -> Signer:
    # The salt names no lease: a form outlives its lease, and continues as a correction.
    return Signer(salt=f"look-up {annotator}: {response}.{number}")


class SealedClock(forms.Field):
    """A field that takes a sealed clock and cleans it to the text for `Clock.read`."""

    def __init__(self, annotator: int, response: int, number: int) -> None:
        super().__init__(required=False)
        self.signer = _signer(annotator, response, number)

    def clean(self, value: str) -> str:
        """Return the clock; raise ValidationError if it was not sealed for this claim."""
        try:
            return self.signer.unsign(value)
        except BadSignature:
            raise ValidationError(
                _("The clock of this look-up is not valid. Look the claim up again.")
            ) from None
