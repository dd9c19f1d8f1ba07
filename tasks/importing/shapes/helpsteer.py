"""HelpSteer: a prompt and a response with its scores."""

from ..shape import FILE, FileShape, Use, _

SHAPE = FileShape(
    _("HelpSteer"),
    ("prompt", "response", "helpfulness", "correctness|coherence", "complexity|verbosity"),
    {
        "prompt": Use.PROMPT,
        "response": Use.RESPONSE,
        "helpfulness|correctness|coherence|complexity|verbosity": Use.SCORE,
    },
    rater=FILE,
    judge=lambda sample: (
        _("Some of its prompts hold several turns, each after the mark <extra_id_1>.")
        if any(
            "<extra_id_1>" in str(value)
            for column in sample.columns
            if column.path == "prompt"
            for value in column.filled
        )
        else ""
    ),
)
