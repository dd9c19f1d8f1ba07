"""The output of a batch API (OpenAI's, Anthropic's), perhaps with the requests put beside it."""

from ..shape import FileShape, Use, _, fits

ANSWER = (
    "response.body.choices[*].message.content|response.body.output[*].content[*].text"
    "|response.body.choices[*].text|result.message.content[*].text"
)
INPUT = r"(request\.)?body\.input"
REQUEST = rf"((request\.)?(body|params)\.|request\.)?messages|{INPUT}"

SHAPE = FileShape(
    _("the output of a batch API"),
    ("custom_id", ANSWER),
    {
        INPUT: Use.PROMPT,
        REQUEST: Use.CONVERSATION,
        r"(request\.)?(body\.instructions|params\.system)": Use.SYSTEM,
        ANSWER: Use.RESPONSE,
        "response.body.model|result.message.model": Use.MODEL,
    },
    alone=True,
    judge=lambda sample: (
        ""
        if any(fits(REQUEST, column.name) for column in sample.columns)
        else _("It has no prompts: they are in the batch’s input file, in body.messages.")
    ),
)
