"""Addresses of the pages of practice."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/people/practice/", views.practice, name="practice"),
    path("projects/<slug:slug>/people/practice/<int:user>/", views.let_in, name="let_in"),
    path(
        "projects/<slug:slug>/people/practice/rounds/<int:pk>/",
        views.practice_round,
        name="practice_round",
    ),
]
