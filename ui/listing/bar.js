// A whole query: the buttons of each document, the bar under them, and all keys of the page.
//
// Presses go to the server one after the other; each hears its own answer, and only then does its
// row say "saved". Texts arrive as plain text and are set as text, never as markup.

const KEYS = "0123xmaunpqgl";

class Row {
  constructor(list, name) {
    this.list = list;
    this.name = name;
    this.choosing = false;
    this.waiting = 0;
    this.grades = gradeButtons();
    this.cannot = keyButton("x", "Can't judge");
    this.comment = commentField("Comment on this document");
    this.told = statusLine();
    this.more = element("div", { class: "gs-more" }, this.cannot, this.comment, this.told);
    this.why = new Choices(this, "x");
    this.bar = element("div", { class: "gs-row-controls" }, this.grades, this.why.box, this.more);
  }

  get article() {
    return document.querySelector(`[data-row="${this.name}"]`);
  }

  // The documents may have been drawn anew: the buttons, and what was typed, move into them.
  stand() {
    if (!this.bar.isConnected) this.article?.querySelector(".gs-row-bar")?.replaceChildren(this.bar);
  }

  draw(data, settings) {
    const isTyping = document.activeElement === this.comment;
    if (data.comment !== this.data?.comment && !isTyping) this.comment.value = data.comment;
    this.data = data;
    this.comment.maxLength = settings.longest_comment;
    drawGrades(this.grades, settings.grades, data.grade);
    this.cannot.classList.toggle("gs-own", data.outcome === "cannot_judge");
    this.cannot.setAttribute("aria-pressed", String(data.outcome === "cannot_judge"));
    this.cannot.disabled = data.outcome === "grade";
    this.why.use(settings.choices.x, settings.longest_reason);
    this.drawChoosing();
    if (!this.waiting) this.tell(data.kind, data.words, data.reason);
  }

  drawChoosing() {
    this.grades.hidden = this.choosing;
    this.why.box.hidden = !this.choosing;
    this.more.hidden = this.choosing;
  }

  tell(kind, words, reason = "") {
    this.told.className = `gs-last gs-${kind || "plain"}`;
    const given = reason ? [" (", element("bdi", {}, reason), ")"] : [];
    this.told.replaceChildren(words, ...given);
  }

  choose(open) {
    if (open && this.data.outcome === "grade") {
      this.tell("ignored", "Your grade stands: undo it first");
      return;
    }
    this.choosing = open;
    this.why.clear();
    this.drawChoosing();
    if (!open && this.list.focused === this) this.article?.focus({ preventScroll: true });
  }

  // A comment on a graded document is saved when one leaves it.
  leaveComment() {
    const words = this.comment.value.trim();
    if (this.data.outcome === "grade" && words !== this.data.comment) this.list.submit("m", this);
  }

  answer(key, more = {}) {
    if (this.choosing) this.choose(false);
    this.list.focus(this, { scroll: false });
    this.list.submit(key, this, more);
  }
}

class List {
  constructor(parent) {
    this.rows = new Map();
    this.queue = [];
    this.pending = null;
    this.number = 0;
    this.choosing = false;
    this.look = new Look();
    this.counts = element("p", { class: "gs-counts" });
    this.said = statusLine();
    this.undo = keyButton("u", "Undo");
    this.previous = keyButton("p", "Previous");
    this.next = keyButton("n", "Next query");
    this.flag = keyButton("q", "This query is \u2026");
    this.guidelines = keyButton("g", "Guidelines");
    this.why = new Choices(this, "q");
    this.tools = element("div", { class: "gs-more" }, this.undo, this.flag, this.previous, this.next);
    this.drawn = element("span", { "data-pair": "" });
    this.bar = element("div", { class: "gs-bar gs-list-bar" }, this.why.box, this.tools,
      element("div", { class: "gs-foot" }, this.said, this.counts,
        element("p", { class: "gs-hint" }, "\u2191 \u2193 move"),
        element("div", { class: "gs-looks" }, keyButton("l", "One by one"), this.guidelines)), this.drawn);
    parent.append(this.bar);
    this.listen();
  }

  listen() {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    addEventListener("keydown", (event) => this.onKey(event), { capture: true, signal });
    document.addEventListener("click", (event) => this.onClick(event), { signal });
    document.addEventListener("focusin", (event) => this.onFocus(event), { signal });
    document.addEventListener("focusout", (event) => this.onLeave(event), { signal });
    document.addEventListener("visibilitychange", () => this.look.count(), { signal });
    // Documents that are drawn after this bar, or anew, get their buttons when they are there.
    this.watcher = new MutationObserver(() => this.stand());
    this.watcher.observe(document.body, { childList: true, subtree: true });
    restoreGuidelines();
  }

  remove() {
    this.listeners.abort();
    this.watcher.disconnect();
    clearTimeout(this.timer);
    this.bar.remove();
    for (const row of this.rows.values()) row.bar.remove();
  }

