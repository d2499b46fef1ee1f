// The description itself: how often each of its lines ran, and which sides of its decisions were taken.
let modelView = null;

function viewDescription(argument) {
  const S = D.description?.sources;
  if (!S) return [opening('Description', 'What of the description a run has used.'), gaps('description')];
  const cut = argument.lastIndexOf('/');
  const wanted = cut < 0 ? -1 : modelFiles.findIndex((file) => file.name === argument.slice(0, cut));
  const number = wanted < 0 ? 0 : Number(argument.slice(cut + 1));
  const at = Math.max(0, wanted);
  if (modelView?.at === at && modelView.element.isConnected) {
    modelView.show(number);
    return null;
  }
  modelView = makeModelView(S, at);
  requestAnimationFrame(() => modelView.show(number));
  return modelView.content;
}

function makeModelView(S, at) {
  const file = modelFiles[at];
  const facts = lineFacts(file);
  const table = modelTable(file, facts);
  const status = h('p', { class: 'status', role: 'status' });
  const show = (number) => {
    table.mark(number > 0 ? [number] : []);
    // What stands before the first line that can run is seldom looked for.
    if (!(number > 0)) { table.show(table.rows.findIndex((line) => facts.has(line)), true); table.draw(true); }
    status.replaceChildren(...modelStatus(file, facts, number).flat(3).filter(Boolean));
  };
  const tests = { 'All lines': null, 'Never run': (number) => isUnused(facts.get(number)) };
  const form = h('span');
  const choose = (name) => {
    form.replaceChildren(segments('Lines', Object.keys(tests), name, choose));
    table.keep(tests[name]);
  };
  choose('All lines');
  const shares = (of, what) => `${grouped(of[0])} of ${grouped(of[1])} ${what}, ${of[2]} %`;
  const content = [
    opening('Description', `${shares(S.lines, 'lines ran')}; ${shares(S.sides, 'sides of decisions were taken')}. Lines without a count have nothing to run.`), gaps('description'),
    modelFiles.length > 1 && fileTable().element,
    h('h2', { title: file.name }, modelNames()[at]),
    table.withTools(form), status,
  ];
  return { at, element: table.element, content, show };
}

// By line: its count, the sides of its decisions, the sections that begin there.
function lineFacts(file) {
  const facts = new Map();
  const of = (line) => { if (!facts.has(line)) facts.set(line, { count: null, decisions: [], sections: [] }); return facts.get(line); };
  file.number.forEach((line, index) => { of(line).count = file.count[index]; });
  file.decisions.forEach(([line, sides]) => of(line).decisions.push(sides));
  file.sections.forEach(([line, name, count]) => of(line).sections.push([name, count]));
  return facts;
}
const isUnused = (fact) => fact !== undefined && [fact.count, ...fact.decisions.flat()].some((count) => count !== null && num(count) === 0);
const orNever = (count) => (num(count) === 0 ? h('span', { class: 'badge' }, 'never') : grouped(count));

