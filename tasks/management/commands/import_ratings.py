"""Load a file of ratings, with its items if it has them: the same as import_batch."""

from .import_batch import Command

__all__ = ["Command"]
