"""The API at /api/v1/: what the leads' pages show and take, for programs.

Each resource has a module with its operations. They use the forms, querysets and verbs of the
pages.
"""
