"""URLs of the leads' pages of a project."""

from django.urls import path

from .views import agreement, projects as views, settings as running

app_name = "tasks"

urlpatterns = [
    path("projects/new/", views.new_project, name="new_project"),  # before the slugs: none is "new"
    path("projects/<slug:slug>/", views.project, name="project"),
    path("projects/<slug:slug>/settings/", running.settings, name="settings"),
    path("projects/<slug:slug>/batches/<int:pk>/", running.batch, name="batch"),
    path("projects/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path(
        "projects/<slug:slug>/agreement/<slug:table>.csv",
        agreement.agreement_table,
        name="agreement_table",
    ),
    path("projects/<slug:slug>/concerns/", running.concerns, name="concerns"),
    path("projects/<slug:slug>/concerns/<int:pk>/", running.decide, name="decide"),
    path("projects/<slug:slug>/upload/", views.upload, name="upload"),
    path("projects/<slug:slug>/bad-rows/<int:pk>/", views.bad_rows, name="bad_rows"),
    path("projects/<slug:slug>/ratings.csv", views.ratings, name="ratings"),
    path("projects/<slug:slug>/members/", views.add_member, name="add_member"),
]
