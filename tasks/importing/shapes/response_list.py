"""A prompt with a list of responses: of texts, or of objects that may name their model."""

from ..shape import ASKING, ASKS, PROMPT, FileShape, Use, _, chats

LISTS = (
    "(responses|outputs|completions|candidates|answers|generations|samples|choices|replies"
    "|predictions|(model|candidate)_(responses|outputs))"
)
TEXTS = f"{LISTS}([*].(text|response|content|output|answer|completion|message.content))?"

SHAPE = FileShape(
    _("a prompt with a list of responses"),
    (ASKS, TEXTS),
    {
        **ASKING,
        TEXTS: Use.RESPONSE,
        f"{LISTS}[*].(model|model_name|model_id|generator|name)": Use.MODEL,
        "models": Use.MODEL,
    },
    # A prompt may be a transcript that ends where the model is to go on.
    more=lambda sample: dict.fromkeys(chats(sample, PROMPT), Use.CONVERSATION),
)
