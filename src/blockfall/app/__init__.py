"""The web app: play, watch, analyse, train and compare in the browser.

`serving` starts it, `guard` decides who may speak with it, `frame` is what every page has around it, `board` the canvas
that all of them draw on; `pages/` holds one module per page. What a page shows is computed in modules beside them that
know nothing of browsers.
"""
