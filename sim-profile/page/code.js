// Sources beside the code that they became. A line marks its instructions, an instruction its line;
// instructions of a function are under its name.
let codeView = null;

function viewCode(argument) {
  const target = codeTarget(argument);
  const source = target.source >= 0 ? target.source : 0;
  if (codeView?.source === source && codeView.element.isConnected) {
    codeView.show(target);
    return null;
  }
  codeView = makeCodeView(source);
  requestAnimationFrame(() => codeView.show(target));
  return codeView.content;
}

// What a link means: a row, or `line/SOURCE/NUMBER`.
function codeTarget(argument) {
  if (argument.startsWith('line/')) {
    const cut = argument.lastIndexOf('/');
    const source = D.sources.findIndex((entry) => entry.name === argument.slice('line/'.length, cut));
    return { source, number: Number(argument.slice(cut + 1)), row: -1 };
  }
  const row = argument === '' ? -1 : rowOf(argument);
  const line = row >= 0 ? C.line[row] : -1;
  if (argument === '' && D.sources.length > 0) {
    const source = hottestOf(range(D.sources.length), (at) => D.sources[at].cycles);
    return { source, number: L.number[hottestLine(source)] ?? 0, row: -1 };
  }
  return { row, source: line >= 0 ? L.source[line] : codeView?.source ?? 0, number: line >= 0 ? L.number[line] : 0 };
}
const hottestOf = (ids, cycles) => ids.reduce((best, id) => (best < 0 || num(cycles(id)) > num(cycles(best)) ? id : best), -1);
const hottestLine = (source) => hottestOf(linesBySource().get(source) ?? [], (line) => L.cycles[line]);

function makeCodeView(source) {
  const assembly = assemblyTable();
  const hasSource = D.sources.length > 0;
  const text = hasSource && sourceTable(source);
  const element = h('div', { class: hasSource ? 'beside' : 'beside single' }, text && h('section', { 'aria-label': 'Source' }, text.table.element), h('section', { 'aria-label': 'Code' }, assembly.table.element));
  if (!hasSource) element.style.setProperty('grid-template-columns', 'minmax(0, 1fr)');
  const sources = h('select', { 'aria-label': 'Source', on: { change: (event) => openSource(Number(event.target.value)) } },
    D.sources.map((entry, at) => h('option', { value: at, selected: at === source, title: entry.name }, `${sourceNames()[at]}  (${grouped(entry.cycles)} cycles)`)));
  const order = range(F.name.length).filter((f) => rowsByFunction().has(f)).sort((a, b) => (F.name[a] < F.name[b] ? -1 : 1));
  const functions = h('select', { 'aria-label': 'Function', on: { change: (event) => event.target.value !== '' && go(to.row(rowsByFunction().get(Number(event.target.value))[0])) } },
    h('option', { value: '' }, 'Go to a function'), order.map((f) => h('option', { value: f }, F.name[f])));
  const status = h('p', { class: 'status', role: 'status' });
  const show = ({ row, number }) => {
    const line = number > 0 && text ? lineAt(source, number) : -1;
    const rows = line >= 0 ? rowsByLine().get(line) ?? [] : row >= 0 ? [row] : [];
    if (text) text.table.mark(number > 0 ? [number] : []);
    assembly.table.marked = new Set(rows);
    const first = row >= 0 ? row : rows[0];
    if (first !== undefined) assembly.reveal(first);
    else assembly.table.draw(true);
    status.replaceChildren(...[statusOf(row, line)].flat(3).filter(Boolean));
  };
  const content = [
    opening('Code', 'Choose a line to mark its instructions, or an instruction to mark its line.'), gaps('code'),
    h('div', { class: 'tools' }, hasSource && sources, functions, h('span', { class: 'count' }, `${grouped(C.address.length)} instructions`)),
    element, status,
  ];
  return { source, element, content, show };
}

// Texts are read as a whole, if need be by scrolling.
const pixels = (width) => Number.parseFloat(width);
const widthOfText = (letters) => Math.ceil(7.4 * letters + 22);
const widthOf = (line) => line.replaceAll('\t', '    ').length;

const openSource = (source) => {
  const hottest = hottestLine(source);
  if (hottest >= 0) go(to.line(hottest));
};

function statusOf(row, line) {
  if (row < 0) return line < 0 ? ['Choose a line or an instruction.'] : [`${lineName(line)}: executed ${grouped(L.count[line])} times, ${grouped(L.executed[line])} instructions, ${grouped(L.cycles[line])} cycles`];
  const ended = C.ended[row];
  return [
    h('span', { class: 'mono' }, `${address(C.address[row])}  ${C.word[row]}  ${textOf(row)}`), `  executed ${grouped(C.executed[row])}, ${grouped(C.cycles[row])} cycles`,
    C.lost.length > 0 ? `, ${grouped(C.lost[row])} lost` : '', num(C.taken[row]) > 0 ? `, jumped ${grouped(C.taken[row])}` : '',
    ended ? `, cancelled ${grouped(ended[0])}, at fault ${grouped(ended[1])}, unfinished ${grouped(ended[2])}` : '',
    C.instruction[row].map((i) => ['  ', link(to.instruction(i), labelOf(i))]), C.function[row] >= 0 ? ['  ', link(to.function(C.function[row]), F.name[C.function[row]])] : null,
    C.line[row] >= 0 ? ['  ', link(to.line(C.line[row]), lineName(C.line[row]))] : null,
  ];
}

