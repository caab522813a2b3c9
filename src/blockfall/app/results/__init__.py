"""The page Results: the list of runs, one run, compared runs, studies and tournaments."""
