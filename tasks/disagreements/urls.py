"""Addresses of the disagreements."""

from django.urls import path

from . import median_urls, views

PROJECT = "projects/<slug:slug>/disagreements/"

urlpatterns = [
    *median_urls.urlpatterns,  # first: a token may be any text
    path(PROJECT, views.disagreements, name="disagreements"),
    path(f"{PROJECT}<str:token>/", views.case, name="case"),
]
