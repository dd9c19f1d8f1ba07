"""Make the exports that are left to a worker: one at a time, in one transaction.

`manage.py work` calls `make_next` for as long as it returns True. An order whose try ended without
an answer is tried again, a few times.
"""

from datetime import datetime
from tempfile import TemporaryFile

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext_lazy

from tasks.exporting.export import snapshot
from tasks.exporting.filters import Refused
from tasks.exporting.streaming import zipped
from tasks.models import Project, StoredExport
from tasks.models.stored_exports import MOST_TRIES

from .forms import export_of, options_in
from .pseudonyms import pseudonyms_of

TOO_OFTEN = gettext_lazy(
    "Workers ended while they made this file, again and again; their log says why. Choose a part "
    "of it, or another kind of file."
)


def has_orders(now: datetime) -> bool:
    """Tell whether there is an export that a worker could begin with."""
    with transaction.atomic():
        return _free(now) is not None


def make_next(now: datetime) -> bool:
    """Make the next export that nobody works on. Return False if there is none."""
    with transaction.atomic():
        order = _free(now)
        if order is None:
            return False
        order.tries += 1
        order.save(update_fields=["tries"])
    pseudonyms_of(order.project)  # stores them, before a snapshot that others would wait for
    # A transaction of its own, since a try of a worker that dies must be counted.
    with snapshot("READ WRITE"):
        order = StoredExport.objects.filter(pk=order.pk).waiting().free().first()
        if order:
            with translation.override(order.language):
                _make(order, now)
    return True


def _free(now: datetime) -> StoredExport | None:
    return StoredExport.objects.living(now).waiting().free().first()


def _make(order: StoredExport, now: datetime) -> None:
    if not Project.objects.led_by(order.lead).filter(pk=order.project_id).exists():
        order.delete()  # nobody may see it any more
        return
    if order.tries > MOST_TRIES:
        order.refuse(str(TOO_OFTEN))
        return
    with TemporaryFile() as file:
        try:
            with transaction.atomic():  # a COPY that is left before its end spoils what it is in
                options = options_in(order.project, order.options)
                export = export_of(order.project, options, now=now)
                blocks = zipped(export, order.file_name) if order.is_zipped else export
                file.writelines(blocks)
        except Refused as refused:
            order.refuse(str(refused))
        else:
            order.store(file, rows=export.rows, now=now)
