"""Langfuse's traces, observations and items of datasets."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("an export of Langfuse"),
    (
        r"input(\W.*)?",
        r"output(\W.*)?",
        "sessionId|traceId|userId|datasetId|projectId|observations|sourceTraceId|trace_id|session_id",
    ),
    {
        r"input|input\.(messages|prompt|question|query|input|text)": Use.PROMPT,
        "output|output.(content|text|answer|response|output|completion|message.content)": (
            Use.RESPONSE
        ),
        "output.choices[*].message.content": Use.RESPONSE,
        "provided_model_name": Use.MODEL,
        r"expectedOutput(\.\w+)?": Use.REFERENCE,
        "scores[*].authorUserId": Use.RATER,
        "scores[*].name": Use.DIMENSION,
        "scores[*].value": Use.SCORE,
        "scores[*].comment": Use.COMMENT,
        "scores[*].timestamp": Use.TIME,
    },
)
