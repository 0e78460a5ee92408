// Buttons below a chart that take it away as a picture: what is on screen, in its colours, under a
// title that says what was asked. Nothing is fetched; texts are set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 12;
const LINES = [{ size: 15, weight: 600, step: 20 }, { size: 12, weight: 400, step: 17 }];
const SHARPNESS = 3;

function element(tag, attributes, ...children) {
  const made = document.createElementNS(tag === "button" ? "http://www.w3.org/1999/xhtml" : SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The words of a line, so many in each row as fit.
function rows(text, font, width) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = font;
  const found = [];
  for (const word of text.split(" ")) {
    const longer = found.length ? `${found.at(-1)} ${word}` : word;
    if (found.length && pen.measureText(longer).width <= width) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

function heading(told, family, width, ink) {
  const texts = [];
  let y = MARGIN;
  told.forEach((line, n) => {
    const { size, weight, step } = LINES[Math.min(n, 1)];
    for (const row of rows(line, `${weight} ${size}px ${family}`, width - 2 * MARGIN)) {
      y += step;
      texts.push(element("text", {
        x: MARGIN, y: y - 5, fill: ink, "font-family": family, "font-size": size, "font-weight": weight,
      }, row));
    }
  });
  return { texts, height: y + 6 };
}

// The chart as an SVG document of its own.
function picture(chart, told) {
  const [width, height] = ["width", "height"].map((name) => Number(chart.getAttribute(name)));
  const app = getComputedStyle(document.querySelector("[data-testid='stApp']"));
  const title = heading(told, app.fontFamily.replaceAll('"', "'"), width, app.color);
  const whole = { width: width + 2 * MARGIN, height: height + title.height + MARGIN };
  const ground = element("rect", { width: "100%", height: "100%", fill: app.backgroundColor });
  const drawn = element("g", { transform: `translate(${MARGIN},${title.height})` });
  for (const part of chart.cloneNode(true).childNodes) drawn.append(part.cloneNode(true));
  const svg = element("svg", { ...whole, viewBox: `0 0 ${whole.width} ${whole.height}` }, ground, ...title.texts, drawn);
  return { text: new XMLSerializer().serializeToString(svg), ...whole };
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function asPng({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * SHARPNESS, height: height * SHARPNESS });
  const pen = canvas.getContext("2d");
  pen.scale(SHARPNESS, SHARPNESS);
  pen.drawImage(image, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

async function takeAway(button, form, { title, file }) {
  const chart = button.closest("[class*='st-key-chart_']")?.querySelector("svg.marks");
  if (!chart) return;
  const drawn = picture(chart, title);
  const blob = form === "png" ? await asPng(drawn) : new Blob([drawn.text], { type: "image/svg+xml" });
  save(blob, `${file}.${form}`);
}

export default ({ parentElement, data }) => {
  const buttons = ["png", "svg"].map((form) => {
    const label = form.toUpperCase();
    const button = element("button", { type: "button", class: "gs-file", "aria-label": `${data.title[0]} as ${label}` }, label);
    button.addEventListener("click", () => takeAway(button, form, data));
    return button;
  });
  parentElement.replaceChildren(...buttons);
  return () => parentElement.replaceChildren();
};
