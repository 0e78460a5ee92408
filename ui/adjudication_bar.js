// The bar under a disputed pair: a grade, then its reason, is a decision; undo, later, and all keys.
//
// Two presses decide, so neither a held key nor a double press does. Texts arrive as plain text and
// are set as text, never as markup.

const KEYS = "0123usag";

class Bar extends PressBar {
  constructor(parent) {
    super();
    this.grade = "";
    this.grades = gradeButtons();
    this.why = new Choices(this, "");
    this.more = element("div", { class: "gs-more" }, keyButton("u", "Undo"), keyButton("s", "Later"));
    this.said = statusLine();
    this.looks = element("div", { class: "gs-looks" }, keyButton("g", "Guidelines"));
    // The last thing drawn: whoever tests waits for this pair.
    this.drawn = element("span", { "data-pair": "" });
    this.bar = element("div", { class: "gs-bar" }, this.grades, this.why.box, this.more,
      element("div", { class: "gs-foot" }, this.said, this.looks), this.drawn);
    parent.append(this.bar);
    this.listen();
  }

  listen() {
    super.listen();
    restoreGuidelines();
  }

  // What the server drew ------------------------------------------------------------------------

  draw(component) {
    const { data } = component;
    const { isNew, answered, lost } = this.take(component);
    this.why.use(data.choices, data.longest_reason);
    if (answered || lost) this.settle();
    if (isNew) this.begin();
    this.drawBar();
    if (lost) this.tell("The connection was lost: the list Decided shows what was saved.");
    else say(this.said, data.said);
    if (answered && this.swallowed) this.said.append(" A further press was ignored.");
    this.swallowed = 0;
    this.drawn.dataset.pair = data.pair;
  }

  begin() {
    this.look.begin();
    if (this.last) this.last.at = performance.now();
    this.choose("");
    requestAnimationFrame(() => document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0));
  }

  drawBar() {
    const { data } = this;
    this.grades.hidden = !data.pair || this.grade !== "";
    this.why.box.hidden = this.grade === "";
    this.more.hidden = this.grade !== "";
    if (this.grade) {
      this.why.title.textContent = `${this.grade} ${data.grades[this.grade]}, because`;
      this.why.buttons.setAttribute("aria-label", this.why.title.textContent);
    }
    drawGrades(this.grades, data.grades, data.decided);
    for (const button of this.bar.querySelectorAll("[data-press]")) {
      const { press } = button.dataset;
      if (press === "u") button.disabled = !data.undo;
      if (press === "s") button.hidden = !data.pair;
      if (press === "g") button.hidden = !data.guidelines || !data.pair;
    }
    this.bar.classList.toggle("gs-waiting", this.pending !== null);
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
    if (key === "tab" && this.grade && !this.bar.contains(document.activeElement)) {
      event.preventDefault();
      this.why.reason.focus();
      return;
    }
    const again = event.repeat && ["enter", " "].includes(key) && event.target.closest?.(".gs-bar");
    if (again) event.preventDefault();
    const isOurs = this.grade ? /^([0-9]|u|escape)$/.test(key) : key.length === 1 && KEYS.includes(key);
    if (!isOurs) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) this.tell("A held key counts once.");
    else if (!this.isTooSoon(key)) this.press(key);
  }

  onTyping(event, key) {
    if (event.target !== this.why.reason) return;
    if (key === "escape") this.choose("");
    else if (key === "enter" && !event.repeat) this.why.enter();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onClick(event) {
    const button = event.target.closest?.("[data-press], [data-choice]");
    if (!button || button.disabled) return;
    // After a click the keys shall not go to the button; after Tab and Enter the focus stays.
    if (event.detail > 0) button.blur();
    const { choice, press } = button.dataset;
    // The second click of a double click falls on what the first one brought there.
    if (event.detail > 1) this.tell("A double click counts once.");
    else this.press(choice ?? press.toLowerCase());
  }

  press(key) {
    if (this.grade) {
      if (["esc", "escape", "u"].includes(key)) this.choose("");
      else if (key === "enter") this.why.enter();
      else if (/^[1-9]$/.test(key)) this.why.choose(Number(key));
    } else if (key === "g") {
      if (this.data.guidelines && this.data.pair) toggleGuidelines();
    } else if (key === "u" && !this.data.undo) {
      this.tell("There is nothing to undo.");
    } else if (GRADES.includes(key)) {
      if (this.data.pair && !this.pending) this.choose(key);
    } else if (this.data.pair || key === "u") {
      this.submit(key, key);
    }
  }

  // A grade asks for its reason; "" takes it back.
  choose(grade) {
    this.grade = this.why.key = grade;
    this.why.clear();
    if (this.bar.contains(document.activeElement)) document.activeElement.blur();
    if (this.data) this.drawBar();
    if (grade) say(this.said, { before: "A number gives the reason and saves; Esc goes back." });
    else if (this.data) say(this.said, this.data.said);
  }

  answer(key, { choice, reason }) {
    this.submit(key, String(choice), { choice, reason });
  }

  settle() {
    super.settle();
    this.choose("");
  }
}

export default mounted(Bar);
