"""The web app: play, watch, analyse, train and compare in the browser.

`serving` starts it, `gate` decides who may speak with it, `frame` is what every page has around it. Each page has a
room of its own, whose `page` lays it out; what it shows is computed in modules beside that know nothing of browsers.
`parts/` holds what pages share: first of all the board, a canvas that all of them draw on.
"""
