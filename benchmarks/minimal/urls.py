"""The URLs of the minimal application."""

from django.urls import path

from .views import note, page, tick

urlpatterns = [path("", note), path("page/", page), path("page/tick/", tick)]
