"""The overview of a project: how far, how fast, when done, and what needs its lead."""
