"""How well annotators agree.

Four modules know Django: `rows` reads scores as arrays, `results` stores what `report` finds in
them, `words` and `drawing` show it. All others are pure, and import numpy alone.

A sample (`samples`) holds each distinct pattern of ratings once, with the number of units that have
it. A coefficient (`overall`, `pairs`, `icc`) is a function of a sample and of draws: R × P numbers
that say how often each of P patterns is in each of R resamples. It returns R values. The sample's
own numbers are one such draw, so the value and its interval come from the same code. `figures` puts
both together, or says why there is no figure.
"""
