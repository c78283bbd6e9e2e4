"""Limits that all processes on one database share: each leases a part of them for a few seconds at a time."""
