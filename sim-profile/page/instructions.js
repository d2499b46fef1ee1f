// Coverage of the instruction set: the tree, the table, one instruction with all that leads on from
// it, the operands.
function instructionTable(more = {}) {
  return new Table({
    label: 'instructions', rows: range(I.name.length), open: (i) => go(to.instruction(i)), text: (i) => I.name[i], minimum: '420px', sort: { index: 2, descending: true },
    rowClass: (i) => (num(I.executed[i]) === 0 ? 'never' : null),
    columns: [
      { title: 'Instruction', cell: (i) => link(to.instruction(i), labelOf(i)), value: labelOf },
      counts('Executed', I.executed), counts('Cycles', I.cycles), bars(I.cycles),
      { title: 'Share', number: true, width: '86px', cell: (i) => `${I.percent[i]} %`, value: (i) => I.percent[i] },
      counts('Lost', I.lost, { wide: true }),
      { title: 'CPI', number: true, width: '72px', wide: true, cell: (i) => I.cpi[i], value: (i) => I.cpi[i] },
      { title: 'Declared', wide: true, width: 'minmax(0, .7fr)', cell: (i) => declared(chainOf(i).at(-1)), value: (i) => locationOf(chainOf(i).at(-1)) },
    ],
    ...more,
  });
}

let treeShape = 'Tree';
function viewInstructions(path) {
  const chosen = path === '' ? -1 : instructionAt(path);
  if (chosen >= 0) return viewInstruction(chosen);
  const place = h('div');
  const show = (shape) => { treeShape = shape; place.replaceChildren(...[tools(shape)].flat()); draw(shape); };
  const tools = (shape) => h('div', { class: 'tools' }, segments('Form', ['Tree', 'Table', 'Never executed'], shape, show));
  const draw = (shape) => {
    if (shape === 'Tree') place.append(tree());
    else {
      const table = instructionTable();
      place.append(...table.withTools());
      if (shape === 'Never executed') table.keep(isMissed);
      table.draw(true);
    }
  };
  show(treeShape);
  queueMicrotask(() => tables.forEach((table) => table.draw(true)));
  return [
    opening('Instruction set', `${D.coverage.used} of ${D.coverage.total} instructions ran, ${D.coverage.percent} %; ${grouped(D.coverage.unused)} never did${D.coverage.excluded.length > 0 ? `; ${plural(D.coverage.excluded.length, 'more is', 'more are')} excluded` : ''}.`),
    gaps('instructions'), place, excludedTable(),
  ];
}

// What need not run, and why.
function excludedTable() {
  const E = D.coverage.excluded;
  return E.length > 0 && [h('h2', null, 'Excluded from coverage'), new Table({
    label: 'excluded instructions', rows: range(E.length), height: '40vh', open: (at) => go(to.instruction(E[at][0])), text: (at) => `${labelOf(E[at][0])} ${E[at][1]}`,
    columns: [
      { title: 'Instruction', width: 'minmax(80px, .5fr)', cell: (at) => link(to.instruction(E[at][0]), labelOf(E[at][0])), value: (at) => labelOf(E[at][0]) },
      { title: 'Reason', cell: (at) => E[at][1], value: (at) => E[at][1], hint: (at) => E[at][1] },
    ],
  }).withTools()];
}

function tree() {
  const top = most(D.tree.map((node) => node.executed));
  const heading = h('div', { class: 'line heading', 'aria-hidden': 'true' }, ['Group or operation', 'Executed', 'Cycles', 'CPI', ''].map((text) => h('span', null, text)));
  const root = h('div', { role: 'tree', 'aria-label': 'Instruction set' }, D.tree.map((node) => treeItem(node, 0, top, levelToOpen())));
  root.querySelector('[role="treeitem"]')?.setAttribute('tabindex', 0);
  root.addEventListener('keydown', treeKey);
  return h('div', { class: 'tree', style: { '--count': `${countWidth(D.tree)}px` } }, heading, root);
}

// The tree opens as deep as it has few nodes: a model whose instructions stand deep shows them at once.
const FEW_NODES = 60;
function levelToOpen() {
  let [level, nodes] = [0, D.tree];
  for (let seen = nodes.length; nodes.length > 0; level += 1) {
    nodes = nodes.filter((node) => level === 0 || node.instruction === undefined).flatMap((node) => node.children ?? []);
    seen += nodes.length;
    if (level >= 3 && seen > FEW_NODES) break;
  }
  return Math.max(3, level);
}

