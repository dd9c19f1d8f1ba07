"""Samples that lm-evaluation-harness logs of tasks that generate text."""

from ..shape import FileShape, Use, _, fits

PROMPT = r"arguments\.gen_args_0\.arg_0"

SHAPE = FileShape(
    _("samples of lm-evaluation-harness"),
    ("doc_id", "resps", r"arguments(\W.*)?"),
    {PROMPT: Use.PROMPT, "resps": Use.RESPONSE},
    judge=lambda sample: (
        ""
        if any(fits(PROMPT, column.name) for column in sample.columns)
        else _("Its arguments hold no prompt under gen_args_0.arg_0.")
    ),
)