function modelTable(file, facts) {
  const last = Math.max(file.text?.length ?? 0, ...facts.keys(), 0);
  const rows = file.text ? range(last).map((index) => index + 1) : [...facts.keys()].sort((a, b) => a - b);
  const top = most(file.count);
  const countOf = (number) => facts.get(number)?.count ?? null;
  const sidesOf = (number) => (facts.get(number)?.decisions ?? []).map((sides, index) => [index > 0 && '; ', sides.map((count, side) => [side > 0 && ' / ', orNever(count)])]);
  const widest = Math.max(96, ...file.decisions.map(([, sides]) => Math.min(4, sides.length) * 54));
  // Lines are long where an operation stands on one: they are read by scrolling.
  const longest = Math.min(200, (file.text ?? []).reduce((length, line) => Math.max(length, line.length), 0));
  const table = new Table({
    label: `description ${file.name}`, rows, minimum: `${Math.round(300 + widest - 96 + 7.4 * longest)}px`, height: 'calc(100vh - 262px)', text: (number) => `${number} ${file.text?.[number - 1] ?? ''}`,
    open: (number) => go(to.model(file, number)),
    rowClass: (number) => (countOf(number) !== null && num(countOf(number)) === 0 ? 'unrun' : null),
    columns: [
      { title: 'Line', number: true, width: '52px', cell: (number) => h('span', { class: 'muted' }, number) },
      { title: 'Count', number: true, width: fitting('Count', file.count), cell: (number) => (countOf(number) === null ? '' : orNever(countOf(number))) },
      { title: '', name: 'share', width: '40px', wide: true, isForScreen: true, cell: (number) => (countOf(number) === null ? '' : share(countOf(number), top, 26)) },
      { title: 'Sides', width: `${widest}px`, class: 'sides', cell: sidesOf, hint: (number) => (facts.get(number)?.decisions ?? []).map((sides) => sides.join(' / ')).join('; ') || null },
      { title: baseName(file.name), width: 'minmax(240px, 1fr)', class: 'text', cell: (number) => (file.text ? (file.text[number - 1] ?? '(no such line)').replaceAll('\t', '    ') : h('span', { class: 'muted' }, '(the text is not at hand)')), hint: (number) => file.text?.[number - 1] },
    ],
  });
  table.element.classList.add('lines');
  return table;
}

// A table of the files leads to each of them.
function fileTable() {
  const column = (title, width, value, more) => ({ title, number: true, width, value, cell: (at) => grouped(value(at)), ...more });
  const percent = (of) => ({ title: 'Percent', number: true, width: '84px', value: (at) => of(at)[2], cell: (at) => (of(at)[1] > 0 ? of(at)[2] : '\u2013') });
  return new Table({
    label: 'files of the description', rows: range(modelFiles.length), height: '220px', minimum: '700px', open: (at) => go(to.model(modelFiles[at], 0)),
    columns: [
      { title: 'File', width: 'minmax(200px, 1fr)', cell: (at) => link(to.model(modelFiles[at], 0), modelNames()[at]), value: (at) => modelNames()[at], hint: (at) => modelFiles[at].name },
      column('Lines run', '92px', (at) => modelFiles[at].lines[0]), column('of', '60px', (at) => modelFiles[at].lines[1]),
      percent((at) => modelFiles[at].lines),
      column('Sides taken', '104px', (at) => modelFiles[at].sides[0]), column('of', '60px', (at) => modelFiles[at].sides[1]),
      percent((at) => modelFiles[at].sides),
    ],
  });
}

// A line in words, with the instructions of the operation that it stands in.
const MOST_LINKED = 8;
function modelStatus(file, facts, number) {
  if (!(number > 0)) return ['Choose a line to see whose it is and which instructions lead to it.'];
  const fact = facts.get(number);
  const section = file.sections.filter(([line]) => line <= number).at(-1);
  const operation = section?.[1].split('.')[0];
  const used = range(I.name.length).filter((i) => chainOf(i).includes(operation));
  const ran = (count) => (num(count) === 0 ? 'never' : num(count) === 1 ? 'once' : `${grouped(count)} times`);
  return [
    h('span', { class: 'mono' }, `${baseName(file.name)}:${number}`), fact === undefined || fact.count === null ? ' has nothing to run' : ` ran ${ran(fact.count)}`,
    (fact?.decisions ?? []).map((sides) => `; sides taken: ${sides.map(ran).join(', ')}`),
    section ? [', in ', h('span', { class: 'mono' }, section[1]), `, which ran ${ran(section[2])}`] : '', '. ',
    used.slice(0, MOST_LINKED).map((i) => [' ', link(to.instruction(i), labelOf(i))]),
    used.length > MOST_LINKED ? [' and ', link('#instructions', `${used.length - MOST_LINKED} more instructions`)] : '',
  ];
}
