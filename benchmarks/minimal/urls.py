"""The one address of the minimal application."""

from django.urls import path

from .views import note

urlpatterns = [path("", note)]
