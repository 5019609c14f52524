"""The add-ons that ship: a folder for each capability that the core does without."""
