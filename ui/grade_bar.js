// The bar under a pair: grades, undo, skip, can't judge, the comment, and all keys of the page.
//
// A press is answered by the server before the next one counts; what it says of the last press
// comes with the next pair. Texts arrive as plain text and are set as text, never as markup.

class Bar {
  constructor(parent) {
    this.mode = "";
    this.pending = this.unsure = null;
    this.swallowed = 0;
    this.look = new Look();
    this.grades = gradeButtons();
    this.why = { x: new Choices(this, "x"), q: new Choices(this, "q") };
    this.asked = element("div", { class: "gs-asked" });
    this.comment = commentField("Comment on this pair");
    this.more = element("div", { class: "gs-more" }, this.comment,
      keyButton("u", "Undo"), keyButton("s", "Skip"), keyButton("x", "Can't judge"),
      keyButton("q", "This query is \u2026"));
    this.said = statusLine();
    this.looks = element("div", { class: "gs-looks" }, keyButton("l", "Whole query"), keyButton("g", "Guidelines"));
    // The last thing drawn: whoever measures or tests waits for this pair.
    this.drawn = element("span", { "data-pair": "" });
    this.bar = element("div", { class: "gs-bar" }, this.grades, this.asked, this.more,
      element("div", { class: "gs-foot" }, this.said, this.looks), this.drawn);
    parent.append(this.bar);
    this.listen();
  }

  listen() {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    addEventListener("keydown", (event) => this.onKey(event), { capture: true, signal });
    document.addEventListener("click", (event) => this.onClick(event), { signal });
    document.addEventListener("visibilitychange", () => this.look.count(), { signal });
    this.comment.addEventListener("input", () => this.keepDraft(), { signal });
    restoreGuidelines();
  }

  remove() {
    this.listeners.abort();
    clearTimeout(this.timer);
    this.bar.remove();
  }

  // What the server drew ------------------------------------------------------------------------

  draw({ data, setTriggerValue }) {
    const isNew = data.pair !== this.data?.pair;
    const open = this.pending ?? this.unsure;
    const answered = open && data.answers !== open.answers;
    const lost = open && data.sitting !== this.data.sitting ? open : null;
    this.data = data;
    this.send = (press) => setTriggerValue("press", press);
    if (answered || lost) this.settle();
    if (isNew) this.begin();
    this.drawBar();
    say(this.said, lost ? this.lostWords(lost) : data.said);
    if (answered && this.swallowed) this.sayIgnored();
    this.swallowed = 0;
    this.drawn.dataset.pair = data.pair;
  }

