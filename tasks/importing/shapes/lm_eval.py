"""Samples that lm-evaluation-harness logs of tasks that generate text."""

from ..shape import FileShape, Use, _, fits

SHAPE = FileShape(
    _("samples of lm-evaluation-harness"),
    ("doc_id", "resps", r"arguments(\W.*)?"),
    {r"arguments\.gen_args_0\.arg_0": Use.PROMPT, "resps": Use.RESPONSE},
    judge=lambda sample: (
        ""
        if any(fits(r"arguments\.gen_args_0\.arg_1\..*", column.name) for column in sample.columns)
        else _("It has no text that was generated: gen_args_0.arg_1 holds no options.")
    ),
)
