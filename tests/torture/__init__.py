"""The torture of the queue and the drafts: many annotators over HTTP, everything that goes wrong,
and then the promises held against what each annotator wrote down.

    python -m tests.torture [--small] [--kill-web] [--kill-database] [--broken recheck|…]

`__main__` runs it in a folder and on a database server of its own. `crowd` is a process of
annotators (`annotator`, with `drafting` and `person` as parts), who speak HTTP (`wire`), know
neither Django nor the database, and write journals. `chaos` kills servers and moves the clock.
`lead` uploads batches and takes them back. `promises` and `batches` compare journals and database,
by SQL of their own. `broken` is the queue, the drafts, the limits and the removal broken on
purpose.
"""