  begin() {
    this.look.begin();
    this.comment.value = this.draft() ?? this.data.comment;
    this.enter("");
    // The focus stays with whoever types; in a filter that was just chosen it would swallow keys.
    if (document.activeElement?.closest(".st-key-grade_tools")) document.activeElement.blur();
    // With the next frame, which lays the page out anyhow.
    requestAnimationFrame(() => document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0));
  }

  drawBar() {
    const { data } = this;
    this.grades.hidden = !data.pair || this.mode !== "";
    const choices = this.why[this.mode];
    choices?.use(data.choices[this.mode], data.longest_reason);
    if (choices) choices.box.hidden = false;
    this.asked.replaceChildren(...(choices ? [choices.box] : []));
    this.more.hidden = this.mode !== "";
    this.comment.maxLength = data.longest_comment;
    drawGrades(this.grades, data.grades, data.own);
    for (const button of this.bar.querySelectorAll("[data-press]")) {
      const { press } = button.dataset;
      if (press === "u") button.disabled = !data.undo;
      if ("sxq".includes(press)) button.hidden = !data.pair;
      if (press === "g") button.hidden = !data.guidelines;
      if (press === "l") button.hidden = !data.list;
    }
    this.comment.hidden = !data.pair;
    this.bar.classList.toggle("gs-waiting", this.pending !== null);
  }

  sayHeld() {
    this.said.classList.add("gs-ignored");
    this.said.append(" A held key counts once.");
  }

  sayIgnored() {
    const words = this.swallowed === 1 ? "A further press was ignored." : "Further presses were ignored.";
    this.said.classList.add("gs-ignored");
    this.said.append(" ", words);
  }

  lostWords(press) {
    const same = press.pair === this.data.pair;
    const what = same ? "was not saved: press it again" : "may have been saved: My grades shows it";
    return { kind: "ignored", before: `The connection was lost; ${press.pressed.toUpperCase()} ${what}.` };
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
    const isOurs = key === "escape" ? this.mode !== "" : "0123usxqgmal".includes(key) && key.length === 1;
    const choosing = this.mode !== "" && key === "4";
    if (key === "tab" && this.mode !== "" && !this.bar.contains(document.activeElement)) {
      event.preventDefault();
      this.why[this.mode].reason.focus();
      return;
    }
    const again = event.repeat && ["enter", " "].includes(key) && event.target.closest?.(".gs-bar");
    if (again) event.preventDefault();
    if (!isOurs && !choosing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) this.press(key);
    else if (!this.said.classList.contains("gs-ignored")) this.sayHeld();
  }

  onTyping(event, key) {
    const field = event.target;
    const choices = this.why[this.mode];
    if (choices && field === choices.reason) {
      if (key === "escape") this.enter("");
      else if (key === "enter") choices.enter();
      else return;
    } else if (field === this.comment) {
      if (key !== "escape" && key !== "enter") return;
      field.blur();
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onClick(event) {
    const button = event.target.closest?.("[data-press], [data-choice]");
    if (!button || button.disabled) return;
    // After a click the keys shall not go to the button; after Tab and Enter the focus stays.
    if (event.detail > 0) button.blur();
    if (button.dataset.choice) this.why[this.mode].choose(Number(button.dataset.choice));
    else this.press(button.dataset.press.toLowerCase());
  }

  press(key) {
    const choices = this.why[this.mode];
    if (choices) {
      if (["esc", "escape", "u"].includes(key)) this.enter("");
      else if (key === "enter") choices.enter();
      else if (/^[1-4]$/.test(key)) choices.choose(Number(key));
    } else if (key === "g") {
      if (this.data.guidelines) toggleGuidelines();
    } else if (key === "m") {
      if (this.data.pair) this.comment.focus();
    } else if (key === "u" && !this.data.undo) {
      say(this.said, { kind: "ignored", before: "There is nothing to undo." });
    } else if ((key === "x" || key === "q") && this.data.pair) {
      this.enter(key);
    } else if (this.data.pair || key === "u" || key === "l") {
      this.submit(key, key);
    }
  }

  // Can't judge, and what is wrong with a query ---------------------------------------------------

  enter(mode) {
    this.mode = mode;
    for (const choices of Object.values(this.why)) choices.clear();
    if (this.bar.contains(document.activeElement) && document.activeElement !== this.comment) {
      document.activeElement.blur();
    }
    if (this.data) this.drawBar();
  }

  answer(key, { choice, reason }) {
    this.submit(key, String(choice), { choice, reason });
  }

  // To the server and back ------------------------------------------------------------------------

  submit(key, pressed, more = {}) {
    if (this.pending) {
      this.swallowed += 1;
      return;
    }
    const { pair, token, answers } = this.data;
    const looked = this.look.count();
    this.unsure = null;
    this.pending = { pair, pressed, answers };
    this.bar.querySelector(`[data-press="${key}"]`)?.classList.add("gs-pressed");
    this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    this.send({ pair, token, key, pressed, looked, comment: this.comment.value, ...more });
  }

  settle() {
    const { pair } = this.pending ?? this.unsure;
    if (pair !== this.data.pair) sessionStorage.removeItem("gsDraft");
    clearTimeout(this.timer);
    this.pending = this.unsure = null;
    if (this.mode) this.enter("");
    this.release();
  }

  release() {
    for (const button of this.bar.querySelectorAll(".gs-pressed")) button.classList.remove("gs-pressed");
  }

  giveUp() {
    const { pressed } = this.pending;
    // Not known: whatever is drawn next says what became of it.
    this.unsure = this.pending;
    this.pending = null;
    this.release();
    this.drawBar();
    say(this.said, { kind: "ignored", before:
      `No answer to ${pressed.toUpperCase()} yet: it is not known to be saved. Press it again; twice does no harm.` });
  }

  draft() {
    const kept = JSON.parse(sessionStorage.getItem("gsDraft") ?? "{}");
    return kept.pair === this.data.pair ? kept.words : undefined;
  }

  keepDraft() {
    const kept = { pair: this.data.pair, words: this.comment.value };
    sessionStorage.setItem("gsDraft", JSON.stringify(kept));
  }
}

export default mounted(Bar);
