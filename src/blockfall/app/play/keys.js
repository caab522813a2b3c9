// The keyboard and the touch pad of a game. Python hears a mask of the keys held each time it changes (see keys.py), so
// that a tap is two messages however short it was. Keys are taken before any button sees them, but never from a field.
const FIELDS = "input:not([readonly]), textarea, select, [contenteditable=true]";
const OVER_ALL = ".q-menu, .q-dialog"; // these have keys of their own

export default {
  template: `
    <div class="bf-pad" role="group" aria-label="Touch keys" :style="{ '--across': across }">
      <button v-for="key in pad" :key="key.name" type="button" tabindex="-1" :class="['bf-pad-key', 'bf-pad-' + key.name]"
        :aria-label="key.title" @pointerdown.prevent="touch($event, key.mask)" @pointerup="change(mask & ~key.mask)"
        @pointercancel="change(mask & ~key.mask)" @contextmenu.prevent>
        <i class="q-icon material-icons" aria-hidden="true">{{ key.icon }}</i>
      </button>
    </div>`,
  props: {
    codes: { type: Object, default: () => ({}) },
    commands: { type: Object, default: () => ({}) },
    pad: { type: Array, default: () => [] },
    active: { type: Boolean, default: false },
  },
  data: () => ({ mask: 0 }),
  computed: {
    across() {
      return this.pad.length > 5 ? Math.ceil(this.pad.length / 2) : this.pad.length;
    },
  },
  mounted() {
    this.capturing = false;
    this.$el.keyboard = this; // for tests, which cannot be quicker than the server
    window.addEventListener("keydown", this.down, true);
    window.addEventListener("keyup", this.up, true);
    window.addEventListener("blur", this.letGo);
    document.addEventListener("visibilitychange", this.lookAway);
  },
  unmounted() {
    window.removeEventListener("keydown", this.down, true);
    window.removeEventListener("keyup", this.up, true);
    window.removeEventListener("blur", this.letGo);
    document.removeEventListener("visibilitychange", this.lookAway);
  },
  watch: {
    active(now) {
      this.mask = 0;
      if (now) document.activeElement?.blur(); // or Space would press the button that started the game
    },
  },
  methods: {
    capture() {
      this.capturing = true;
    },
    down(event) {
      if (this.capturing) {
        this.take(event);
        this.capturing = false;
        this.$emit("captured", { code: event.code === "Escape" ? null : event.code });
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest?.(FIELDS) || document.querySelector(OVER_ALL)) return;
      const command = this.commands[event.code], mask = this.codes[event.code];
      if (command) {
        this.take(event);
        if (!event.repeat) this.$emit("command", { name: command });
      } else if (mask && this.active) {
        this.take(event);
        if (!event.repeat) this.change(this.mask | mask);
      } else if (mask && event.target === document.body) {
        this.take(event); // a drop too many does not scroll the page
      }
    },
    up(event) {
      const mask = this.codes[event.code];
      if (!mask || !(this.mask & mask)) return;
      this.take(event);
      this.change(this.mask & ~mask);
    },
    touch(event, mask) {
      event.target.setPointerCapture(event.pointerId);
      if (this.active) this.change(this.mask | mask);
    },
    change(mask) {
      if (mask === this.mask) return;
      this.mask = mask;
      this.$emit("held", { mask });
    },
    letGo() {
      this.change(0);
    },
    lookAway() {
      if (!document.hidden) return;
      this.letGo();
      this.$emit("command", { name: "hidden" });
    },
    take(event) {
      event.preventDefault();
      event.stopPropagation();
    },
  },
};
