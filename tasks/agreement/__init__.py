"""How well annotators agree.

Some modules know Django: `study` reads scores as arrays, `making` makes JSON of what `report` finds
in them, `results` stores it, `drawing` and `tables` show it, and `own` has an annotator's own
agreement. All others are pure. Only `making`, and what it imports, needs numpy: a web worker loads
it with the first result that it makes.

A sample (`samples`) holds each distinct pattern of ratings once, with the number of units that have
it. A coefficient (`coefficients`) is a function of a sample and of draws: R × P numbers that say
how often each of P patterns is in each of R resamples. It returns R values. The sample's own
numbers are one such draw, so the value and its interval come from the same code. `figures` puts
both together, or says why there is no figure. `means` has the mean scores of models, from resamples
of items.
"""