// As wide as the largest count; those below a node are no larger.
const countWidth = (nodes) => Math.ceil(Math.max(isNarrow() ? 96 : 130, 7.6 * longestOf(nodes.flatMap((node) => [grouped(node.executed), grouped(node.cycles)]))));

// A node is its line, and behind that the group of its children, made when it is first opened.
function treeItem(node, depth, top, open) {
  const children = node.children ?? [];
  const name = node.instruction === undefined ? node.name : link(to.instruction(node.instruction), node.name);
  if (node.instruction !== undefined) name.tabIndex = -1;
  const item = h('div', { class: num(node.executed) === 0 ? 'line never' : 'line', role: 'treeitem', tabindex: -1, 'aria-level': depth + 1 },
    h('span', { class: 'name', style: { '--depth': depth } }, name, ' ', num(node.executed) === 0 && neverBadge(node.instruction)),
    h('span', null, grouped(node.executed)), h('span', null, grouped(node.cycles)), h('span', null, node.cpi), h('span', null, share(node.executed, top, isNarrow() ? 50 : 100)));
  const whole = h('div', { role: 'none' }, item);
  if (children.length === 0) return whole;
  let below = null;
  item.expand = (wanted) => {
    below ??= h('div', { role: 'group' }, children.map((child) => treeItem(child, depth + 1, top, open)));
    if (wanted) whole.append(below); else below.remove();
    item.setAttribute('aria-expanded', String(wanted));
  };
  item.expand(depth < open && !(depth > 0 && node.instruction !== undefined));
  item.addEventListener('click', (event) => { if (!event.target.closest('a')) { item.expand(item.getAttribute('aria-expanded') !== 'true'); focusItem(item); } });
  return whole;
}

function neverBadge(instruction) {
  const reason = excluded().get(instruction);
  return reason === undefined ? h('span', { class: 'badge' }, 'never') : h('span', { class: 'badge', title: reason }, 'excluded');
}

function focusItem(item) {
  item.closest('[role="tree"]').querySelectorAll('[role="treeitem"][tabindex="0"]').forEach((other) => { other.tabIndex = -1; });
  item.tabIndex = 0;
  item.focus();
}

function treeKey(event) {
  const item = event.target.closest('[role="treeitem"]');
  if (!item) return;
  const items = [...event.currentTarget.querySelectorAll('[role="treeitem"]')];
  const at = items.indexOf(item);
  const expanded = item.getAttribute('aria-expanded');
  const parent = item.parentElement.parentElement.previousElementSibling;
  if (event.key === 'ArrowDown' && items[at + 1]) focusItem(items[at + 1]);
  else if (event.key === 'ArrowUp' && items[at - 1]) focusItem(items[at - 1]);
  else if (event.key === 'Home') focusItem(items[0]);
  else if (event.key === 'End') focusItem(items.at(-1));
  else if (event.key === 'ArrowRight' && expanded === 'false') item.expand(true);
  else if (event.key === 'ArrowRight' && expanded === 'true') focusItem(items[at + 1]);
  else if (event.key === 'ArrowLeft' && expanded === 'true') item.expand(false);
  else if (event.key === 'ArrowLeft' && parent) focusItem(parent);
  else if (event.key === 'Enter') item.querySelector('a')?.click();
  else return;
  event.preventDefault();
}

