"""Addresses of the page of tokens."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/tokens/", views.tokens, name="tokens"),
    path("projects/<slug:slug>/tokens/make/", views.make_token, name="make_token"),
    path("projects/<slug:slug>/tokens/<int:pk>/renew/", views.renew_token, name="renew_token"),
    path(
        "projects/<slug:slug>/tokens/<int:pk>/withdraw/",
        views.withdraw_token,
        name="withdraw_token",
    ),
    path("projects/<slug:slug>/tokens/<int:pk>/remove/", views.remove_token, name="remove_token"),
]
