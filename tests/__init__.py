"""Sentences of the specification, one file per behaviour."""
