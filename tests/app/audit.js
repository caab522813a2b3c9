// What would keep somebody from using the page: controls without names, small targets, faint text.
(leastContrast) => {
  const seen = (element) => {
    const look = getComputedStyle(element), box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && look.visibility === "visible" && +look.opacity > 0.05
      && !element.closest("[aria-hidden=true], .hidden, .nicegui-error-popup");
  };
  const said = (element) => (element.outerHTML.match(/^<[^>]*>/) ?? [""])[0].slice(0, 160) + " " + element.textContent.slice(0, 40);
  // What a screen reader says of an element's text: nothing that is hidden, and no signs of an icon font.
  const spoken = (element) => {
    let text = "";
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent.closest("[aria-hidden=true], .q-icon") && parent.checkVisibility({ visibilityProperty: true })) text += node.textContent;
    }
    return text;
  };
  const named = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
    const texts = [element.getAttribute("aria-label"), ...by, element.getAttribute("title"), element.alt];
    const own = element.matches("input, textarea, select") ? [...(element.labels ?? [])].map((l) => l.textContent) : [spoken(element)];
    return [...texts, ...own].some((text) => text && text.trim());
  };
  const controls = [...document.querySelectorAll(
    "button, a[href], input:not([type=hidden]), textarea, select, canvas[tabindex='0'], [role=button], [role=switch], "
      + "[role=slider], [role=tab], [role=checkbox], [role=option]",
  )].filter(seen);
  const unnamed = [...controls, ...[...document.querySelectorAll("img, [role=img]")].filter(seen)]
    .filter((element) => !named(element)).map(said);
  const small = controls.filter((element) => {
    if (element.closest(".nicegui-skip-link, [class*=skip]")) return false;  // seen only when the keyboard reaches it
    const whole = element.matches("[role=button]") ? null : element.closest("label, .q-toggle, .q-slider, .q-field, .q-checkbox");
    const box = (whole ?? element).getBoundingClientRect();
    return box.width < 23.5 || box.height < 23.5;
  }).map(said);

  const channels = (colour) => {
    const found = colour.match(/[\d.]+/g).map(Number);
    return colour.startsWith("color(srgb") ? [...found.slice(0, 3).map((v) => 255 * v), found[3] ?? 1] : [...found.slice(0, 3), found[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((value, at) => value * top[3] + below[at] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found[3] > 0) layers.push(found);
      if (found[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  // How much of an element its own opacity and that of what it stands in lets through.
  const opacity = (element) => {
    let product = 1;
    for (let at = element; at; at = at.parentElement) product *= +getComputedStyle(at).opacity;
    return product;
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element || !seen(element)) continue;
    if (element.closest("svg, canvas, script, style, [disabled], .disabled, .q-field--disabled, [aria-disabled=true]")) continue;
    const look = getComputedStyle(element), size = parseFloat(look.fontSize);
    const icon = element.matches(".q-icon, .material-icons");
    const large = icon || size >= 24 || (size >= 18.66 && +look.fontWeight >= 700);
    const back = behind(element), [red, green, blue, alpha] = channels(look.color);
    const front = over([red, green, blue, alpha * opacity(element)], back);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : leastContrast)) faint.push(`${ratio.toFixed(2)} ${look.color} on ${back.map(Math.round)}: ${said(element)}`);
  }
  return { unnamed, small, faint: [...new Set(faint)] };
}
