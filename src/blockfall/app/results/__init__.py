"""What the page Results shows: the list of runs, one run, runs compared, and the studies."""
