"""How passwords are kept."""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id at the least that OWASP asks for: 19 MiB, two passes, one lane.

    Django's own takes 100 MiB in eight lanes; a class that logs in at once would wait for each other."""

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1
