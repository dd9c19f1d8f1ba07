"""The rules of a rubric and its parts: pure values, and what follows from answers."""
