"""Makes records: runs, flows, stages, judges and the providers that answer."""
