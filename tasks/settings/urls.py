"""Addresses of the pages of a project's settings."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/status/", views.status, name="status"),
    path("projects/<slug:slug>/rubric/", views.move_rubric, name="move_rubric"),
    path("projects/<slug:slug>/rubric/offer/", views.offer_rubric, name="offer_rubric"),
    path("projects/<slug:slug>/batches/<int:pk>/", views.batch, name="batch"),
    path("projects/<slug:slug>/settings/", views.settings, name="settings"),
    path("projects/<slug:slug>/delete/", views.delete_project, name="delete_project"),
    path("projects/<slug:slug>/duplicate/", views.duplicate, name="duplicate"),
]
