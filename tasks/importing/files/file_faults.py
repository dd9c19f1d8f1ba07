"""Sentences on files that can’t be read, by names of faults. No Django but its translations.

A process that unpacks a file names a fault and says its placeholders. So `Fault` "twice" with the
name "score" is “has the column score twice in its header; rename one of them”.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from .rows import Text

TOO_MUCH = gettext_lazy(
    "needs more than 1 GB of memory or 2 minutes to read; save it as CSV in UTF-8, or split it"
)
BROKEN = gettext_lazy(
    "can’t be read (%(what)s); save it again where it was made, or save it as CSV in UTF-8"
)
FAULTS: Mapping[str, Text] = {
    "MemoryError": TOO_MUCH,
    "large": gettext_lazy("is larger than 2 GB; split it"),
    "unpacked": gettext_lazy(
        "is more than 200 MB when it is unpacked; save it as CSV in UTF-8, or split it"
    ),
    "bomb": gettext_lazy(
        "unpacks to more than 200 times its size, which no file of texts does; "
        "save it again without compression"
    ),
    "columns": gettext_lazy(
        "has %(number)s columns in its header; a table may have %(most)s: leave out "
        "what is not needed, or write several as one"
    ),
    "twice": gettext_lazy("has the column %(name)s twice in its header; rename one of them"),
    "far": gettext_lazy(
        "has a value in row %(row)s, column %(column)s; a table may have %(most)s columns: "
        "empty the cell"
    ),
    "bytes": gettext_lazy(
        "holds bytes in the column %(name)s; leave the column out, or write it as text"
    ),
    "archive": gettext_lazy("is an archive in which no file is of a format that is read"),
    "document": gettext_lazy(
        "is a document of %(program)s; save it as XLSX or as CSV in UTF-8 where it was made"
    ),
}
