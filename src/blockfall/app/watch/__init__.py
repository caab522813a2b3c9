"""The page Watch: agents at work."""
