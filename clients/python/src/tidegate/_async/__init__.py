"""The client, one way of waiting: `_sync` is generated from `_async`."""
