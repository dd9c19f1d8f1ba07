"""Documents of rubrics: read, checked line by line, and proved."""
