"""URLs of the leads' pages of a project."""

from django.urls import path

from .views import exports, items, people, practice, projects, results, rubrics, starting, uploads

app_name = "tasks"

urlpatterns = [
    path("projects/new/", projects.new_project, name="new_project"),  # no slug is "new"
    path("projects/new/sheet/", uploads.from_sheet, name="from_sheet"),
    path("projects/<slug:slug>/", results.overview, name="project"),
    path("projects/<slug:slug>/days.csv", results.days, name="days"),
    path("projects/<slug:slug>/status/", projects.status, name="status"),
    path("projects/<slug:slug>/rubric/", projects.move_rubric, name="move_rubric"),
    path("projects/<slug:slug>/rubric/offer/", projects.offer_rubric, name="offer_rubric"),
    path("projects/<slug:slug>/rubric/<int:version>/", rubrics.project_rubric, name="rubric"),
    path("projects/<slug:slug>/items/", items.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/send-back/", items.send_back, name="send_back"),
    path("projects/<slug:slug>/items/<int:pk>/drop/", items.drop_item, name="drop_item"),
    path("projects/<slug:slug>/models/", items.show_models, name="show_models"),
    path("examples/", uploads.example, name="example"),
    path("uploads/<int:pk>/", uploads.upload_alone, name="upload_alone"),
    path("uploads/<int:pk>/faults.csv", uploads.faults),
    path("projects/<slug:slug>/upload/", uploads.upload, name="upload"),
    path("projects/<slug:slug>/upload/<int:pk>/", uploads.uploaded, name="uploaded"),
    path("projects/<slug:slug>/upload/<int:pk>/faults.csv", uploads.faults),
    path("projects/<slug:slug>/batches/<int:pk>/", projects.batch, name="batch"),
    path("projects/<slug:slug>/people/", people.people, name="people"),
    path("projects/<slug:slug>/members/", people.add_member, name="add_member"),
    path("projects/<slug:slug>/members/<int:user>/", people.change_member, name="change_member"),
    path("projects/<slug:slug>/hours.csv", people.hours, name="hours"),
    path("projects/<slug:slug>/invitations/", people.invite, name="invite"),
    path("projects/<slug:slug>/invitations/link/", people.offer_link, name="offer_link"),
    path("projects/<slug:slug>/invitations/list/", people.invite_many, name="invite_many"),
    path("projects/<slug:slug>/invitations/<int:pk>/send/", people.send, name="send_again"),
    path(
        "projects/<slug:slug>/invitations/<int:pk>/withdraw/",
        people.withdraw,
        name="withdraw",
    ),
    path("projects/<slug:slug>/agreement/", results.agreement, name="agreement"),
    path(
        "projects/<slug:slug>/agreement/<slug:table>.csv",
        results.agreement_table,
        name="agreement_table",
    ),
    path("projects/<slug:slug>/concerns/<int:pk>/", items.decide, name="decide"),
    path("projects/<slug:slug>/export/", results.export, name="export"),
    path("projects/<slug:slug>/export/files/", exports.order_export, name="order_export"),
    path(
        "projects/<slug:slug>/export/files/<int:pk>/", exports.stored_export, name="stored_export"
    ),
    path(
        "projects/<slug:slug>/export/files/<int:pk>/file/",
        exports.stored_file,
        name="stored_file",
    ),
    path("projects/<slug:slug>/ratings.csv", results.ratings, name="ratings"),
    path("projects/<slug:slug>/raters/<int:pk>/", people.point_rater, name="point_rater"),
    path(
        "projects/<slug:slug>/raters/files/<int:pk>/",
        people.take_back_ratings,
        name="take_back_ratings",
    ),
    path("projects/<slug:slug>/people/practice/", practice.practice, name="practice"),
    path("projects/<slug:slug>/people/practice/<int:user>/", practice.let_in, name="let_in"),
    path(
        "projects/<slug:slug>/people/practice/rounds/<int:pk>/",
        practice.practice_round,
        name="practice_round",
    ),
    path("projects/<slug:slug>/settings/", projects.settings, name="settings"),
    path("projects/<slug:slug>/delete/", projects.delete_project, name="delete_project"),
    path("projects/<slug:slug>/duplicate/", projects.duplicate, name="duplicate"),
    path("rubrics/", starting.rubrics, name="rubrics"),
    path("rubrics/new/", starting.start_rubric, name="start_rubric"),
    path("rubric-drafts/<int:pk>/", rubrics.draft, name="draft"),
    path("rubric-drafts/<int:pk>/parts/<str:part>/", rubrics.draft_part, name="draft_part"),
    path("rubric-drafts/<int:pk>/dimensions/", rubrics.add_dimension, name="add_dimension"),
    path("rubric-drafts/<int:pk>/publish/", rubrics.publish_draft, name="publish_draft"),
    path("rubric-drafts/<int:pk>/scores/", rubrics.draft_scores, name="draft_scores"),
    path(
        "rubric-drafts/<int:pk>/scores.csv",
        rubrics.draft_scores,
        {"as_csv": True},
        name="draft_scores_csv",
    ),
    path("rubrics/<slug:slug>/<int:version>/scores/", rubrics.scores, name="scores"),
    path(
        "rubrics/<slug:slug>/<int:version>/scores.csv",
        rubrics.scores,
        {"as_csv": True},
        name="scores_csv",
    ),
    path("rubric-drafts/<int:pk>/changes/", rubrics.draft_changes, name="draft_changes"),
    path("rubric-drafts/<int:pk>/delete/", starting.delete_draft, name="delete_draft"),
    path("rubric-drafts/<int:pk>/document/", starting.draft_document, name="draft_document"),
    path(
        "rubric-drafts/<int:pk>/document.yaml",
        starting.draft_document_file,
        name="draft_document_file",
    ),
    # The address of a version that is not published: `RubricDraft.as_rubric`.
    path("rubrics/draft-<int:pk>/0/", rubrics.draft_page, name="draft_page"),
    path(
        "rubrics/draft-<int:pk>/0/beside/<str:digest>/", rubrics.draft_beside, name="draft_beside"
    ),
    # In place of the page without what leads added; its name stays `rubrics:rubric`.
    path("rubrics/<slug:slug>/<int:version>/", rubrics.published),
]
