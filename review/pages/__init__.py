"""What a page shows, as dataclasses: read here, rendered by templates, asked for by views."""
