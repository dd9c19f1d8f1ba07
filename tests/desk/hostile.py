"""A text that would take over the page if it were taken for markup."""

from __future__ import annotations

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> ![hen](https://remote.example/hen.png)\n\n"
    '<div data-hx-swap-oob="innerHTML:#announcer" data-said="r2" id="rating" class="level"'
    ' style="x">me</div>'
    "\n\n[go](javascript:alert(1)) <ins>not</ins> <del>real</del> </div></form>"
    "<base href='//remote.example'>"
)