  // What the server drew ------------------------------------------------------------------------

  draw({ data, setTriggerValue }) {
    const isOther = data.list !== this.data?.list;
    const isTurned = data.turn !== this.data?.turn;
    const isLost = this.pending && data.sitting !== this.data.sitting;
    this.send = (press) => setTriggerValue("press", press);
    this.data = data;
    if (isOther) this.leave();
    for (const each of data.rows) {
      if (!this.rows.has(each.name)) this.rows.set(each.name, new Row(this, each.name));
    }
    if (isLost) this.giveUp("The connection was lost: not known to be saved. Press again");
    else if (this.pending && data.answered === this.pending.number) this.settle();
    for (const each of data.rows) this.rows.get(each.name).draw(each, data);
    this.drawBar();
    this.stand();
    if (isOther) this.begin();
    else if (isTurned && this.rows.has(data.focus)) this.focus(this.rows.get(data.focus));
    this.drawn.dataset.pair = this.focused?.name ?? "";
    this.go();
  }

  leave() {
    for (const row of this.rows.values()) row.bar.remove();
    this.rows.clear();
    this.focused = null;
    this.choose(false);
  }

  begin() {
    this.look.begin();
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    const all = [...this.rows.values()];
    const open = all.find((row) => !["grade", "cannot_judge"].includes(row.data.outcome));
    const first = this.rows.get(this.data.focus) ?? open ?? all[0];
    if (document.activeElement?.closest(".st-key-grade_tools")) document.activeElement.blur();
    if (first) requestAnimationFrame(() => this.focus(first, { scroll: first !== all[0] }));
  }

  stand() {
    for (const row of this.rows.values()) row.stand();
    const article = this.focused?.article;
    if (article && !article.classList.contains("gs-focused")) article.classList.add("gs-focused");
  }

  drawBar() {
    const { data } = this;
    this.undo.disabled = !data.undo;
    this.previous.disabled = !data.previous;
    this.flag.disabled = data.rows.length === 0;
    this.guidelines.hidden = !data.guidelines;
    this.why.use(data.choices.q, data.longest_reason);
    this.why.box.hidden = !this.choosing;
    this.tools.hidden = this.choosing;
    this.counts.replaceChildren(...data.counts.map((part) => element("span", { class: "gs-part" }, part)));
    // Why a press was ignored stays until the next one, whatever the server says of the one before.
    say(this.said, this.ignored ?? data.said);
  }

  // The row that the keys mean ------------------------------------------------------------------

  focus(row, { scroll = true, take = true } = {}) {
    if (this.focused && this.focused !== row) {
      this.focused.article?.classList.remove("gs-focused");
      if (this.focused.choosing) this.focused.choose(false);
    }
    this.focused = row;
    this.drawn.dataset.pair = row.name;
    const article = row.article;
    if (!article) return;
    article.classList.add("gs-focused");
    if (take && !article.contains(document.activeElement)) article.focus({ preventScroll: true });
    if (scroll) this.scrollTo(article);
  }

  // The whole document into sight, below the query and above the bar; of a long one its beginning.
  scrollTo(article) {
    const top = document.querySelector(".gs-rows .gs-question")?.getBoundingClientRect().bottom ?? 0;
    const bottom = this.bar.getBoundingClientRect().top;
    const box = article.getBoundingClientRect();
    const main = document.querySelector("[data-testid=stMain]");
    if (box.top < top || box.height > bottom - top) main?.scrollBy(0, box.top - top - 8);
    else if (box.bottom > bottom) main?.scrollBy(0, box.bottom - bottom + 8);
  }

  step(by) {
    const all = [...this.rows.values()];
    const at = all.indexOf(this.focused) + by;
    if (all[at]) this.focus(all[at]);
  }

  rowOf(target) {
    return this.rows.get(target.closest?.("[data-row]")?.dataset.row);
  }

  onFocus(event) {
    const row = this.rowOf(event.target);
    if (row && row !== this.focused) this.focus(row, { scroll: false, take: false });
  }

  onLeave(event) {
    const row = this.rowOf(event.target);
    if (row && event.target === row.comment) row.leaveComment();
  }

