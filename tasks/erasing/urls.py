"""Addresses of what cannot be taken back."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/erase/", views.erase, name="erase_project"),
    path("projects/<slug:slug>/items/<int:pk>/redact/", views.redact_item, name="redact_item"),
]
