"""URLs of the leads' pages, a room each. No project has the slug \"new\"."""

from django.urls import include, path

app_name = "tasks"

urlpatterns = [
    path("", include("tasks.new_projects.urls")),
    path("", include("tasks.overview.urls")),
    path("", include("tasks.settings.urls")),
    path("", include("tasks.erasing.urls")),
    path("", include("tasks.item_pages.urls")),
    path("", include("tasks.disagreements.ask_urls")),
    path("", include("tasks.importing.urls")),
    path("", include("tasks.people.urls")),
    path("", include("tasks.practice.urls")),
    path("", include("tasks.disagreements.urls")),
    path("", include("tasks.agreement.urls")),
    path("", include("tasks.exporting.urls")),
    path("", include("tasks.api_tokens.urls")),
    path("", include("tasks.api.urls")),
    path("", include("tasks.api_pages.urls")),
    path("", include("tasks.rubric_editor.urls")),
]
