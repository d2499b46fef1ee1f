// Making elements. Texts are always set as text: nothing of the data is ever read as markup.
const SVG = 'http://www.w3.org/2000/svg';
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === 'on') {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else if (name === 'style') {
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    } else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}
const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const link = (href, ...children) => h('a', { href }, ...children);

// Digits in groups of three, with a narrow space that does not break.
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
const share = (part, whole, width = 72) => {
  const length = whole > 0 ? Math.max(1, (num(part) / whole) * width) : 0;
  return h('i', { class: num(part) > 0 ? 'share' : 'share none', style: { width: `${length}px` }, 'aria-hidden': 'true' });
};
// How deep a colour is: by the number of digits, since counts differ by orders of magnitude.
const heat = (count, top) => {
  const part = top > 0 && num(count) > 0 ? 8 + 54 * (Math.log1p(num(count)) / Math.log1p(top)) : 0;
  return `color-mix(in srgb, var(--heat) ${part.toFixed(1)}%, var(--panel))`;
};
const figures = (pairs, small) => h('dl', { class: small ? 'figures small' : 'figures' },
  pairs.filter(Boolean).map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
const gaps = (view) => D.gaps.filter((gap) => gap.views.includes(view)).map((gap) => h('p', { class: 'gap' }, gap.text));
const opening = (title, ...lede) => [h('h1', null, title), lede.length > 0 && h('p', { class: 'lede' }, ...lede)];
const segments = (label, names, chosen, choose) => h('div', { class: 'segments', role: 'group', 'aria-label': label },
  names.map((name) => h('button', { type: 'button', 'aria-pressed': String(name === chosen), on: { click: () => choose(name) } }, name)));
const isNarrow = () => window.matchMedia('(max-width: 760px)').matches;
