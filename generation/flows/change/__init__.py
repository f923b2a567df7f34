"""The change flow: an agent's change to a repository, for one work item."""
