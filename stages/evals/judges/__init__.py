"""Judge models: how they are asked, how what they say is read, and where their replies are kept."""
