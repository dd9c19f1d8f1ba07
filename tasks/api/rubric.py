"""The rubric of a project, as a document."""

from datetime import datetime

from ninja import Router
from pydantic import BaseModel, Field, JsonValue

from rubrics.documents import document

from .authentication import ApiCall

router = Router(tags=["rubric"])


class RubricReport(BaseModel):
    """A published version of a rubric."""

    slug: str
    version: int
    title: str
    published_at: datetime
    digest: str = Field(
        description="the SHA-256 of the document with sorted keys, as in manifests of exports"
    )
    document: dict[str, JsonValue] = Field(
        description="as docs/rubric-format.md says, without what is at its default"
    )


@router.get("/projects/{slug:slug}/rubric", response=RubricReport)
def get_rubric(request: ApiCall, slug: str) -> RubricReport:
    """Return the rubric of a project: its version, its document and the digest of that."""
    rubric = request.auth.project(slug).rubric
    return RubricReport(
        slug=rubric.slug,
        version=rubric.version,
        title=rubric.title,
        published_at=rubric.published_at,
        digest=rubric.digest,
        document=document.dump(rubric.schema),
    )
