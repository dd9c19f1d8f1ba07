"""Addresses of the pages of uploads."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/new/sheet/", views.from_sheet, name="from_sheet"),
    path("examples/", views.example, name="example"),
    path("uploads/<int:pk>/", views.upload_alone, name="upload_alone"),
    path("uploads/<int:pk>/faults.csv", views.faults),
    path("projects/<slug:slug>/upload/", views.upload, name="upload"),
    path("projects/<slug:slug>/upload/<int:pk>/", views.uploaded, name="uploaded"),
    path("projects/<slug:slug>/upload/<int:pk>/faults.csv", views.faults),
]
