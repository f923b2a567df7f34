"""Addresses of the prompt studio, inside the administration's frame. One block per part."""

from django.urls import URLPattern, path

from learning.studio.proposals import views as proposals

app_name = "studio"

# Preview
urlpatterns: list[URLPattern] = []

# Proposals
urlpatterns += [
    path("proposals/", proposals.proposals, name="proposals"),
    path("proposals/<int:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<int:proposal_id>/change/", proposals.proposal_change, name="proposal_change"),
    path("proposals/<int:proposal_id>/accept/", proposals.accept, name="proposal_accept"),
    path("proposals/<int:proposal_id>/decline/", proposals.decline, name="proposal_decline"),
]
