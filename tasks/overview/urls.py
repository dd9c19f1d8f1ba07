"""Addresses of the pages of the overview."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/", views.overview, name="project"),
    path("projects/<slug:slug>/days.csv", views.days, name="days"),
]
