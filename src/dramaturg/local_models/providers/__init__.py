"""The services from which models for this machine are got."""
