"""The sandbox as an HTTP service: for many trainers, other trainers' clients, and MCP."""
