// What the bars of the grading pages are made of. It stands before the script of each of them.

const OPEN = "gsGuidelines";
const root = document.documentElement;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// What a key means, whatever the keyboard: where a key gives no Latin letter or digit (Cyrillic,
// Arabic, the upper row of a French keyboard, an input method that is on), its place counts.
function meaning(event) {
  const key = event.key.toLowerCase();
  if (event.shiftKey || /^[a-z0-9]$/.test(key)) return key;
  const place = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code);
  return place ? place[1].toLowerCase() : key;
}

function keyButton(key, name, kind = "") {
  const printed = element("kbd", { "aria-hidden": "true" }, key.length === 1 ? key.toUpperCase() : key);
  const label = element("span", { dir: "auto" }, name);
  const given = { type: "button", class: `gs-key ${kind}`, "data-press": key };
  return element("button", { ...given, "aria-keyshortcuts": key.toUpperCase() }, printed, label);
}

function group(kind, label, ...children) {
  return element("div", { class: kind, role: "group", "aria-label": label }, ...children);
}

const GRADES = ["0", "1", "2", "3"];
const PATIENCE_MS = 4000;

function gradeButtons() {
  return group("gs-grades", "Grade", ...GRADES.map((key) => keyButton(key, "", "gs-grade")));
}

// Which grade is the rater's own; null: none yet.
function drawGrades(buttons, names, own) {
  [...buttons.children].forEach((button, grade) => {
    button.lastChild.textContent = names[grade];
    button.classList.toggle("gs-own", own === grade);
    if (own === null) button.removeAttribute("aria-pressed");
    else button.setAttribute("aria-pressed", String(own === grade));
  });
}

// A phone has no keys to speak of; where the style sheet hides them on buttons, fields do, too.
const hasKeys = () => !window.matchMedia("(max-width: 640px)").matches;

function commentField(label) {
  return element("input", {
    class: "gs-comment", type: "text", "aria-label": label, dir: "auto", autocomplete: "off",
    placeholder: hasKeys() ? "Comment \u00b7 M" : "Comment",
  });
}

function statusLine() {
  return element("p", { class: "gs-last", role: "status", "aria-live": "polite" });
}

// What is told of a press; only the title is not ours, and all of it is set as text.
function say(line, { kind, before = "", title = "", after = "" }) {
  line.className = `gs-last gs-${kind || "plain"}`;
  line.replaceChildren(before, ...(title ? [element("bdi", {}, title)] : []), after);
}

// How long something was looked at, without the time in which the tab was hidden.
class Look {
  constructor() {
    this.begin();
  }

  begin() {
    this.gone = 0;
    this.since = performance.now();
  }

  count() {
    const now = performance.now();
    if (this.since !== null) this.gone += now - this.since;
    this.since = document.hidden ? null : now;
    return Math.round(this.gone);
  }
}

// Reasons to choose from, each with its number, and a field for another one.
class Choices {
  constructor(owner, key) {
    this.owner = owner;
    this.key = key;
    this.title = element("p", { class: "gs-choices-title" });
    this.buttons = group("gs-choices", "");
    this.reason = element("input", { class: "gs-reason", type: "text", dir: "auto", autocomplete: "off" });
    this.send = keyButton("Enter", "Send");
    this.box = element("div", { class: "gs-why-box" }, this.buttons,
      element("div", { class: "gs-more gs-why" }, this.reason, this.send, keyButton("Esc", "Back")));
    this.box.hidden = true;
  }

  use(choices, longest) {
    if (this.choices) return;
    this.choices = choices;
    const { title, names, other } = choices;
    const typed = hasKeys() ? choices.typed : choices.typed.replace(" (Tab)", "");
    this.title.textContent = title;
    this.buttons.setAttribute("aria-label", title);
    const buttons = names.map((name, n) => {
      const button = keyButton(String(n + 1), name, "gs-choice");
      button.removeAttribute("data-press");
      button.dataset.choice = n + 1;
      return button;
    });
    this.buttons.replaceChildren(this.title, ...buttons);
    this.send.hidden = !other;
    Object.assign(this.reason, { placeholder: typed, maxLength: longest });
    this.reason.setAttribute("aria-label", typed);
  }

  clear() {
    this.reason.value = "";
  }

  // The browser's own bubble at the field.
  ask() {
    this.reason.setCustomValidity("Write why, then press Enter.");
    this.reason.reportValidity();
    this.reason.setCustomValidity("");
  }

  choose(number) {
    const { names, other } = this.choices;
    if (number > names.length) return;
    if (number === other && !this.reason.value.trim()) this.reason.focus();
    else this.owner.answer(this.key, { choice: number, reason: this.reason.value });
  }

  // Enter sends where a typed reason is one of the choices, and only leaves the field elsewhere.
  enter() {
    const { other } = this.choices;
    if (!other) this.reason.blur();
    else if (this.reason.value.trim()) this.choose(other);
    else this.ask();
  }
}

// A bar in which one thing is on screen and a press sends what is said of it: what was sent, whether
// it was answered, and which presses were not meant. Who extends it has `bar`, `said` and drawBar().
class PressBar {
  constructor() {
    this.pending = this.unsure = this.last = null;
    this.swallowed = 0;
    this.look = new Look();
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

  // Takes what the server drew; whether it answers a press, whether that is lost, what is new.
  take({ data, setTriggerValue }) {
    const isNew = data.pair !== this.data?.pair || data.token !== this.data?.token;
    const open = this.pending ?? this.unsure;
    const answered = open && data.answers !== open.answers;
    const lost = open && data.sitting !== this.data.sitting;
    this.data = data;
    this.send = (press) => setTriggerValue("press", press);
    return { isNew, answered, lost };
  }

  tell(words) {
    say(this.said, { kind: "ignored", before: words });
  }

  // Nobody reads so fast: the second half of a double press says nothing, and what was meant for
  // what was on screen before says nothing of what is there now.
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

  submit(key, pressed, more = {}) {
    if (this.pending) {
      this.swallowed += 1;
      return;
    }
    const { pair, token, answers } = this.data;
    this.unsure = null;
    this.pending = { pressed, answers };
    this.bar.querySelector(`[data-press="${key}"]`)?.classList.add("gs-pressed");
    this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    this.send({ pair, token, key, pressed, looked: this.look.count(), ...more });
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

// Guidelines stand beside the documents where the rater wants them; the browser remembers it.
function restoreGuidelines() {
  if (localStorage.getItem(OPEN) === "open") root.dataset[OPEN] = "open";
}

function toggleGuidelines() {
  const open = root.dataset[OPEN] !== "open";
  if (open) root.dataset[OPEN] = "open";
  else delete root.dataset[OPEN];
  localStorage.setItem(OPEN, open ? "open" : "");
}

// The page's sanitiser takes the referrer policy off pictures: they get their address here, so that
// no site learns from which page it was asked.
function showPictures() {
  for (const picture of document.querySelectorAll("img[data-src]")) {
    Object.assign(picture, { referrerPolicy: "no-referrer", loading: "lazy", src: picture.dataset.src });
    delete picture.dataset.src;
  }
}

showPictures();
new MutationObserver(showPictures).observe(document.body, { childList: true, subtree: true });

// What a component's script exports: one `Kind` for each place in the page, drawn with each run of
// the page and removed with its place.
function mounted(Kind) {
  const standing = new WeakMap();
  return (component) => {
    const { parentElement } = component;
    if (!standing.has(parentElement)) standing.set(parentElement, new Kind(parentElement));
    const shown = standing.get(parentElement);
    shown.draw(component);
    return () => {
      shown.remove();
      standing.delete(parentElement);
    };
  };
}
