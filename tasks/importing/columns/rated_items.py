"""The item that each rating of a file is about, and what differs between ratings of an item.

No Django but its translations.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from .choices import Certainty
from .rating_choices import MOST_KEYS, RatingChoices
from .rating_doubts import remark_on_preferences
from .rating_names import is_preference, last_name, may_name_item
from .uses import ANSWERING, PROMPTS, RATING, Use


def choose_item(ratings: RatingChoices) -> RatingChoices:
    """Choose what says of which item a rating is: an id, a key, or the prompt itself."""
    groups = ratings.of(Use.GROUP)
    is_known = any(ratings.choices_before[path].certainty is Certainty.SURE for path in groups)
    if is_known or len(ratings.of(Use.ID)) > 1:
        return ratings
    keys = [path for path in ratings.of(Use.METADATA, Use.ID, Use.GROUP) if may_name_item(path)]
    if not ratings.has_raters_in_rows:
        return _choose_id(ratings, keys)
    prompts = ratings.of(*PROMPTS)
    best = _best_key(ratings, keys, [*prompts[:1], *ratings.of(Use.RESPONSE)[:1]])
    if prompts and (best is None or _is_of_rows(ratings, best, prompts[0])):
        for path in ratings.of(Use.ID):
            ratings = ratings.with_use(path, Use.UNUSED, _("another one in every row"))
        return ratings.with_use(prompts[0], Use.SHARED, _("rows with the same are one item"))
    if best:
        for path in ratings.of(Use.ID, Use.GROUP):
            ratings = ratings.with_use(path, Use.UNUSED, _("names no item"))
        return ratings.with_use(best, Use.GROUP, _("names the item of each rating"))
    return ratings


def _choose_id(ratings: RatingChoices, keys: Iterable[str]) -> RatingChoices:
    """Choose the first key that is another one in every row, if there is no id or group."""
    if ratings.of(Use.ID, Use.GROUP):
        return ratings
    for path in keys:
        if ratings.is_unique(path):
            return ratings.with_use(path, Use.ID, _("another one in every row"))
    return ratings


def _best_key(ratings: RatingChoices, keys: Sequence[str], texts: Sequence[str]) -> str | None:
    """Return the key that names items best, of which those with one value come last."""
    several = [path for path in keys if ratings.profile.columns[path].distinct > 1] or keys
    compared = several[:MOST_KEYS]
    return max(compared, key=lambda path: _rank(ratings, path, texts, compared), default=None)


def _rank(
    ratings: RatingChoices, path: str, texts: Sequence[str], keys: Sequence[str]
) -> tuple[int, bool, int, int]:
    """Return how well a column names items: texts and other keys are the same for the same."""
    follows = ratings.profile.follows
    number_of_texts = sum(follows(text, path) for text in texts)
    number_of_keys = sum(follows(key, path) for key in keys)
    repeats = not ratings.is_unique(path)
    distinct = ratings.profile.columns[path].distinct
    return number_of_texts, repeats, number_of_keys, -distinct


def _is_of_rows(ratings: RatingChoices, key: str, prompt: str) -> bool:
    """Tell whether a key names rows, and a prompt with its rater repeats in none."""
    if not ratings.is_unique(key) or ratings.is_unique(prompt):
        return False
    of_rating = ratings.of(*ANSWERING, Use.MODEL, Use.RATER, Use.DIMENSION, Use.TARGET)
    return ratings.profile.names_rows(prompt, *of_rating)


def leave_rest(ratings: RatingChoices) -> RatingChoices:
    """Leave out metadata that each rating of an item may say otherwise."""
    lists = {_first_list(path) for path in ratings.of(*RATING) if "[" in path}
    lists -= {_first_list(path) for path in ratings.of(*ANSWERING)}
    items = ratings.of(Use.GROUP, Use.SHARED)
    left_out: list[str] = []
    preferences: list[str] = []
    for path in ratings.of(Use.METADATA):
        if path in ratings.choices:
            continue
        if _first_list(path) in lists:
            ratings = ratings.with_use(path, Use.UNUSED, _("in a list of ratings"))
        elif ratings.has_raters_in_rows and not _is_same_in_item(ratings, path, items):
            ratings = ratings.with_use(path, Use.UNUSED, _("each rating may have another"))
            same_kind = preferences if is_preference(last_name(path)) else left_out
            same_kind.append(path)
    if left_out:
        words = _("Left out, as each rating may have another: %(columns)s.")
        ratings = ratings.with_remark(words, columns=", ".join(left_out))
    return remark_on_preferences(ratings, preferences)


def _first_list(path: str) -> str:
    """Return the outermost list that a column is in; its whole path if it is in none."""
    return path.partition("[")[0]


def _is_same_in_item(ratings: RatingChoices, path: str, item_columns: Sequence[str]) -> bool:
    """Tell whether all rows of an item are known to say the same."""
    profile = ratings.profile
    if not item_columns or len(profile.marks) < profile.rows:
        return False
    return profile.follows(path, item_columns[0])
