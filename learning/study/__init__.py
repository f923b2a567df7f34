"""The study: what each policy makes of worlds whose faults, cures and reviewers are known."""
