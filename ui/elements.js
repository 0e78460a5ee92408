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
