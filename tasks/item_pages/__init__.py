"""Items as their leads read them: the list, and all ratings of one side by side."""
