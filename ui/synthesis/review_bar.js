// The bar under a generated query: accept, edit, reject, later, undo, and all keys.
//
// One key decides and the next query comes; a held key and a double press count once. Texts arrive
// as plain text and are set as text, never as markup.

const KEYS = "aersu";

function newsOf({ pair, token, answers, said }) {
  return JSON.stringify([pair, token, answers, said]);
}

class Bar extends PressBar {
  constructor(parent) {
    super();
    this.editing = false;
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

  // What the server drew ------------------------------------------------------------------------

  draw(component) {
    const { data } = component;
    const { isNew, answered, lost } = this.take(component);
    if (answered || lost) this.settle();
    if (isNew) this.begin();
    this.drawBar();
    if (lost) this.tell("The connection was lost: the query on screen is the next that waits.");
    else if (answered || (!this.editing && this.isNews(data))) say(this.said, data.said);
    this.told = newsOf(data);
    if (answered && this.swallowed) this.said.append(" A further press was ignored.");
    this.swallowed = 0;
    this.drawn.dataset.pair = data.pair;
  }

  // Drawn again as it was, it does not wipe out why a press was just ignored.
  isNews(data) {
    return newsOf(data) !== this.told;
  }

  begin() {
    this.look.begin();
    if (this.last) this.last.at = performance.now();
    this.edit(false);
    // Whoever has chosen another run or type goes on by keys, and not in that field.
    const focused = document.activeElement;
    if (focused?.closest?.(".st-key-desk_tools")) focused.blur();
    requestAnimationFrame(() => this.scroll());
  }

  // To the top; on a phone, once somebody is at it, past what was chosen: the passage needs the room.
  scroll() {
    const main = document.querySelector("[data-testid=stMain]");
    const tools = document.querySelector(".st-key-desk_tools");
    const past = this.begun && !hasKeys() && tools;
    const head = 3.6 * parseFloat(getComputedStyle(root).fontSize);
    main?.scrollTo(0, past ? main.scrollTop + tools.getBoundingClientRect().bottom - head : 0);
    this.begun = true;
  }

  drawBar() {
    const { data } = this;
    this.verdicts.hidden = !data.pair || this.editing;
    this.writing.hidden = !this.editing;
    this.more.hidden = this.editing;
    for (const button of this.more.children) {
      if (button.dataset.press === "u") button.disabled = !data.undo;
      else button.hidden = !data.pair;
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
    const again = event.repeat && ["enter", " "].includes(key) && event.target.closest?.(".gs-bar");
    if (again) event.preventDefault();
    const isOurs = this.editing ? key === "escape" : key.length === 1 && KEYS.includes(key);
    if (!isOurs) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) this.tell("A held key counts once.");
    else if (!this.isTooSoon(key)) this.press(key);
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
      if (this.data.undo) this.submit("u", "u");
      else this.tell("There is nothing to undo.");
    } else if (this.data.pair && !this.pending) {
      if (key === "e") this.edit(true);
      else this.submit(key, key);
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
    if (text) this.submit("e", "e", { comment: text });
    else this.ask();
  }

  // The browser's own bubble at the field.
  ask() {
    this.field.setCustomValidity("Write the query, then press Enter.");
    this.field.reportValidity();
    this.field.setCustomValidity("");
  }
}

export default mounted(Bar);
