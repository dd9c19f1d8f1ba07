"""URLs of the rubric pages, which every logged-in user may read."""

from django.urls import path

from . import views

app_name = "rubrics"

urlpatterns = [
    path("rubrics/<slug:slug>/<int:version>/", views.rubric, name="rubric"),
    path(
        "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/", views.rubric_text, name="beside"
    ),
    path(
        "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/practice/",
        views.rubric_text,
        {"with_examples": False},
        name="beside_practice",
    ),
    path(
        "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/<str:consequences>/",
        views.rubric_text,
        name="beside_due",
    ),
]
