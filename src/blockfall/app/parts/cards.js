// Cards: hover over, focus or tap anything with data-card="KIND/NAME", and a card explains it.
(() => {
  const WAIT_MS = 250;
  const known = new Map();
  let card = null, owner = null, timer = 0;

  const of = (target) => (target instanceof Element ? target.closest("[data-card]") : null);

  async function text(name) {
    if (!known.has(name)) {
      const answer = await fetch("/cards/" + name.split("/").map(encodeURIComponent).join("/"));
      known.set(name, answer.ok ? await answer.text() : "");
    }
    return known.get(name);
  }

  async function show(element) {
    const html = await text(element.dataset.card);
    if (owner !== element || !element.isConnected || !html) return;
    if (!card) {
      card = document.createElement("div");
      card.id = "bf-card";
      card.className = "bf-pop";
      card.setAttribute("role", "tooltip");
      document.body.append(card);
    }
    card.innerHTML = html;
    card.hidden = false;
    put();
    element.setAttribute("aria-describedby", "bf-card");
  }

  function put() {
    const [left, top] = place(owner.getBoundingClientRect(), card.getBoundingClientRect(), owner.closest(".q-menu"));
    card.style.left = `${left}px`;
    card.style.top = `${top}px`;
  }

  // An opening menu scrolls to its chosen entry: the card follows its owner until that is out of sight.
  function follow() {
    if (!card || card.hidden) return;
    const { top, bottom } = owner.getBoundingClientRect();
    const seen = owner.closest(".q-menu")?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    if (bottom <= seen.top || top >= seen.bottom) hide();
    else put();
  }

  // Beside an open menu if there is room, so that its other entries stay visible; else below or above.
  function place(box, size, menu) {
    const lowest = innerHeight - size.height - 8;
    if (menu) {
      const { left, right } = menu.getBoundingClientRect();
      if (right + 8 + size.width <= innerWidth) return [right + 8, Math.min(box.top, lowest)];
      if (left - 8 - size.width >= 0) return [left - 8 - size.width, Math.min(box.top, lowest)];
    }
    const below = box.bottom + 8 + size.height < innerHeight || box.top < size.height + 8;
    const left = Math.min(Math.max(8, box.left), innerWidth - size.width - 8);
    return [left, below ? Math.min(box.bottom + 8, lowest) : box.top - size.height - 8];
  }

  function hide() {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    if (card) card.hidden = true;
  }

  function want(element, wait) {
    if (element === owner) return;
    hide();
    owner = element;
    timer = setTimeout(() => show(element), wait);
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const element = of(event.target);
    if (element) want(element, WAIT_MS);
    else if (owner) hide();
  });
  document.addEventListener("focusin", (event) => {
    const element = of(event.target);
    if (element && element.matches(":focus-visible")) want(element, 0);
  });
  document.addEventListener("focusout", (event) => of(event.target) === owner && hide());
  document.addEventListener("click", (event) => {
    const element = of(event.target);
    if (!element) hide();
    else if (element !== owner || !card || card.hidden) want(element, 0);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", follow, true);
})();
