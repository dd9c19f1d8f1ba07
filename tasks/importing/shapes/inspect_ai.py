"""Samples of an Inspect log."""

from ..shape import FileShape, Sample, Use, _, is_turns

ANSWER = "output.choices[*].message.(content|content[*].text)"


def _says_more(sample: Sample) -> bool:
    """Tell whether a solver asked the model more than the input, or otherwise."""
    there = {column.name: column.values for column in sample.columns}
    return any(
        [turn.get("content") for turn in said[:-1]]
        != ([turn.get("content") for turn in asked] if is_turns(asked) else [asked])
        for said, asked in zip(there.get("messages", ()), there.get("input", ()), strict=False)
        if is_turns(said)
    )


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
    judge=lambda sample: (
        _(
            "Its messages hold more than the input, such as a system prompt; choose which "
            "annotators see."
        )
        if _says_more(sample)
        else ""
    ),
    # A log in a ZIP gives each sample the model of its run, with the whole name.
    more=lambda sample: (
        {"output.model": Use.METADATA}
        if any(column.path == "model" for column in sample.columns)
        else {}
    ),
)
