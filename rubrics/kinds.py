"""The kinds of things a rubric is made of. Import them from `rubrics.schema`."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """What one score is about."""

    RESPONSE = "response"
    CANDIDATE_SET = "candidate_set"  # all responses of one model to one history


class Kind(StrEnum):
    """How a check is answered."""

    TICK = "tick"  # optional
    YES_NO = "yes_no"  # must be answered
    ONE_OF = "one_of"  # must be answered
    DETECTED = "detected"  # by the program; locked


class Scope(StrEnum):
    """What one answer to a check is about."""

    TARGET = "target"  # one answer for each scored thing
    CORPUS = "corpus"  # one per annotator, model and batch


class Effect(StrEnum):
    """What a rule does to the scores."""

    FORCE = "force"
    CAP = "cap"
    FLOOR = "floor"
    REQUIRE = "require"
    EXCLUDE = "exclude"
    RANK_BELOW = "rank_below"
    ADVISE = "advise"


class Detector(StrEnum):
    """What the program can see in a text (`rubrics.detectors`)."""

    EMPTY = "empty"
    REPEATS = "repeats"
    SAME_AS_QUERY = "same_as_query"
    TWINS = "twins"  # concerns two responses: carried by a rule, never by a check
