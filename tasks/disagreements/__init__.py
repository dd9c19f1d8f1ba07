"""The queue of disagreements, and the page of a case, where it is settled."""
