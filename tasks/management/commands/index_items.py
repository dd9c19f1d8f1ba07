"""Make the list of items ready: what it filters and sorts by, and the words of the texts.

A look at the list does the same, half a second at a time. After a large import, or after an update
of the program with a million ratings, this is quicker. It may run while people work, and again.
"""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tasks.models import Project
from tasks.models.item_list import put_in_words, renew_entries


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "project", nargs="?", default="", help="its short name, as in its address; else all"
        )

    def handle(self, *, project: str, **_: object) -> None:
        found = Project.objects.filter(slug=project) if project else Project.objects.all()
        if project and not found:
            raise CommandError(f'There is no project "{project}".')
        for each in found.order_by("slug"):
            while (far := renew_entries(each, now=timezone.now())) is not None:
                self.stderr.write(f"{each.slug}: {far} %")
            while (far := put_in_words(each)) is not None:
                self.stderr.write(f"{each.slug}: {far} %")
            number = each.items.count()
            self.stdout.write(f"{each.slug}: {number} item{'s' * (number != 1)}")
