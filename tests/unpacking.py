"""Workbooks, Parquet files and archives, unpacked without a process of their own.

The program starts a limited process for each look at such a file. Tests of what is in a file look
hundreds of times. That process and its limits are held by tests/importing/test_import_formats.py.
"""

from __future__ import annotations

import os
import warnings
from typing import BinaryIO

from tasks.importing.files import containers, unpacking
from tasks.importing.files.outcomes import Fault, Outcome, fault_with

unpack_by_process = unpacking._run


def unpack_at_once(file: BinaryIO, out: BinaryIO, part: str) -> Outcome:
    """Unpack a file as the process would, without its limits."""
    try:
        with (
            os.fdopen(os.dup(out.fileno()), "wb") as written,
            warnings.catch_warnings(action="ignore"),
        ):
            return containers._unpack(file, written, part)
    except Fault as fault:
        return fault.outcome
    except Exception as error:
        return fault_with(type(error).__name__, what=str(error)).outcome
