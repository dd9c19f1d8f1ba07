"""The storm at the desk: a person at two real browsers does all that one can do there, at random,
while the network, the server, the log-in and the lease go; and then what they were told is held
against the tables.

    python -m tests.storm [--seconds 300] [--seed N] [--rubric response-quality|dialogue] [--broken
    NAME]

`run` chooses what is done next, by a seed, and writes the trail. `device` is a browser, `acts` what
is done in it. `network` lies between browser and server, breaks, and writes down what passed.
`checks` holds the screen and the wire against the tables. `around` is the rest of the world: clock,
log-ins, someone else. `broken` is the program broken on purpose. `__main__` has a database and a
server of its own; tests/queue/test_storm.py runs it for some seconds in those of the tests.
"""
