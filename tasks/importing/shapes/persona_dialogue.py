"""Dialogues with a persona, such as PersonaChat and ConvAI2."""

from django.utils.translation import gettext_lazy as _

from ..shape import Shape
from ..uses import Use

SAID = "history|dialog|dialogue|dialogs|utterances"
ANSWER = "response|responses|reply|candidates|labels|label"

SHAPE = Shape(
    _("dialogues with a persona"),
    ("persona|personality|personas|your_persona|bot_profile", SAID, ANSWER),
    {
        "persona|personality|personas|your_persona|bot_profile": Use.PERSONA,
        SAID: Use.CONVERSATION,
        ANSWER: Use.RESPONSE,
    },
    judge=lambda sample: (
        _("Of its candidates only the last may be the one that was said.")
        if any(column.path == "candidates" for column in sample.columns)
        else ""
    ),
)
