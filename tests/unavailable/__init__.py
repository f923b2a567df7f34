"""Every flow's judge kept from judging, for every cause, and every place that says something of it."""