// One instruction: figures, where it is declared, its words, who uses it, where it stands.
function viewInstruction(i) {
  const chain = chainOf(i);
  const places = [...new Set(chain.map(locationOf).filter(Boolean))];
  const encodings = (D.description?.encodings ?? []).flatMap((map) => map.rows.filter((row) => row[0] === i));
  const functions = I.by_function.filter((row) => row[0] === i);
  const touched = D.resources.by_instruction.filter((row) => row[0] === i);
  const rows = rowsByInstruction().get(i) ?? [];
  const operands = D.description?.operands[i];
  return [
    opening(labelOf(i)),
    h('p', { class: 'crumbs' }, link('#instructions', 'Instruction set'), chain.map((name) => [' \u203a ', h('span', { title: locationOf(name) }, name)])),
    excluded().has(i) && h('p', { class: 'gap' }, `Excluded from coverage: ${excluded().get(i)}`),
    figures([['executed', grouped(I.executed[i])], ['cycles', grouped(I.cycles[i])], ['of all cycles', `${I.percent[i]} %`], ['cycles per instruction', I.cpi[i]], ['lost cycles', grouped(I.lost[i])],
      D.programs.length === 0 && ['addresses', grouped(rows.length)]], true),
    places.length > 0 && [h('h2', null, 'Declared'), h('p', { class: 'mono' }, chain.filter((name) => locationOf(name)).map((name) => [h('span', null, `${name}  `), h('span', { class: 'muted' }, declared(name)), h('br')]))],
    encodings.length > 0 && [h('h2', null, link('#encoding', 'Encoding')), h('p', { class: 'mono' }, encodings.map((row) => [row[1], h('span', { class: 'muted' }, `  ${grouped(row[2])} words, ${row[3]}`), h('br')]))],
    operands && [h('h2', null, link(to.operands(i), 'Operands')), operandChips(operands)],
    h('div', { class: 'pair' },
      D.programs.length === 0 && h('section', null, h('h2', null, 'Functions'), new Table({
        label: 'functions that execute it', rows: range(functions.length), height: '240px', open: (at) => functions[at][1] >= 0 && go(to.function(functions[at][1])), sort: { index: 1, descending: true },
        columns: [{ title: 'Function', cell: (at) => (functions[at][1] < 0 ? '[outside of all files]' : link(to.function(functions[at][1]), F.name[functions[at][1]])), value: (at) => F.name[functions[at][1]] ?? '' },
          { title: 'Executed', number: true, width: '120px', value: (at) => functions[at][2], cell: (at) => grouped(functions[at][2]) }],
      }).element),
      h('section', null, h('h2', null, 'Resources'), new Table({
        label: 'resources that it uses', rows: range(touched.length), height: '240px', open: (at) => go(to.resource(touched[at][1])),
        columns: [{ title: 'Resource', cell: (at) => link(to.resource(touched[at][1]), D.resources.resources[touched[at][1]][0]), value: (at) => D.resources.resources[touched[at][1]][0] },
          ...[['Reads', 2], ['Writes', 3], ['Executes', 4]].map(([title, index]) => ({ title, number: true, width: '96px', value: (at) => touched[at][index], cell: (at) => grouped(touched[at][index]) }))],
      }).element)),
    D.programs.length === 0 && [h('h2', null, 'Addresses'), rowTable('addresses', rows).withTools()],
  ];
}

// Rows of code as a table that leads into the code.
function rowTable(label, rows) {
  return new Table({
    label, rows, height: '50vh', open: (row) => go(to.row(row)), text: (row) => `${address(C.address[row])} ${textOf(row)} ${F.name[C.function[row]] ?? ''} ${lineName(C.line[row])}`, minimum: '480px', sort: { index: 4, descending: true },
    columns: [
      { title: 'Address', width: '112px', class: 'mono', cell: (row) => link(to.row(row), address(C.address[row])), value: (row) => C.address[row].padStart(16, '0') },
      { title: 'Text', class: 'mono', cell: textOf, value: textOf },
      { title: 'Function', cell: (row) => (C.function[row] < 0 ? '' : link(to.function(C.function[row]), F.name[C.function[row]])), value: (row) => F.name[C.function[row]] ?? '' },
      { title: 'Line', width: '150px', cell: (row) => (C.line[row] < 0 ? '' : link(to.line(C.line[row]), lineName(C.line[row]))), value: (row) => lineName(C.line[row]) },
      counts('Executed', C.executed), counts('Cycles', C.cycles, { wide: true }),
    ],
  });
}

function operandChips(operands) {
  return operands.places.map((place) => [
    h('h3', null, place.name, h('span', { class: 'muted' }, place.is_complete ? `  ${place.used} of ${place.values.length} values, ${place.percent} %` : `  ${place.used} values seen`)),
    h('div', { class: 'chips' }, place.values.map((value, at) => h('span', {
      class: num(place.executed[at]) === 0 ? 'chip never' : 'chip', style: num(place.executed[at]) === 0 ? {} : { background: heat(place.executed[at], most(place.executed)) },
      title: `${value}: executed ${grouped(place.executed[at])}`,
    }, value)))]);
}

