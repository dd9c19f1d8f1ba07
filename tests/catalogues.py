"""Bring the catalogues in locale/ up to date with the program, and compile them: `make messages`.

What is new comes in untranslated; test_languages.py says so until it is translated. What
nobody says any more goes out. Needs gettext's xgettext.
"""

from __future__ import annotations

import os
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parent.parent
# What people see; tests, benches and tools speak English.
ASIDE = ("tests/*", "benchmarks/*", "docs/*", "var/*", "node_modules/*")


def extract(root: Path, languages: list[str]) -> None:
    """Run makemessages over the program in `root`."""
    from django.core.management import call_command

    here = Path.cwd()
    os.chdir(root)
    try:
        call_command(
            "makemessages",
            locale=languages,
            ignore_patterns=list(ASIDE),
            no_location=True,
            no_wrap=True,
            no_obsolete=True,
            verbosity=0,
        )
    finally:
        os.chdir(here)
    for path in catalogues(root).values():
        messages = polib.pofile(str(path), wrapwidth=0)
        messages.metadata.pop("POT-Creation-Date", None)  # a difference without a difference
        messages.save()


def catalogues(root: Path) -> dict[str, Path]:
    """The catalogue of each language but English, whose messages stand in the program."""
    return {
        path.parent.parent.name: path
        for path in sorted(root.glob("locale/*/LC_MESSAGES/django.po"))
    }


def compiled(path: Path) -> bytes:
    """What gettext reads at work."""
    content: bytes = polib.pofile(str(path)).to_binary()
    return content


def main() -> None:
    """Extract, compile, and say what is left to translate."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    found = catalogues(ROOT)
    extract(ROOT, list(found))
    for language, path in found.items():
        messages = polib.pofile(str(path))
        path.with_suffix(".mo").write_bytes(compiled(path))
        left = len(messages.untranslated_entries()) + len(messages.fuzzy_entries())
        print(f"{language}: {len(messages)} messages, {left} to be translated")


if __name__ == "__main__":
    main()