  // Keys and clicks -----------------------------------------------------------------------------

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches?.("input, textarea, select, [contenteditable], [role=combobox]")) {
      this.onTyping(event, event.key.toLowerCase());
      return;
    }
    if (document.querySelector("[role=dialog]")) return;
    const key = meaning(event);
    const step = { arrowdown: 1, j: 1, arrowup: -1, k: -1 }[key];
    const choices = this.choices();
    const isOurs = step || (choices ? /^([1-4xqu]|enter|escape)$/.test(key) : KEYS.includes(key) && key.length === 1);
    if (!isOurs) return;
    // Enter on a button in the choices is a click on it.
    if (key === "enter" && event.target.closest?.("button")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (step) this.step(step);
    else if (!event.repeat) this.press(key, true);
  }

  onTyping(event, key) {
    const row = this.rowOf(event.target);
    const choices = this.choices();
    if (choices && event.target === choices.reason) {
      if (key === "escape") choices.owner.choose(false);
      else if (key === "enter") choices.enter();
      else return;
    } else if (row && event.target === row.comment && (key === "escape" || key === "enter")) {
      row.article.focus({ preventScroll: true });
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onClick(event) {
    const button = event.target.closest?.("[data-press], [data-choice]");
    const row = this.rowOf(event.target);
    if (row && !event.target.closest("a, input")) this.focus(row, { scroll: false, take: !button });
    if (!button || button.disabled || !(row || this.bar.contains(button))) return;
    // After a click the keys shall not go to the button; after Tab and Enter the focus stays.
    if (event.detail > 0) (row?.article ?? button).focus({ preventScroll: true });
    if (button.dataset.choice) (row ?? this).why.choose(Number(button.dataset.choice));
    else this.press(button.dataset.press.toLowerCase());
  }

  // The reasons that are open to choose from, of the row or of the query.
  choices() {
    if (this.choosing) return this.why;
    return this.focused?.choosing ? this.focused.why : null;
  }

  press(key, byKey = false) {
    const choices = this.choices();
    const row = this.focused;
    if (choices) {
      if (/^[1-4]$/.test(key)) choices.choose(Number(key));
      else if (key === "enter") choices.enter();
      else choices.owner.choose(false);
    } else if (key === "g") {
      if (this.data.guidelines) toggleGuidelines();
    } else if (key === "m") {
      row?.comment.focus();
    } else if (key === "x") {
      row?.choose(true);
    } else if (key === "q") {
      if (this.data.rows.length) this.choose(true);
    } else if (key === "a") {
      if (row?.article?.querySelector(".gs-all")) this.submit("a", row);
    } else if (GRADES.includes(key)) {
      if (row) this.grade(row, key, byKey);
    } else {
      this.submit(key, null);
    }
  }

  // A key grades and moves on, as one by one; of two that come at once only the first counts.
  grade(row, key, byKey) {
    if (byKey) {
      const now = performance.now();
      const { same_key_ms: same, other_key_ms: other } = this.data.guard;
      if (this.last && now - this.last.at < (this.last.key === key ? same : other)) {
        this.ignored = { kind: "ignored", before: `${key} came at once after ${this.last.key}: it was ignored.` };
        say(this.said, this.ignored);
        return;
      }
      this.last = { key, at: now };
    }
    const isFirst = row.data.outcome !== "grade";
    row.answer(key);
    if (byKey && isFirst) this.step(1);
  }

  answer(key, more) {
    this.choose(false);
    this.submit(key, null, more);
  }

  choose(open) {
    this.choosing = open;
    this.why.clear();
    if (this.data) this.drawBar();
    if (!open) this.focused?.article?.focus({ preventScroll: true });
  }

  // To the server and back ------------------------------------------------------------------------

  submit(key, row, more = {}) {
    this.ignored = null;
    this.queue.push({ key, row, comment: row?.comment.value ?? "", more });
    if (row) {
      row.waiting += 1;
      row.tell("", "Saving \u2026");
      row.bar.querySelector(`[data-press="${key}"]`)?.classList.add("gs-pressed");
    }
    this.go();
  }

  // The next press of the queue, when the one before it is answered.
  go() {
    if (this.pending || !this.queue.length) return;
    const { key, row, comment, more } = this.queue.shift();
    const looked = this.look.count();
    this.look.begin();
    this.number = Math.max(this.number, this.data.answered) + 1;
    this.pending = { number: this.number, row };
    this.timer = setTimeout(() => {
      this.giveUp("No answer yet: not known to be saved. Press again; twice does no harm");
    }, PATIENCE_MS);
    const { name = "", token = "" } = row?.data ?? {};
    this.send({ number: this.number, row: name, key, token, comment, looked, ...more });
  }

  settle() {
    clearTimeout(this.timer);
    this.release(this.pending.row);
    this.pending = null;
  }

  release(row) {
    if (!row) return;
    row.waiting -= 1;
    for (const button of row.bar.querySelectorAll(".gs-pressed")) button.classList.remove("gs-pressed");
  }

  // Nothing that was pressed since counts: each row says so.
  giveUp(words) {
    clearTimeout(this.timer);
    const lost = [this.pending, ...this.queue];
    this.pending = null;
    this.queue = [];
    for (const { row } of lost) {
      this.release(row);
      if (row) Object.assign(row.data, { kind: "ignored", words, reason: "" });
      row?.tell("ignored", words);
    }
    if (lost.some(({ row }) => !row)) say(this.said, { kind: "ignored", before: words });
  }
}

export default mounted(List);