function viewOperands(path) {
  const all = Object.entries(D.description?.operands ?? {});
  const places = all.flatMap(([i, operands]) => operands.places.map((place) => ({ i: Number(i), place })));
  const chosen = path === '' ? -1 : instructionAt(path);
  const [values, pairs] = [D.description?.operand_values, D.description?.operand_pairs];
  const table = new Table({
    label: 'operands', rows: range(places.length), height: chosen >= 0 ? '44vh' : '70vh', open: (at) => go(to.operands(places[at].i)), text: (at) => `${I.name[places[at].i]} ${places[at].place.name}`, minimum: '420px',
    rowClass: (at) => (places[at].place.used === 0 ? 'never' : null),
    columns: [
      { title: 'Instruction', cell: (at) => link(to.operands(places[at].i), labelOf(places[at].i)), value: (at) => labelOf(places[at].i) },
      { title: 'Operand', cell: (at) => places[at].place.name, value: (at) => places[at].place.name },
      { title: 'Values used', number: true, width: '110px', cell: (at) => places[at].place.used, value: (at) => places[at].place.used },
      { title: 'of', number: true, width: '70px', cell: (at) => (places[at].place.is_complete ? places[at].place.values.length : '\u2013'), value: (at) => places[at].place.values.length },
      { title: 'Percent', number: true, width: '90px', cell: (at) => (places[at].place.is_complete ? places[at].place.percent : '\u2013'), value: (at) => places[at].place.percent },
      { title: '', name: 'share', width: '110px', wide: true, cell: (at) => share(places[at].place.is_complete ? places[at].place.percent : 0, 100, 90) },
    ],
  });
  return [
    opening('Operands', values ? `${grouped(values[0])} of ${grouped(values[1])} values of operands occurred, ${values[2]} %; of pairs of values in one instruction ${grouped(pairs[0])} of ${grouped(pairs[1])}, ${pairs[2]} %.` : 'Which values operands had.'),
    gaps('operands'), D.description && table.withTools(),
    chosen >= 0 && D.description?.operands[chosen] && [h('h2', { id: 'chosen' }, link(to.instruction(chosen), labelOf(chosen))), operandChips(D.description.operands[chosen]), matrices(D.description.operands[chosen], chosen)],
  ];
}

// Pairs of values that stood together in one instruction.
function matrices({ places, pairs, impossible = [] }, i) {
  return pairs.map(([one, other, cells]) => {
    const [rows, columns] = [places[one], places[other]];
    const top = most(cells.map((cell) => cell[2]));
    const at = new Map(cells.map(([a, b, count]) => [`${a} ${b}`, count]));
    const none = new Set((impossible.find(([a, b]) => a === one && b === other)?.[2] ?? []).map(([a, b]) => `${a} ${b}`));
    const status = h('p', { class: 'status', role: 'status' }, 'Choose a pair to see its count.');
    const tell = (a, b) => { status.textContent = `${labelOf(i)} with ${rows.name} ${rows.values[a]} and ${columns.name} ${columns.values[b]}: executed ${grouped(at.get(`${a} ${b}`) ?? 0)}`; };
    const cell = (a, b) => {
      const count = at.get(`${a} ${b}`) ?? 0;
      if (none.has(`${a} ${b}`)) return h('td', { class: 'none', title: `${rows.values[a]}, ${columns.values[b]}: no word has both` });
      if (num(count) === 0) return h('td', { title: `${rows.values[a]}, ${columns.values[b]}: never` });
      return h('td', { style: { background: heat(count, top) } }, h('button', { type: 'button', tabindex: -1, 'aria-label': `${rows.values[a]}, ${columns.values[b]}: ${count}`, title: `${rows.values[a]}, ${columns.values[b]}: ${grouped(count)}`, on: { click: () => tell(a, b), focus: () => tell(a, b) } }));
    };
    const table = h('table', null,
      h('caption', { class: 'muted' }, `${rows.name} down, ${columns.name} across`),
      h('thead', null, h('tr', null, h('td'), columns.values.map((value) => h('th', { scope: 'col' }, value)))),
      h('tbody', null, rows.values.map((value, a) => h('tr', null, h('th', { scope: 'row' }, value), columns.values.map((_, b) => cell(a, b))))));
    return [h('h3', null, `${rows.name} \u00d7 ${columns.name}`), h('div', { class: 'matrix', tabindex: 0, role: 'region', 'aria-label': `${rows.name} and ${columns.name}`, on: { keydown: matrixKey } }, table), status];
  });
}

// Arrow keys go from pair to pair that occurred.
function matrixKey(event) {
  const cells = [...event.currentTarget.querySelectorAll('button')];
  const at = cells.indexOf(document.activeElement);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (!(event.key in steps) || cells.length === 0) return;
  cells[Math.min(cells.length - 1, Math.max(0, at < 0 ? 0 : at + steps[event.key]))].focus();
  event.preventDefault();
}
