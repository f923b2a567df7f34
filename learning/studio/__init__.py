"""The prompt studio: pages inside administration where an effect is seen before anyone is hit by it."""
