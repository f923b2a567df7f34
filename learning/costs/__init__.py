"""What records cost: tokens, money and time per accepted record, what guidance adds, what caching saves."""
