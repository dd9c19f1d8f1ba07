"""The formats that are read, by the endings of their names and by how their files begin."""

import re

TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}  # with their usual delimiters
LINES = (".jsonl", ".ndjson")
TEXTS = (*TABLES, *LINES, ".json")
FORMATS = (*TEXTS, ".gz", ".tgz", ".tar", ".zip", ".xlsx", ".parquet", ".eval")
MOST_COLUMNS = 1_000
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
ZIP = b"PK\x03\x04", b"PK\x05\x06"  # the last one begins an empty archive
LONGEST_START = 512  # bytes by which a format is recognised
# Files of an archive that are none of data.
ASIDE = re.compile(r"/$|(^|/)(\.|__MACOSX/|readme\b|licen[cs]e\b)", re.IGNORECASE)


def is_tar(start: bytes) -> bool:
    """Tell whether a file that begins so is an archive of tar."""
    return start[257:262] == b"ustar"


def is_packed(start: bytes) -> bool:
    """Tell whether a file that begins so is to be unpacked by another process."""
    return start.startswith((GZIP, PARQUET, *ZIP)) or is_tar(start)


def ending_of(file_name: str) -> str:
    """Return the ending that names a format, in small letters; that of a compressed text."""
    name = file_name.lower().removesuffix(".gz")
    return "." + name.rpartition(".")[2] if "." in name else ""


def may_hold_rows(name: str) -> bool:
    """Tell whether a file of an archive is read, as its name says."""
    return ending_of(name) in FORMATS and not ASIDE.search(name)
