"""Pages on which a lead writes a rubric."""
