"""The editor of a rubric's draft: each form of a part, from the document and back into it.

A part is `about`, `checks` (of the whole response), `DIMENSION`, `DIMENSION.checks`,
`DIMENSION.rules` or `DIMENSION.examples`. A form sends texts alone, under names with dots
("2.when.1.how"). They go into the document as they were entered, and `documents.document` says what
is wrong with them. The entries that a form has no field for stand in it as a small document, under
"More". So nothing that a document has is lost.
"""
