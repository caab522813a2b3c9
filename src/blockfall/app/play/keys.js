// A game's keyboard, touch pad, gamepad and swipes. Python receives the mask of the held keys whenever it changes (see keys.py), so that a tap
// is always two messages. Keys are taken before any button sees them, but never from a field.
const FIELDS = "input:not([readonly]), textarea, select, [contenteditable=true]";
const OVER_ALL = ".q-menu, .q-dialog"; // these have their own keys
// Buttons of the "standard" gamepad, by action; its sticks count as the cross.
const PAD_BUTTONS = {
  left: [14], right: [15], down: [13], drop: [12], clockwise: [1, 3], "counter-clockwise": [0], "half-turn": [2],
  hold: [4, 5, 6, 7],
};
const PAD_START = 9, STICK = 0.5;
const SCROLLING = ["Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
const SWIPE = { tap: 12, tap_ms: 250, flick: 0.9 }; // pixels, milliseconds, pixels per millisecond

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
    this.swipe = null;
    this.pads = 0;
    this.menus = new MutationObserver(this.lookForMenus);
    this.menus.observe(document.body, { childList: true });
    this.board = this.$el.parentElement?.querySelector(".bf-stage-board");
    for (const [name, hear] of this.swipes()) this.board?.addEventListener(name, hear);
    this.$el.keyboard = this; // for tests
    window.addEventListener("keydown", this.down, true);
    window.addEventListener("keyup", this.up, true);
    window.addEventListener("blur", this.letGo);
    document.addEventListener("visibilitychange", this.lookAway);
  },
  unmounted() {
    this.menus.disconnect();
    cancelAnimationFrame(this.polling);
    for (const [name, hear] of this.swipes()) this.board?.removeEventListener(name, hear);
    window.removeEventListener("keydown", this.down, true);
    window.removeEventListener("keyup", this.up, true);
    window.removeEventListener("blur", this.letGo);
    document.removeEventListener("visibilitychange", this.lookAway);
  },
  watch: {
    active(now) {
      this.mask = 0;
      this.pads = 0;
      if (now) document.activeElement?.blur(); // otherwise Space would press the button that started the game
      cancelAnimationFrame(this.polling);
      this.poll();
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
      } else if (event.target === document.body && (mask || (this.active && SCROLLING.includes(event.code)))) {
        this.take(event); // a drop that comes too late or that the rules lack does not scroll the page
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
    lookForMenus() {
      if (this.active && document.querySelector(OVER_ALL)) this.$emit("command", { name: "hidden" });
    },
    maskOf(name) {
      return this.pad.find((key) => key.name === name)?.mask ?? 0;
    },
    // Gamepads send no events: they are polled once per screen frame.
    poll() {
      this.polling = requestAnimationFrame(this.poll);
      const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected);
      if (!pad) return;
      const pressed = (at) => pad.buttons[at]?.pressed;
      const start = Boolean(pressed(PAD_START));
      if (start && !this.started) this.$emit("command", { name: "pause" });
      this.started = start;
      if (!this.active) return;
      let mask = 0;
      for (const [name, buttons] of Object.entries(PAD_BUTTONS)) if (buttons.some(pressed)) mask |= this.maskOf(name);
      const [x = 0, y = 0] = pad.axes;
      if (x < -STICK) mask |= this.maskOf("left");
      if (x > STICK) mask |= this.maskOf("right");
      if (y > STICK) mask |= this.maskOf("down");
      if (mask === this.pads) return;
      this.change((this.mask & ~this.pads) | mask);
      this.pads = mask;
    },
    // A finger on the board: drag sideways to shift, down to soft drop, flick down to drop, up to hold; tap to turn.
    swipes() {
      this.hears ??= [
        ["pointerdown", this.swipeBegin], ["pointermove", this.swipeMove], ["pointerup", this.swipeEnd],
        ["pointercancel", this.swipeStop],
      ];
      return this.hears;
    },
    swipeBegin(event) {
      if (!this.active || event.pointerType === "mouse") return;
      event.preventDefault();
      const cell = this.board.querySelector("canvas").clientWidth / this.board.querySelector(".bf-board").board.columns;
      const { clientX: x, clientY: y } = event;
      this.swipe = { id: event.pointerId, x, y, fromX: x, fromY: y, cell, since: performance.now(), soft: 0, shifted: false };
    },
    swipeMove(event) {
      const swipe = this.swipe;
      if (!swipe || event.pointerId !== swipe.id) return;
      const across = event.clientX - swipe.x, down = event.clientY - swipe.fromY;
      if (Math.abs(across) >= swipe.cell) {
        const steps = Math.trunc(across / swipe.cell), mask = this.maskOf(steps < 0 ? "left" : "right");
        for (let step = 0; step < Math.abs(steps); ++step) this.tap(mask);
        swipe.x += steps * swipe.cell;
        swipe.shifted = true;
      }
      const slow = down / Math.max(1, performance.now() - swipe.since) < SWIPE.flick;
      if (!swipe.shifted && !swipe.soft && slow && down > 2 * swipe.cell) {
        swipe.soft = this.maskOf("down");
        this.change(this.mask | swipe.soft);
      }
    },
    swipeEnd(event) {
      const swipe = this.swipe;
      if (!swipe || event.pointerId !== swipe.id) return;
      this.swipeStop();
      const across = event.clientX - swipe.fromX, down = event.clientY - swipe.fromY;
      const lasted = performance.now() - swipe.since;
      const far = Math.max(Math.abs(across), Math.abs(down));
      if (swipe.shifted || swipe.soft || !this.active) return;
      if (far < SWIPE.tap && lasted < SWIPE.tap_ms) this.tap(this.maskOf("clockwise"));
      else if (down > SWIPE.tap && down > Math.abs(across)) this.tap(this.maskOf("drop"));
      else if (-down > SWIPE.tap && -down > Math.abs(across)) this.tap(this.maskOf("hold"));
    },
    swipeStop() {
      if (this.swipe?.soft) this.change(this.mask & ~this.swipe.soft);
      this.swipe = null;
    },
    tap(mask) {
      if (!mask) return;
      this.change(this.mask | mask);
      this.change(this.mask & ~mask);
    },
    take(event) {
      event.preventDefault();
      event.stopPropagation();
    },
  },
};
