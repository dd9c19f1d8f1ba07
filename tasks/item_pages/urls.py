"""Addresses of the pages of items."""

from django.urls import path

from . import list_views, views

urlpatterns = [
    path("projects/<slug:slug>/items/", list_views.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", views.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/panel/", views.item_panel, name="item_panel"),
    path("projects/<slug:slug>/items/<int:pk>/drop/", views.drop_item, name="drop_item"),
    path("projects/<slug:slug>/models/", views.show_models, name="show_models"),
]
