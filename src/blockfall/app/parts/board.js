// The board on a canvas. Python sends pictures (see board.py); the last one sent is drawn in the next frame. Cells are
// whole device pixels, so that blocks stay crisp at any size and zoom.
const SYMBOLS = { 1: "●", 2: "■", 3: "▲", 4: "◆", 5: "★", 6: "✚", 7: "▼", 8: "○", 9: "□", 0: "✕" };
const FLASH_MS = 240;
const SOUNDS = { lock: [160, 0.05], clear: [520, 0.16], over: [110, 0.5] }; // hertz, seconds
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function shade(colour, amount) {
  const channel = (at) => {
    const value = parseInt(colour.slice(at, at + 2), 16);
    return Math.round(amount < 0 ? value * (1 + amount) : value + (255 - value) * amount);
  };
  return `rgb(${channel(1)},${channel(3)},${channel(5)})`;
}

export default {
  template: `
    <div class="bf-board" :style="{ '--ratio': columns / rows }">
      <canvas ref="canvas" role="img" :aria-label="label" :tabindex="reachable ? 0 : -1"
        @pointerdown="press" @pointermove="point" @pointerup="release" @pointerleave="leave"
        @keydown="key" @contextmenu="turn" @focus="redraw" @blur="leave"></canvas>
    </div>`,
  props: {
    columns: Number,
    rows: Number,
    label: String,
    palette: Object,
    reachable: Boolean,
    animated: { type: Boolean, default: true },
    sounds: { type: Boolean, default: false },
    symbols: { type: Boolean, default: false },
    skyline: { type: Number, default: 32 }, // rows from here up are outside the board; pieces appear there
  },
  mounted() {
    this.picture = { rows: [] };
    this.frames = 0;
    this.$el.board = this; // for tests, which cannot read a canvas
    this.resizes = new ResizeObserver(() => this.fit());
    this.resizes.observe(this.$el);
    this.shades = new MutationObserver(() => this.redraw());
    this.shades.observe(document.body, { attributeFilter: ["class"] });
    this.fit();
    this.$emit("ready");
  },
  unmounted() {
    this.resizes.disconnect();
    this.shades.disconnect();
  },
  watch: {
    columns() { this.fit(); },
    rows() { this.fit(); },
    symbols() { this.redraw(); },
  },
  methods: {
    show(picture) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (this.animated && !still && picture.cleared?.length) this.flash = { rows: picture.cleared, since: performance.now() };
      if (this.sounds && picture.sound) this.beep(picture.sound);
      this.picture = picture;
      this.redraw();
    },
    fit() {
      const canvas = this.$refs.canvas;
      if (!canvas) return;
      const ratio = window.devicePixelRatio || 1;
      const wide = this.$el.clientWidth * ratio, high = this.$el.clientHeight * ratio;
      this.side = Math.max(2, Math.floor(Math.min(wide / this.columns, high / this.rows)));
      canvas.width = this.side * this.columns;
      canvas.height = this.side * this.rows;
      canvas.style.width = `${canvas.width / ratio}px`;
      canvas.style.height = `${canvas.height / ratio}px`;
      this.redraw();
    },
    redraw() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.paint(); });
    },
    paint() {
      const canvas = this.$refs.canvas;
      if (!canvas) return;
      const pen = canvas.getContext("2d");
      const look = getComputedStyle(this.$el);
      this.paintEmpty(pen, look);
      this.paintHeat(pen);
      const { rows, falling = [], ghost = [], lit = [], mark = "#" } = this.picture;
      rows.forEach((row, at) => {
        for (let x = 0; x < row.length; ++x)
          if (row[x] !== ".") this.paintCell(pen, x, rows.length - 1 - at, this.colour(row[x], look), row[x]);
      });
      for (const [x, y] of ghost) this.paintGhost(pen, x, y, this.colour(mark, look));
      for (const [x, y] of falling) this.paintCell(pen, x, y, this.colour(mark, look), mark);
      this.paintLit(pen, lit);
      this.paintCursor(pen, look);
      this.paintFlash(pen);
      ++this.frames;
    },
    colour(mark, look) {
      return this.palette[mark] ?? look.getPropertyValue("--bf-settled").trim();
    },
    top(y) {
      return (this.rows - 1 - y) * this.side;
    },
    paintEmpty(pen, look) {
      const side = this.side, gap = Math.max(1, Math.round(side / 24));
      const above = Math.max(0, this.rows - this.skyline) * side;
      pen.clearRect(0, 0, this.columns * side, above);
      pen.fillStyle = look.getPropertyValue("--bf-grid").trim();
      pen.fillRect(0, above, this.columns * side, this.rows * side - above);
      pen.fillStyle = look.getPropertyValue("--bf-empty").trim();
      for (let x = 0; x < this.columns; ++x)
        for (let top = above; top < this.rows * side; top += side)
          pen.fillRect(x * side + gap, top + gap, side - gap, side - gap);
    },
    paintHeat(pen) {
      (this.picture.heat ?? []).forEach((value, x) => {
        if (value === null) return;
        pen.fillStyle = `hsla(${Math.round(120 * value)}, 65%, 45%, 0.30)`;
        pen.fillRect(x * this.side, 0, this.side, this.rows * this.side);
      });
    },
    paintCell(pen, x, y, colour, mark) {
      const side = this.side, left = x * side, top = this.top(y), edge = Math.max(1, Math.round(side / 10));
      pen.fillStyle = shade(colour, -0.32);
      pen.fillRect(left, top, side, side);
      pen.fillStyle = shade(colour, 0.28);
      pen.fillRect(left, top, side - edge, side - edge);
      pen.fillStyle = colour;
      pen.fillRect(left + edge, top + edge, side - 2 * edge, side - 2 * edge);
      if (this.symbols && SYMBOLS[mark]) {
        pen.fillStyle = "rgba(255,255,255,0.92)";
        pen.font = `${Math.round(side * 0.55)}px sans-serif`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(SYMBOLS[mark], left + side / 2, top + side / 2);
      }
    },
    paintGhost(pen, x, y, colour) {
      const side = this.side, line = Math.max(1, Math.round(side / 12));
      pen.strokeStyle = colour;
      pen.lineWidth = line;
      pen.globalAlpha = 0.75;
      pen.strokeRect(x * side + line, this.top(y) + line, side - 2 * line, side - 2 * line);
      pen.globalAlpha = 1;
    },
    paintLit(pen, lit) {
      const line = Math.max(2, Math.round(this.side / 14));
      const has = new Set(lit.map(([x, y]) => `${x},${y}`));
      pen.fillStyle = "rgba(255,255,255,0.30)";
      for (const [x, y] of lit) pen.fillRect(x * this.side, this.top(y), this.side, this.side);
      pen.fillStyle = "#ffffff";
      for (const [x, y] of lit) {
        const left = x * this.side, top = this.top(y);
        if (!has.has(`${x - 1},${y}`)) pen.fillRect(left, top, line, this.side);
        if (!has.has(`${x + 1},${y}`)) pen.fillRect(left + this.side - line, top, line, this.side);
        if (!has.has(`${x},${y + 1}`)) pen.fillRect(left, top, this.side, line);
        if (!has.has(`${x},${y - 1}`)) pen.fillRect(left, top + this.side - line, this.side, line);
      }
    },
    paintCursor(pen, look) {
      if (!this.cursor || document.activeElement !== this.$refs.canvas) return;
      pen.strokeStyle = look.getPropertyValue("--bf-ink").trim();
      pen.lineWidth = Math.max(2, Math.round(this.side / 10));
      const [x, y] = this.cursor;
      pen.strokeRect(x * this.side + 1, this.top(y) + 1, this.side - 2, this.side - 2);
    },
    paintFlash(pen) {
      if (!this.flash) return;
      const age = (performance.now() - this.flash.since) / FLASH_MS;
      if (age >= 1) {
        this.flash = null;
        return;
      }
      pen.fillStyle = `rgba(255,255,255,${0.85 * (1 - age)})`;
      const width = this.columns * this.side * (1 - age);
      for (const y of this.flash.rows)
        pen.fillRect((this.columns * this.side - width) / 2, this.top(y), width, this.side);
      this.redraw();
    },
    cellAt(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      const x = Math.floor(((event.clientX - box.left) / box.width) * this.columns);
      const y = this.rows - 1 - Math.floor(((event.clientY - box.top) / box.height) * this.rows);
      return x >= 0 && x < this.columns && y >= 0 && y < this.rows ? [x, y] : null;
    },
    press(event) {
      const cell = this.cellAt(event);
      if (!this.reachable || !cell || event.button) return;
      event.preventDefault();
      this.$refs.canvas.setPointerCapture(event.pointerId);
      this.cursor = null;
      this.dragging = cell;
      this.say("cell", cell, { dragged: false });
    },
    point(event) {
      const cell = this.cellAt(event);
      if (String(cell) === String(this.under)) return;
      this.under = cell;
      this.say("hover", cell);
      if (this.dragging && cell && String(cell) !== String(this.dragging)) {
        this.dragging = cell;
        this.say("cell", cell, { dragged: true });
      }
    },
    turn(event) {
      if (!this.reachable) return;
      event.preventDefault();
      this.$emit("turn");
    },
    release() {
      this.dragging = null;
    },
    leave() {
      this.under = null;
      this.say("hover", null);
      this.redraw();
    },
    key(event) {
      if (!this.reachable) return;
      if (STEPS[event.key]) {
        const [x, y] = this.cursor ?? this.under ?? [0, this.rows];
        const [right, up] = STEPS[event.key];
        this.cursor = [
          Math.min(this.columns - 1, Math.max(0, x + right)),
          Math.min(this.rows - 1, Math.max(0, y + up)),
        ];
        this.say("hover", this.cursor);
      } else if (event.key === "r" && !event.ctrlKey && !event.metaKey) {
        this.$emit("turn");
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
        this.say("cell", this.cursor, { dragged: false });
      } else {
        return;
      }
      event.preventDefault();
      this.redraw();
    },
    say(name, cell, more = {}) {
      this.$emit(name, cell ? { column: cell[0], row: cell[1], ...more } : { ...more });
    },
    beep(name) {
      const [pitch, length] = SOUNDS[name] ?? SOUNDS.lock;
      this.audio ??= new AudioContext();
      const tone = this.audio.createOscillator(), volume = this.audio.createGain(), now = this.audio.currentTime;
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.12, now);
      volume.gain.exponentialRampToValueAtTime(0.001, now + length);
      tone.connect(volume).connect(this.audio.destination);
      tone.start(now);
      tone.stop(now + length);
    },
  },
};
