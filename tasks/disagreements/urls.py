"""Addresses of the disagreements."""

from django.urls import path

from . import views

PROJECT = "projects/<slug:slug>/disagreements/"

urlpatterns = [
    path(PROJECT, views.disagreements, name="disagreements"),
    path(f"{PROJECT}<str:token>/", views.case, name="case"),
]
