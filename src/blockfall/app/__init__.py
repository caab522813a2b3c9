"""The web app: play, watch, analyse, train and compare in the browser.

`serving` starts it, `gate` controls access to it, and `frame` surrounds every page. Each page has its own folder:
`page` lays it out, and the other modules compute what it shows, most of them without a browser. `parts/` holds what
pages share, above all the board, a canvas that all of them draw on.
"""
