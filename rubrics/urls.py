"""URLs of the rubric pages, which every logged-in user may read."""

from django.urls import path

from . import views

app_name = "rubrics"

urlpatterns = [
    path("rubrics/<slug:slug>/<int:version>/", views.rubric, name="rubric"),
    path("rubrics/<slug:slug>/<int:version>/beside/<str:digest>/", views.beside, name="beside"),
    path(
        "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/practice/",
        views.beside,
        {"with_examples": False},
        name="beside_practice",
    ),
    path(
        "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/<str:consequences>/",
        views.beside,
        name="beside_due",
    ),
]
