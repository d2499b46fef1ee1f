// The frame: views by their links, search, theme, keys.
const VIEWS = [
  ['summary', 'Summary', viewSummary], ['instructions', 'Instruction set', viewInstructions], ['operands', 'Operands', viewOperands], ['encoding', 'Encoding', viewEncoding],
  ['resources', 'Resources', viewResources], ['functions', 'Functions', viewFunctions], ['flame', 'Flame graph', viewFlame], ['code', 'Code', viewCode],
  ['branches', 'Branches', viewBranches], ['time', 'Cycles', viewTime], ['pipeline', 'Pipeline', viewPipeline], ['description', 'Description', viewDescription],
];
const main = document.getElementById('main');
const field = document.getElementById('search');
const found = document.getElementById('found');

// Whether a link has something to show in a view.
const OTHER_NAMES = { cycles: 'time' };
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
function leadsTo(view, argument) {
  if (argument === '') return true;
  const [first, second] = argument.split(':').map(Number);
  const cut = argument.lastIndexOf('/');
  const tests = {
    instructions: () => instructionAt(argument) >= 0,
    operands: () => instructionAt(argument) >= 0,
    functions: () => functionAt(argument) >= 0,
    resources: () => D.resources.resources.some((row) => row[0] === argument),
    encoding: () => D.description?.encodings[first]?.opcodes[second] !== undefined,
    time: () => D.time.lost[first] !== undefined,
    flame: () => (argument.startsWith('function/') ? functionAt(argument.slice('function/'.length)) >= 0 : D.calls.stacks[first] !== undefined),
    pipeline: () => D.pipeline?.rows.some((row) => String(row[0]) === argument),
    description: () => modelFiles.some((file) => file.name === argument.slice(0, cut)),
    code: () => (argument.startsWith('line/') ? D.sources.some((source) => source.name === argument.slice('line/'.length, cut)) : rowOf(argument) >= 0),
  };
  return Boolean(tests[view]?.());
}

// A link is #VIEW or #VIEW/ARGUMENT; a view that returns nothing has shown it already.
function show() {
  const place = location.hash.slice(1);
  const cut = place.indexOf('/');
  const name = cut < 0 ? place : place.slice(0, cut);
  const known = VIEWS.find((entry) => entry[0] === (OTHER_NAMES[name] ?? name));
  const view = known ?? VIEWS[0];
  let argument = cut < 0 ? '' : place.slice(cut + 1);
  try { argument = decodeURIComponent(argument); } catch { /* as it is */ }
  const leadsNowhere = place !== '' && !(known && leadsTo(view[0], argument));
  if (leadsNowhere) [codeView, modelView] = [null, null];
  const content = view[2](argument);
  if (content !== null) {
    tables.forEach((table) => { if (!table.element.isConnected && table.wasShown) tables.delete(table); });
    const lost = leadsNowhere && h('p', { class: 'gap lost', role: 'status' }, `This page has nothing at the link `, h('span', { class: 'mono' }, `#${decoded(place)}`), `; it may be one of another report. This is the view ${view[1]}.`);
    main.replaceChildren(...[lost, content].flat(Infinity).filter((part) => part instanceof Node));
    tables.forEach((table) => { table.wasShown = true; table.draw(true); });
    document.getElementById('chosen')?.scrollIntoView({ block: 'center' });
    if (!document.getElementById('chosen')) window.scrollTo(0, 0);
  }
  document.querySelectorAll('#views a').forEach((entry) => {
    if (entry.hash === `#${view[0]}`) { entry.setAttribute('aria-current', 'page'); if (isNarrow()) entry.scrollIntoView({ block: 'nearest', inline: 'center' }); } else entry.removeAttribute('aria-current');
  });
  document.title = `${main.querySelector('h1')?.textContent ?? view[1]} \u2013 ${D.model}`;
}

// Search: everything that has a name or an address, the best fits first.
const MOST_FOUND = 40;
function search(text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const hits = [];
  const add = (name, what, href) => {
    const at = name.toLowerCase().indexOf(wanted);
    if (at >= 0) hits.push({ name, what, href, rank: (name.length === wanted.length ? 0 : at === 0 ? 1 : 2) });
  };
  range(F.name.length).forEach((f) => add(F.name[f], 'function', to.function(f)));
  range(I.name.length).forEach((i) => add(labelOf(i), 'instruction', to.instruction(i)));
  D.resources.resources.forEach(([name], r) => add(name, 'resource', to.resource(r)));
  D.sources.forEach((source) => add(source.name, 'source', `#code/line/${encodeURIComponent(source.name)}/1`));
  modelFiles.forEach((file) => file.sections.forEach(([line, name]) => add(name, 'description', to.model(file, line))));
  VIEWS.forEach(([name, title]) => add(title, 'view', `#${name}`));
  if (/^(0x)?[0-9a-f]+$/.test(wanted)) {
    const row = rowByAddress().get(digitsOf(wanted));
    if (row !== undefined) hits.push({ name: `${address(C.address[row])}  ${textOf(row)}`, what: 'address', href: to.row(row), rank: 0 });
  }
  addPlaces(text.trim(), hits);
  hits.sort((a, b) => a.rank - b.rank);
  if (wanted.length > 1) searchTexts(wanted, hits);
  return hits.slice(0, MOST_FOUND);
}

// `FILE:LINE`, as the page writes it.
function addPlaces(text, hits) {
  const [, name, line] = /^(.+):([0-9]+)$/.exec(text) ?? [];
  if (name === undefined) return;
  const fits = (path) => path === name || path.endsWith(`/${name}`);
  const add = (file, href) => hits.push({ name: text, what: `${file.name}`, href, rank: 0 });
  D.sources.filter((file) => fits(file.name)).forEach((file) => add(file, `#code/line/${encodeURIComponent(file.name)}/${line}`));
  modelFiles.filter((file) => fits(file.name)).forEach((file) => add(file, to.model(file, Number(line))));
}

