"""The addresses of generation's pages."""

from django.urls import path

from generation import views

urlpatterns = [
    path("batches/<uuid:batch_id>/", views.batch, name="batch"),
]
