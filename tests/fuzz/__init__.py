"""Everything that reads other people's input, fed with input that nobody would write."""
