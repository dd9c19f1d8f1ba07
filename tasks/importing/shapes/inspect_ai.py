"""Samples of an Inspect log."""

from ..shape import FileShape, Use, _

ANSWER = "output.choices[*].message.(content|content[*].text)"

SHAPE = FileShape(
    _("samples of Inspect"),
    ("input", ANSWER, r"(epoch|scores|target)(\W.*)?"),
    {
        "input": Use.PROMPT,
        ANSWER: Use.RESPONSE,
        "output.model": Use.MODEL,
        # They say the same once more, or how the sample was run.
        r"(messages|events|attachments|store)(\W.*)?": Use.UNUSED,
    },
    # A log in a ZIP gives each sample the model of its run, with the whole name.
    more=lambda sample: (
        {"output.model": Use.METADATA}
        if any(column.path == "model" for column in sample.columns)
        else {}
    ),
)
