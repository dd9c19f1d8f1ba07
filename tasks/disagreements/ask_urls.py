"""The address that asks about a case."""

from django.urls import path

from . import asking_views

urlpatterns = [
    path(
        "projects/<slug:slug>/disagreements/<str:token>/ask/",
        asking_views.ask_case,
        name="ask_case",
    ),
]
