"""Practice as leads see it, and the comparison of an answer with its example."""