function sourceTable(source) {
  const { text, cycles } = D.sources[source];
  const lines = new Map((linesBySource().get(source) ?? []).map((line) => [L.number[line], line]));
  const top = most([...lines.values()].map((line) => L.cycles[line]));
  const last = Math.max(text?.length ?? 0, ...lines.keys(), 0);
  const rows = text ? range(last).map((at) => at + 1) : [...lines.keys()].sort((a, b) => a - b);
  const figure = (column) => (number) => (lines.has(number) ? grouped(column[lines.get(number)]) : '');
  const longest = (text ?? []).reduce((length, line) => Math.max(length, widthOf(line)), 0);
  const figuresWidth = 100 + pixels(fitting('Count', L.count)) + (isNarrow() ? 0 : pixels(fitting('Cycles', L.cycles)));
  const table = new Table({
    label: `source ${D.sources[source].name}`, rows, open: (number) => go(`#code/line/${encodeURIComponent(D.sources[source].name)}/${number}`), minimum: `${Math.max(360, figuresWidth + widthOfText(longest))}px`,
    rowClass: (number) => (lines.has(number) && num(L.count[lines.get(number)]) === 0 ? 'never' : null),
    columns: [
      { title: 'Line', number: true, width: '52px', cell: (number) => h('span', { class: 'muted' }, number) },
      { title: 'Count', number: true, width: fitting('Count', L.count), cell: figure(L.count) },
      { title: 'Cycles', number: true, width: fitting('Cycles', L.cycles), wide: true, cell: figure(L.cycles) },
      { title: '', name: 'share', width: '48px', isForScreen: true, cell: (number) => (lines.has(number) ? share(L.cycles[lines.get(number)], top, 26) : '') },
      { title: `${baseName(D.sources[source].name)}, ${grouped(cycles)} cycles`, width: 'minmax(190px, 1fr)', cell: (number) => (text ? (text[number - 1] ?? '(no such line)').replaceAll('\t', '    ') : h('span', { class: 'muted' }, '(the source cannot be read)')), hint: (number) => text?.[number - 1] },
    ],
  });
  return { table };
}

// Rows are those of the code; before the first of each function stands its name, as -1 - row.
function assemblyTable() {
  const rows = [];
  let function_ = null;
  C.function.forEach((of, row) => {
    if (of !== function_) rows.push(-1 - row);
    function_ = of;
    rows.push(row);
  });
  const top = most(C.cycles);
  const isName = (id) => id < 0;
  const figure = (column) => (id) => (isName(id) ? '' : grouped(column[id]));
  const longest = rows.reduce((length, id) => Math.max(length, isName(id) ? 0 : textOf(id).length), 0);
  const wide = isNarrow() ? [] : [['Cycles', C.cycles], ...(C.lost.length > 0 ? [['Lost', C.lost]] : [])];
  const figuresWidth = [['Executed', C.executed], ...wide].reduce((sum, [title, column]) => sum + pixels(fitting(title, column)), 148);
  const table = new Table({
    label: 'code', rows, open: (id) => (isName(id) ? C.function[-1 - id] >= 0 && go(to.function(C.function[-1 - id])) : go(to.row(id))), minimum: `${Math.max(380, figuresWidth + widthOfText(longest))}px`,
    rowClass: (id) => (isName(id) ? 'function' : num(C.executed[id]) === 0 ? 'never' : null),
    columns: [
      { title: 'Address', width: '100px', cell: (id) => (isName(id) ? '' : h('span', { class: 'muted' }, address(C.address[id]))) },
      { title: 'Executed', number: true, width: fitting('Executed', C.executed), cell: figure(C.executed) },
      { title: 'Cycles', number: true, width: fitting('Cycles', C.cycles), wide: true, cell: figure(C.cycles) },
      C.lost.length > 0 && { title: 'Lost', number: true, width: fitting('Lost', C.lost), wide: true, cell: figure(C.lost) },
      { title: '', name: 'share', width: '48px', isForScreen: true, cell: (id) => (isName(id) ? '' : share(C.cycles[id], top, 26)) },
      { title: 'Instruction', width: 'minmax(170px, 1fr)', cell: (id) => (isName(id) ? F.name[C.function[-1 - id]] ?? '[outside of all files]' : textOf(id)), hint: (id) => (isName(id) ? null : `${C.word[id]}  ${textOf(id)}`) },
    ].filter(Boolean),
  });
  const places = new Map(rows.map((id, at) => [id, at]));
  const reveal = (row) => {
    const at = places.get(row);
    table.active = at;
    table.show(at, true);
    table.draw(true);
  };
  return { table, reveal };
}
