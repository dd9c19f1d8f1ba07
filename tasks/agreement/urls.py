"""Addresses of the pages of agreement."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path(
        "projects/<slug:slug>/agreement/<slug:table>.csv",
        views.agreement_table,
        name="agreement_table",
    ),
]
