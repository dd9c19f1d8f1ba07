"""Measure how fast Evenhand is, relative to floors measured in the same run: `make bench`.

See docs/bench.md on how to read the figures.
"""
