"""Dialogues with a persona, such as PersonaChat and ConvAI2."""

from ..shape import FileShape, Use, _

SAID = "history|dialog|dialogue|dialogs|utterances"
ANSWER = "response|responses|reply|utterance|candidates|labels|label"

SHAPE = FileShape(
    _("dialogues with a persona"),
    ("persona|personality|personas|your_persona|bot_profile", SAID, ANSWER),
    {
        "persona|personality|personas|your_persona|bot_profile": Use.PERSONA,
        SAID: Use.CONVERSATION,
        ANSWER: Use.RESPONSE,
    },
    judge=lambda sample: (
        _("Of its candidates only the last may be the one that was said.")
        if any(column.name == "candidates" for column in sample.columns)
        else ""
    ),
)
