"""The enumerations of a rubric.

Their values stand in documents, in stored versions and in exports, so none of them may change.
"""

from enum import StrEnum


class Unit(StrEnum):
    """The thing that one score rates."""

    RESPONSE = "response"
    CANDIDATE_SET = "candidate_set"  # all responses of one model to one history


class Better(StrEnum):
    """The end of a scale that is good."""

    HIGH = "high"
    LOW = "low"
    NEITHER = "neither"  # an order without a good end: too short, right, too long
    NONE = "none"  # classes, without an order


class Kind(StrEnum):
    """The way a check is answered."""

    TICK = "tick"  # optional
    YES_NO = "yes_no"  # must be answered
    ONE_OF = "one_of"  # must be answered
    DETECTED = "detected"  # by the program; locked


class Consequences(StrEnum):
    """The time from which annotators see what answers do to the scores, as a project sets it."""

    ALWAYS = "always"
    AFTER = "after"  # once the row is answered
    NEVER = "never"  # a barred score is refused when it is tried


class Scope(StrEnum):
    """The thing that one answer to a check describes."""

    TARGET = "target"  # one answer for each target
    CORPUS = "corpus"  # one per annotator, model and batch


class Effect(StrEnum):
    """The effect of a rule on the scores."""

    FORCE = "force"
    CAP = "cap"
    FLOOR = "floor"
    REQUIRE = "require"
    EXCLUDE = "exclude"
    RANK_BELOW = "rank_below"
    ADVISE = "advise"


class Without(StrEnum):
    """The reason why a target has no score in a dimension."""

    BLANK = "blank"  # the annotator chose the answer without a score
    NOT_ASKED = "not_asked"


class Detector(StrEnum):
    """The detectors that the program can run on a text (see `rubrics.judging.detectors`)."""

    EMPTY = "empty"
    REPEATS = "repeats"
    SAME_AS_QUERY = "same_as_query"
    TWINS = "twins"  # compares two responses: used by rules, never by a check
