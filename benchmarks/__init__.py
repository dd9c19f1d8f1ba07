"""How fast Evenhand is, as ratios to floors measured in the same run: `make bench`. docs/bench.md
says how to read it."""
