"""Ways to open a project."""
