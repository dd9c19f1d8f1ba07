"""Addresses of what settles many cases at once, and of the table by clause."""

from django.urls import path

from . import clause_views, median_views

ROOM = "projects/<slug:slug>/disagreements/"

urlpatterns = [
    path(f"{ROOM}medians/", median_views.settle_by_median, name="settle_by_median"),
    path(
        f"{ROOM}medians/<uuid:bulk>/take-back/",
        median_views.take_medians_back,
        name="take_medians_back",
    ),
    path(f"{ROOM}by-clause/", clause_views.cases_by_clause, name="cases_by_clause"),
]
