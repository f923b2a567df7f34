"""The prompt studio: pages inside administration that show what a change does before anyone is hit by it."""
