"""Headers of every response, whoever makes it: a page, a static file, or the server itself."""

from config.lab_provider import sign_in_origins


def content_security_policy(form_targets: list[str]) -> str:
    """Return the policy of all pages, whose forms may lead to these origins too."""
    targets = " ".join(("'self'", *form_targets))
    return (
        "default-src 'self'; object-src 'none'; base-uri 'none'; "
        f"frame-ancestors 'none'; form-action {targets}"
    )


# One constant policy for all pages is easy to read, test and trust. It allows nothing inline and
# nothing from other origins; only the form that signs in by the lab's provider leads there.
CONTENT_SECURITY_POLICY = content_security_policy(sign_in_origins())
# Headers of every response that does not set them itself.
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    # Browser features that none of our pages uses.
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
    # A page belongs to one user at one moment. The back button must show its current state, and
    # nothing after the log-out. A static file sets its own Cache-Control.
    "Cache-Control": "no-store",
    # Django sets these on most responses, but not on static files and on what is refused at once.
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
