// The tree of a search on a canvas. Python sends every node's place once, then only the current step; a click reports
// the step of the node under it. Arrow keys move along the tree: up to the parent, down to the first child.
const ROW = 30, DOT = 5, NARROWEST = 7, WIDEST = 36, EDGE = 14;

export default {
  template: `
    <div class="bf-tree" ref="box">
      <canvas ref="canvas" role="img" tabindex="0" :aria-label="said" @click="click" @keydown="key"></canvas>
    </div>`,
  data: () => ({ said: "The tree of the search" }),
  mounted() {
    this.nodes = [];
    this.step = 0;
    this.$el.tree = this; // for tests, which cannot read a canvas
    this.resizes = new ResizeObserver(() => this.paint());
    this.resizes.observe(this.$refs.box);
    this.shades = new MutationObserver(() => this.paint());
    this.shades.observe(document.body, { attributeFilter: ["class"] });
    this.$emit("ready");
  },
  unmounted() {
    this.resizes.disconnect();
    this.shades.disconnect();
  },
  methods: {
    show(nodes, step) {
      this.nodes = nodes;
      this.go(step);
    },
    go(step) {
      this.step = Math.min(step, this.nodes.length - 1);
      this.said = `The tree of the search: ${this.step + 1} of ${this.nodes.length} nodes`;
      this.paint();
      this.follow();
    },
    measure() {
      const leaves = 1 + Math.max(0, ...this.nodes.map(([across]) => across));
      const depth = 1 + Math.max(0, ...this.nodes.map(([, deep]) => deep));
      const wide = this.$refs.box.clientWidth - 2 * EDGE;
      this.gap = Math.min(WIDEST, Math.max(NARROWEST, wide / leaves));
      return [Math.max(this.$refs.box.clientWidth, (leaves - 1) * this.gap + 2 * EDGE), (depth - 1) * ROW + 2 * EDGE];
    },
    place([across, depth]) {
      return [EDGE + across * this.gap, EDGE + depth * ROW];
    },
    paint() {
      const canvas = this.$refs.canvas;
      if (!canvas || !this.nodes.length) return;
      const ratio = window.devicePixelRatio || 1, [wide, high] = this.measure();
      canvas.width = wide * ratio;
      canvas.height = high * ratio;
      canvas.style.width = `${wide}px`;
      canvas.style.height = `${high}px`;
      const pen = canvas.getContext("2d"), look = getComputedStyle(this.$el);
      const [ink, quiet, lit] = ["--bf-ink", "--bf-settled", "--bf-lit"].map((name) => look.getPropertyValue(name).trim());
      pen.scale(ratio, ratio);
      const way = this.way();
      for (let at = 1; at <= this.step; ++at) this.line(pen, at, way.has(at) ? lit : quiet, way.has(at) ? 2.5 : 1);
      for (let at = 0; at <= this.step; ++at) {
        const [x, y] = this.place(this.nodes[at]);
        pen.fillStyle = at === this.step ? ink : way.has(at) ? lit : quiet;
        pen.beginPath();
        pen.arc(x, y, at === this.step ? DOT + 2 : Math.min(DOT, this.gap / 2.2), 0, 7);
        pen.fill();
      }
    },
    line(pen, at, colour, width) {
      const parent = this.nodes[at][2];
      if (parent < 0) return;
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(...this.place(this.nodes[parent]));
      pen.lineTo(...this.place(this.nodes[at]));
      pen.stroke();
    },
    // The steps from the root to the current node.
    way() {
      const found = new Set();
      for (let at = this.step; at >= 0 && this.nodes[at]; at = this.nodes[at][2]) found.add(at);
      return found;
    },
    follow() {
      if (!this.nodes.length) return;
      const box = this.$refs.box, [x, y] = this.place(this.nodes[this.step]);
      box.scrollTo({ left: x - box.clientWidth / 2, top: y - box.clientHeight / 2 });
    },
    click(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      let best = -1, nearest = 24 ** 2;
      for (let at = 0; at <= this.step; ++at) {
        const [left, top] = this.place(this.nodes[at]), far = (left - x) ** 2 + (top - y) ** 2;
        if (far < nearest) [best, nearest] = [at, far];
      }
      if (best >= 0) this.$emit("step", best);
    },
    key(event) {
      const parent = this.nodes[this.step]?.[2] ?? -1;
      const child = this.nodes.findIndex(([, , above]) => above === this.step);
      const wanted = { ArrowUp: parent, ArrowDown: child, ArrowLeft: this.step - 1, ArrowRight: this.step + 1 }[event.key];
      if (wanted === undefined) return;
      event.preventDefault();
      if (wanted >= 0 && wanted < this.nodes.length) this.$emit("step", wanted);
    },
  },
};
