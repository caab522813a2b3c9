"""The course's websocket server, and the client that plays on one (aveiro2020)."""