function searchTexts(wanted, hits) {
  for (let source = 0; source < D.sources.length && hits.length < MOST_FOUND; source += 1) {
    (D.sources[source].text ?? []).forEach((line, at) => {
      if (hits.length < MOST_FOUND && line.toLowerCase().includes(wanted)) hits.push({ name: line.trim(), what: `${baseName(D.sources[source].name)}:${at + 1}`, href: `#code/line/${encodeURIComponent(D.sources[source].name)}/${at + 1}` });
    });
  }
  modelFiles.forEach((file) => (file.text ?? []).forEach((line, at) => {
    if (hits.length < MOST_FOUND && line.toLowerCase().includes(wanted)) hits.push({ name: line.trim(), what: `${baseName(file.name)}:${at + 1}`, href: to.model(file, at + 1) });
  }));
  for (let row = 0; row < C.text.length && hits.length < MOST_FOUND; row += 1) {
    if (C.text[row].toLowerCase().includes(wanted)) hits.push({ name: C.text[row], what: address(C.address[row]), href: to.row(row) });
  }
}

let chosenHit = 0;
let hits = [];
function showHits() {
  hits = search(field.value);
  chosenHit = 0;
  const isOpen = field.value.trim() !== '';
  found.hidden = !isOpen;
  field.setAttribute('aria-expanded', String(isOpen));
  const option = (hit, at) => h('div', { role: 'option', id: `hit-${at}`, 'aria-selected': String(at === 0), on: { mousedown: (event) => { event.preventDefault(); openHit(at); } } }, h('span', null, hit.name), h('span', null, hit.what));
  found.replaceChildren(...(hits.length > 0 ? hits.map(option) : [h('div', { class: 'none', role: 'option', 'aria-selected': 'false', 'aria-disabled': 'true' }, 'Nothing has that name.')]));
  markHit();
}
function markHit() {
  [...found.children].forEach((option, at) => option.setAttribute('aria-selected', String(at === chosenHit && hits.length > 0)));
  if (hits.length > 0) { field.setAttribute('aria-activedescendant', `hit-${chosenHit}`); found.children[chosenHit].scrollIntoView({ block: 'nearest' }); } else field.removeAttribute('aria-activedescendant');
}
function closeHits() {
  found.hidden = true;
  field.setAttribute('aria-expanded', 'false');
  field.removeAttribute('aria-activedescendant');
}
function openHit(at) {
  if (!hits[at]) return;
  closeHits();
  field.value = '';
  go(hits[at].href);
  main.focus({ preventScroll: true });
}
field.addEventListener('input', showHits);
field.addEventListener('blur', closeHits);
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    chosenHit = Math.min(hits.length - 1, Math.max(0, chosenHit + (event.key === 'ArrowDown' ? 1 : -1)));
    markHit();
    event.preventDefault();
  } else if (event.key === 'Enter') openHit(chosenHit);
  else if (event.key === 'Escape') { field.value = ''; closeHits(); main.focus({ preventScroll: true }); }
});

// Dark and light: what the system prefers, until somebody chooses.
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
let theme = null;
try { theme = localStorage.getItem('profile-theme'); } catch { /* files may have no storage */ }
const themeButton = document.getElementById('theme');
function applyTheme() {
  const isDark = theme ? theme === 'dark' : systemDark.matches;
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  themeButton.textContent = isDark ? 'Light' : 'Dark';
  themeButton.setAttribute('aria-label', isDark ? 'Light colours' : 'Dark colours');
}
function toggleTheme() {
  theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('profile-theme', theme); } catch { /* chosen for now */ }
  applyTheme();
}
themeButton.addEventListener('click', toggleTheme);
systemDark.addEventListener('change', applyTheme);

// Keys
const help = document.getElementById('help');
const KEYS = [['/', 'search'], ['1 \u2026 9, 0', 'the views, from the first to the tenth'], ['\u2191 \u2193 Home End', 'rows of a table, nodes of the tree'], ['\u2190 \u2192', 'close and open a node; stacks and pairs'], ['Enter', 'open what is chosen'], ['Alt \u2190', 'back'], ['t', 'dark or light'], ['?', 'this list']];
help.append(h('h2', { id: 'help-title' }, 'Keys'), h('dl', null, KEYS.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)])), h('button', { type: 'button', class: 'plain', on: { click: () => help.close() } }, 'Close'));
document.getElementById('keys').addEventListener('click', () => help.showModal());
document.querySelector('[data-skip]').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, dialog')) return;
  const digit = '1234567890'.indexOf(event.key);
  if (event.key === '/') { field.focus(); field.select(); } else if (event.key === 't') toggleTheme();
  else if (event.key === '?') help.showModal();
  else if (digit >= 0 && VIEWS[digit]) go(`#${VIEWS[digit][0]}`);
  else return;
  event.preventDefault();
});

document.getElementById('brand-model').textContent = D.model;
document.getElementById('brand-program').textContent = programsOf();
document.getElementById('views').append(...VIEWS.map(([name, title], at) => h('a', { href: `#${name}` }, title, h('span', { 'aria-hidden': 'true' }, at < 10 ? (at + 1) % 10 : ''))));
applyTheme();
window.addEventListener('hashchange', show);
let wasNarrow = isNarrow();
window.addEventListener('resize', () => { if (isNarrow() !== wasNarrow) { wasNarrow = isNarrow(); codeView = null; modelView = null; show(); } });
show();
