"""Addresses of the pages of new projects."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/new/", views.new_project, name="new_project"),  # no slug is "new"
]
