"""What the REST routers of all apps share: problem details and paging by key."""
