"""Names by which people sign in: which ones are taken as they are, and how one is made."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import count

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from annotators.models import User

NAME_IN_USE = gettext_lazy(
    "Someone has this name already. If that is you, sign in to join. Else choose another."
)
INVALID_NAME = gettext_lazy("A name has letters, digits and . + - _ only: leave out the rest.")
LONGEST = 140  # characters of a name that the program makes; a number may follow

# One script together: names mix them.
EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"}


def scripts_of(name: str) -> set[str]:
    """Return the scripts of a name. Latin letters go with those of East Asia (UTS 39)."""
    scripts = set()
    for character in name:
        is_digit = character.isascii() and character.isdigit()
        if character.isalnum() and not is_digit:
            first_word, *_others = re.split(r"\W", unicodedata.name(character, ""))
            scripts.add(first_word)
    if scripts & EAST_ASIAN:
        return {"CJK"} | scripts - EAST_ASIAN - {"LATIN"}
    return scripts


def check_name(name: str) -> None:
    """Refuse a name that could be an e-mail by which someone signs in, or look like a name."""
    if "@" in name:
        raise ValidationError(INVALID_NAME)
    if not any(map(str.isalnum, name)):
        raise ValidationError(_("A name has a letter or a digit at least."))
    if len(scripts_of(name)) > 1:
        raise ValidationError(
            _(
                "Some letters of this name are of another script than the rest, and may look "
                "like letters of it: use one script."
            )
        )


def is_in_use(name: str) -> bool:
    """Return True if an account has the name, in any case."""
    return User.objects.filter(username__iexact=name).exists()


def free_name(wishes: Iterable[str]) -> str:
    """Return the first wish that can be a name, with a number behind it if it is in use."""
    base = "person"
    for wish in wishes:
        words = unicodedata.normalize("NFKC", wish.partition("@")[0]).split()
        name = re.sub(r"[^\w.+-]", "", ".".join(words))[:LONGEST]
        try:
            check_name(name)
        except ValidationError:
            continue
        base = name
        break
    if not is_in_use(base):
        return base
    numbered = (f"{base}{number}" for number in count(2))
    return next(name for name in numbered if not is_in_use(name))
