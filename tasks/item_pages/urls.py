"""Addresses of the pages of items."""

from django.urls import path

from . import list_views, views

urlpatterns = [
    path("projects/<slug:slug>/items/", list_views.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", views.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/send-back/", views.send_back, name="send_back"),
    path("projects/<slug:slug>/items/<int:pk>/decide/", views.decide_score, name="decide_score"),
    path("projects/<slug:slug>/items/<int:pk>/drop/", views.drop_item, name="drop_item"),
    path("projects/<slug:slug>/models/", views.show_models, name="show_models"),
    path("projects/<slug:slug>/concerns/<int:pk>/", views.decide, name="decide"),
]
