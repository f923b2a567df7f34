"""The question flow: a clinical multiple-choice question for a learning objective."""
