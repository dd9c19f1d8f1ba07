"""Delete a project with all that is in it: items, ratings, decisions, files.

It asks for the project's title first. It is the page “Delete the project”, for projects that are
too large for a page.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks.erasing.project_rows import erase_project
from tasks.models import Project


class Command(BaseCommand):
    help = "Delete a project with all that is in it"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="its short name")
        parser.add_argument("--title", metavar="TITLE", help="its title, in place of the question")

    def handle(self, *_arguments: Any, project: str, title: str | None, **_options: Any) -> None:
        """Delete it, and print the number of rows of each table."""
        chosen = Project.objects.filter(slug=project).first()
        if chosen is None:
            raise CommandError(f'There is no project "{project}".')
        typed = input(f"Type the title of {project} to delete it: ") if title is None else title
        if typed.strip() != chosen.title.strip():
            raise CommandError(f"Nothing is deleted: its title is “{chosen.title}”.")
        for table, number in erase_project(chosen).items():
            self.stdout.write(f"{number:>9,} {table}")
