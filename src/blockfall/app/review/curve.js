// The value of every position as a curve. A click or a drag on it chooses a placement.
export default {
  template: `
    <div class="bf-curve" @pointerdown="press" @pointermove="drag" @pointerup="held = false">
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" :aria-label="label">
        <path v-if="area" class="bf-curve-area" :d="area" />
        <path v-if="line" class="bf-curve-line" :d="line" vector-effect="non-scaling-stroke" />
        <line class="bf-curve-here" :x1="x(at)" :x2="x(at)" y1="0" y2="100" vector-effect="non-scaling-stroke" />
      </svg>
      <i v-for="dot in dots" :key="dot.at" :class="'bf-dot bf-' + dot.grade" :style="dot.style"></i>
    </div>`,
  props: { values: Array, grades: Array, at: Number, label: String },
  computed: {
    range() {
      const known = this.values.filter((value) => value !== null);
      const low = Math.min(...known), high = Math.max(...known);
      return known.length ? [low, high > low ? high : low + 1] : [0, 1];
    },
    line() {
      return this.values.map((value, at) => `${at ? "L" : "M"}${this.x(at)} ${this.y(value)}`).join("");
    },
    area() {
      return this.values.length ? `${this.line}L${this.x(this.values.length - 1)} 100L${this.x(0)} 100Z` : "";
    },
    dots() {
      return this.grades
        .map((grade, at) => ({ grade, at, style: { left: `${this.x(at) / 10}%`, top: `${this.y(this.values[at])}%` } }))
        .filter((dot) => dot.grade === "mistake" || dot.grade === "blunder");
    },
  },
  methods: {
    x(at) {
      return this.values.length > 1 ? (1000 * at) / (this.values.length - 1) : 500;
    },
    y(value) { // a lost position is at the bottom
      const [low, high] = this.range;
      return value === null ? 98 : 6 + 84 * (1 - (value - low) / (high - low));
    },
    press(event) {
      this.held = true;
      this.$el.setPointerCapture(event.pointerId);
      this.choose(event);
    },
    drag(event) {
      if (this.held) this.choose(event);
    },
    choose(event) {
      const box = this.$el.getBoundingClientRect();
      const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      const at = Math.round(part * (this.values.length - 1));
      if (this.values.length && at !== this.said) this.$emit("choose", (this.said = at));
    },
  },
  watch: { at(value) { this.said = value; } },
};
