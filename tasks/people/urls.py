"""Addresses of the pages of people."""

from django.urls import path

from . import views

urlpatterns = [
    path("projects/<slug:slug>/people/", views.people, name="people"),
    path("projects/<slug:slug>/members/", views.add_member, name="add_member"),
    path("projects/<slug:slug>/members/<int:user>/", views.change_member, name="change_member"),
    path("projects/<slug:slug>/hours.csv", views.hours, name="hours"),
    path("projects/<slug:slug>/invitations/", views.invite, name="invite"),
    path("projects/<slug:slug>/invitations/link/", views.offer_link, name="offer_link"),
    path("projects/<slug:slug>/invitations/list/", views.invite_many, name="invite_many"),
    path("projects/<slug:slug>/invitations/<int:pk>/send/", views.send, name="send_again"),
    path(
        "projects/<slug:slug>/invitations/<int:pk>/withdraw/",
        views.withdraw,
        name="withdraw",
    ),
    path("projects/<slug:slug>/raters/<int:pk>/", views.point_rater, name="point_rater"),
    path(
        "projects/<slug:slug>/raters/files/<int:pk>/",
        views.take_back_ratings,
        name="take_back_ratings",
    ),
]
