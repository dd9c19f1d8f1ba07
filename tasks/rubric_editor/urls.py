"""Addresses of the pages of drafts of rubrics."""

from django.urls import path

from . import document_views, part_views, views

urlpatterns = [
    path("projects/<slug:slug>/rubric/<int:version>/", views.project_rubric, name="rubric"),
    path("rubrics/", document_views.rubrics, name="rubrics"),
    path("rubrics/new/", document_views.start_rubric, name="start_rubric"),
    path("rubric-drafts/<int:pk>/", part_views.first_part, name="draft"),
    path("rubric-drafts/<int:pk>/parts/<str:part>/", part_views.draft_part, name="draft_part"),
    path("rubric-drafts/<int:pk>/dimensions/", part_views.add_dimension, name="add_dimension"),
    path("rubric-drafts/<int:pk>/publish/", views.publish_draft, name="publish_draft"),
    path("rubric-drafts/<int:pk>/scores/", views.draft_scores, name="draft_scores"),
    path("rubrics/<slug:slug>/<int:version>/scores/", views.scores, name="scores"),
    path("rubric-drafts/<int:pk>/changes/", views.draft_changes, name="draft_changes"),
    path("rubric-drafts/<int:pk>/delete/", document_views.delete_draft, name="delete_draft"),
    path("rubric-drafts/<int:pk>/document/", document_views.draft_document, name="draft_document"),
    path(
        "rubric-drafts/<int:pk>/document.yaml",
        document_views.draft_document_file,
        name="draft_document_file",
    ),
    # The address of a version that is not published: `UnpublishedVersion`.
    path("rubrics/draft-<int:pk>/0/", views.draft_page, name="draft_page"),
    path(
        "rubrics/draft-<int:pk>/0/beside/<str:digest>/",
        views.draft_rubric_text,
        name="draft_beside",
    ),
    # In place of the page without what leads added; its name stays `rubrics:rubric`.
    path("rubrics/<slug:slug>/<int:version>/", views.published),
]
