"""Addresses of what people get of the API."""

from django.urls import path

from . import views

urlpatterns = [
    path("api/", views.reference, name="api_reference"),
    path("api/client.py", views.client, name="api_client"),
]
