# Generated from _async/__init__.py by scripts/generate-clients; not to be edited.
"""The client, one way of waiting: `_sync` is generated from `_sync`."""
