"""How passwords are stored, and which ones are accepted."""

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext as _

from annotators.models import User

LONGEST = 1_024  # characters; not as a field's `maxlength`: browsers would cut off silently
LONGEST_PATTERN = 8
# Characters whose strength is estimated: the time for it grows faster than their square.
LOOKED_AT = 40
FEWEST_GUESSES = 10**8
OF_PERSON = ("username", "first_name", "last_name", "email")

not_too_long = MaxLengthValidator(LONGEST)


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id at OWASP's minimum: 19 MiB, two passes, one lane.

    Django's default takes 100 MiB in eight lanes: users who log in at the same time would wait for
    each other.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1


class LengthValidator:
    """A validator that refuses passwords longer than a form accepts."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if the password is too long."""
        not_too_long(password)

    def get_help_text(self) -> str:
        return _("Your password can have up to 1,024 characters.")


class GuessableValidator(CommonPasswordValidator):
    """A validator that refuses passwords among the first to be guessed.

    Few entries of Django's list have the required 12 characters. zxcvbn has lists of 30,000
    passwords and as many words and names. It also knows how people make longer ones of them: a
    year at the end, @ for a, rows of keys.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if it repeats itself, is on a list, or takes few guesses."""
        if is_repetitive(password):
            raise ValidationError(
                _("This password repeats one character or a short pattern. Choose another."),
                code="password_repeats",
            )
        super().validate(password, user)
        if guesses(password, user) < FEWEST_GUESSES:
            raise ValidationError(
                _(
                    "This password is easy to guess: it is common, or made of "
                    "names, dates or neighbouring keys. A few unrelated words are "
                    "better."
                ),
                code="password_guessable",
            )

    def get_help_text(self) -> str:
        return _("Your password can’t be a common one or a few repeated characters.")


def is_repetitive(password: str) -> bool:
    """Return True if the password is one character or a short pattern, repeated."""
    folded = password.lower()
    longest = min(LONGEST_PATTERN, len(folded) // 2)
    return any(folded[size:] == folded[:-size] for size in range(1, longest + 1))


def guesses(password: str, user: User | None) -> int:
    """Estimate the number of guesses for somebody who knows the user."""
    from zxcvbn import zxcvbn  # its lists take 13 MB, and most processes never ask for them

    known = [str(getattr(user, name, "")) for name in OF_PERSON] if user else []
    parts = [part for text in known for part in (text, *text.replace("@", ".").split("."))]
    found = zxcvbn(password[:LOOKED_AT], user_inputs=["evenhand", *filter(None, parts)])
    return int(found["guesses"])
