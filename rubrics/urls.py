"""Addresses of rubrics, as everyone who has logged in may read them."""

from django.urls import path

from . import views

app_name = "rubrics"

urlpatterns = [path("rubrics/<slug:slug>/<int:version>/", views.rubric, name="rubric")]
