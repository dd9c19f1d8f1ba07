"""Words and tables for the pages of a rubric."""
