// The bar under a generated query: accept, edit, reject, later, undo, and all keys.
//
// One key decides and the next query comes; a held key and a double press count once. Texts arrive
// as plain text and are set as text, never as markup.

const KEYS = "aersu";

class Bar {
  constructor(parent) {
    this.editing = false;
    this.pending = this.unsure = this.last = null;
    this.swallowed = 0;
    this.look = new Look();
    this.verdicts = group("gs-verdicts", "Is this a query that somebody would ask?",
      keyButton("a", "Accept"), keyButton("e", "Edit"), keyButton("r", "Reject"));
    this.field = element("textarea", { class: "gs-edit", rows: "2", dir: "auto", "aria-label": "The query" });
    this.writing = element("div", { class: "gs-writing" }, this.field,
      element("div", { class: "gs-more" }, keyButton("Enter", "Save and accept"), keyButton("Esc", "Leave")));
    this.more = element("div", { class: "gs-more" }, keyButton("u", "Undo"), keyButton("s", "Later"));
    this.said = statusLine();
    // The last thing drawn: whoever tests waits for this query.
    this.drawn = element("span", { "data-pair": "" });
    this.bar = element("div", { class: "gs-bar" }, this.verdicts, this.writing,
      element("div", { class: "gs-foot" }, this.said, this.more), this.drawn);
    parent.append(this.bar);
    this.listen();
  }

  listen() {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    addEventListener("keydown", (event) => this.onKey(event), { capture: true, signal });
    document.addEventListener("click", (event) => this.onClick(event), { signal });
    document.addEventListener("visibilitychange", () => this.look.count(), { signal });
  }

  remove() {
    this.listeners.abort();
    clearTimeout(this.timer);
    this.bar.remove();
  }

  // What the server drew ------------------------------------------------------------------------

  draw({ data, setTriggerValue }) {
    const isNew = data.pair !== this.data?.pair || data.token !== this.data?.token;
    const open = this.pending ?? this.unsure;
    const answered = open && data.answers !== open.answers;
    const lost = open && data.sitting !== this.data.sitting;
    this.data = data;
    this.send = (press) => setTriggerValue("press", press);
    if (answered || lost) this.settle();
    if (isNew) this.begin();
    this.drawBar();
    if (lost) this.tell("The connection was lost: the query on screen is the next that waits.");
    else if (!this.editing || answered) say(this.said, data.said);
    if (answered && this.swallowed) this.said.append(" A further press was ignored.");
    this.swallowed = 0;
    this.drawn.dataset.pair = data.pair;
  }

  begin() {
    this.look.begin();
    if (this.last) this.last.at = performance.now();
    this.edit(false);
    // Whoever has chosen another run or type goes on by keys, and not in that field.
    const focused = document.activeElement;
    if (focused?.closest?.(".st-key-review_tools")) focused.blur();
    requestAnimationFrame(() => document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0));
  }

  drawBar() {
    const { data } = this;
    this.verdicts.hidden = !data.pair || this.editing;
    this.writing.hidden = !this.editing;
    this.more.hidden = this.editing && this.bar.contains(this.writing);
    for (const button of this.more.children) {
      if (button.dataset.press === "u") button.disabled = !data.undo;
      else button.hidden = !data.pair;
    }
    this.bar.classList.toggle("gs-waiting", this.pending !== null);
  }

  tell(words) {
    say(this.said, { kind: "ignored", before: words });
  }

  // Keys and clicks -----------------------------------------------------------------------------

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches?.("input, textarea, select, [contenteditable]")) {
      this.onTyping(event, event.key.toLowerCase());
      return;
    }
    if (document.querySelector("[role=dialog]")) return;
    const key = meaning(event);
    const again = event.repeat && ["enter", " "].includes(key) && event.target.closest?.(".gs-bar");
    if (again) event.preventDefault();
    const isOurs = this.editing ? key === "escape" : key.length === 1 && KEYS.includes(key);
    if (!isOurs) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) this.tell("A held key counts once.");
    else if (!this.isTooSoon(key)) this.press(key);
  }

  // Nobody reads so fast: the second half of a double press is no word about the next query.
  isTooSoon(key) {
    const now = performance.now();
    const { same_key_ms: same, other_key_ms: other } = this.data.guard;
    if (this.last && now - this.last.at < (this.last.key === key ? same : other)) {
      this.tell(`${key.toUpperCase()} came at once after ${this.last.key.toUpperCase()}: it was ignored.`);
      return true;
    }
    this.last = { key, at: now };
    return false;
  }

  // Enter saves, for a query has one line; Escape leaves it as it was.
  onTyping(event, key) {
    if (event.target !== this.field) return;
    if (key === "escape") this.edit(false);
    else if (key === "enter" && !event.repeat) this.save();
    else if (key !== "enter") return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onClick(event) {
    const button = event.target.closest?.("[data-press]");
    if (!button || button.disabled || !this.bar.contains(button)) return;
    // After a click the keys shall not go to the button; after Tab and Enter the focus stays.
    if (event.detail > 0) button.blur();
    // The second click of a double click falls on what the first one brought there.
    if (event.detail > 1) this.tell("A double click counts once.");
    else this.press(button.dataset.press.toLowerCase());
  }

  press(key) {
    if (this.editing) {
      if (key === "enter") this.save();
      else if (key.startsWith("esc")) this.edit(false);
    } else if (key === "u") {
      if (this.data.undo) this.submit("u");
      else this.tell("There is nothing to undo.");
    } else if (this.data.pair && !this.pending) {
      if (key === "e") this.edit(true);
      else this.submit(key);
    } else if (this.pending) {
      this.swallowed += 1;
    }
  }

  edit(on) {
    const was = this.editing;
    this.editing = on && Boolean(this.data.pair);
    if (this.bar.contains(document.activeElement)) document.activeElement.blur();
    this.drawBar();
    if (this.editing) {
      this.field.maxLength = this.data.longest;
      this.field.value = this.data.text;
      this.field.focus();
      this.field.select();
      say(this.said, { before: hasKeys() ? "Enter saves and accepts; Escape leaves it as it was." : "" });
    } else if (was) {
      say(this.said, this.data.said);
    }
  }

  save() {
    const text = this.field.value.split(/\s+/).join(" ").trim();
    if (text) this.submit("e", { comment: text });
    else this.ask();
  }

  // The browser's own bubble at the field.
  ask() {
    this.field.setCustomValidity("Write the query, then press Enter.");
    this.field.reportValidity();
    this.field.setCustomValidity("");
  }

  // To the server and back ------------------------------------------------------------------------

  submit(key, more = {}) {
    if (this.pending) {
      this.swallowed += 1;
      return;
    }
    const { pair, token, answers } = this.data;
    this.unsure = null;
    this.pending = { answers };
    this.bar.querySelector(`[data-press="${key}"]`)?.classList.add("gs-pressed");
    this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    this.send({ pair, token, key, pressed: key, looked: this.look.count(), ...more });
  }

  settle() {
    clearTimeout(this.timer);
    this.pending = this.unsure = null;
    this.release();
  }

  release() {
    for (const button of this.bar.querySelectorAll(".gs-pressed")) button.classList.remove("gs-pressed");
  }

  giveUp() {
    // Not known: whatever is drawn next says what became of it.
    this.unsure = this.pending;
    this.pending = null;
    this.release();
    this.drawBar();
    this.tell("No answer yet: it is not known to be saved. Press again; twice does no harm.");
  }
}

export default mounted(Bar);
