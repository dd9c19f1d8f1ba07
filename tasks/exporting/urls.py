"""Addresses of the pages of exports."""

from django.urls import path

from . import order_views, views

urlpatterns = [
    path("projects/<slug:slug>/export/", views.export, name="export"),
    path("projects/<slug:slug>/export/files/", order_views.order_export, name="order_export"),
    path(
        "projects/<slug:slug>/export/files/<int:pk>/",
        order_views.stored_export,
        name="stored_export",
    ),
    path(
        "projects/<slug:slug>/export/files/<int:pk>/file/",
        order_views.stored_file,
        name="stored_file",
    ),
    path("projects/<slug:slug>/ratings.csv", views.ratings, name="ratings"),
]
