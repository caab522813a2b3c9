// Keeps the page and its address together (address.py). It is loaded in the head, to catch Back and Forward even
// before the page has reached its server.
window.bfAddress = {
  shown: location.search, // what the page was built from or has written since
  write(how, query) {
    const left = location.search !== this.shown; // by Back or Forward: the page is about to be built again
    if (left || query === this.shown) return;
    history[how](history.state, "", location.pathname + query + location.hash);
    this.shown = location.search;
  },
};

window.addEventListener("popstate", () => {
  // a jump within the page changes no query
  if (location.search !== window.bfAddress.shown) location.reload();
});
