// The views that sum up: summary, resources, time, branches.
function viewSummary() {
  const names = { executed: 'instructions executed', total_cycles: 'cycles', cpi: 'cycles per instruction', cycles: 'cycles without extra ones' };
  const value = (figure) => (typeof figure.value === 'number' || /^\d+$/.test(figure.value) ? grouped(figure.value) : figure.value);
  const [first, rest] = [D.summary.slice(0, 3), D.summary.slice(3)];
  const coverage = D.coverage;
  const covered = D.description && D.description.operand_values;
  return [
    opening(programsOf() || 'A profile', `on ${D.model}`),
    figures([...first.map((figure) => [names[figure.name], value(figure)]),
      [link('#instructions', 'instructions of the set used'), `${coverage.used} of ${coverage.total}`],
      ['of the instruction set', `${coverage.percent} %`],
      covered && num(covered[1]) > 0 && [link('#operands', 'of the operands\u2019 values'), `${covered[2]} %`]]),
    figures(rest.map((figure) => [names[figure.name] ?? figure.name.replace('_', ' '), value(figure)]), true),
    D.programs.length > 0 && [h('h2', null, 'Programs'), programTable().withTools()],
    h('div', { class: 'pair' },
      D.programs.length === 0 && h('section', null, h('h2', null, 'Functions by cycles'), topOf(range(F.name.length), F.cycles, F.percent, (f) => F.name[f], to.function)),
      h('section', null, h('h2', null, 'Instructions by cycles'), topOf(range(I.name.length), I.cycles, I.percent, labelOf, to.instruction))),
    D.time.stages.length > 0 && [h('h2', null, link('#time', 'Stages')), stageBars()],
    h('h2', null, 'What this page does not show'),
    D.gaps.length === 0 ? h('p', { class: 'muted' }, 'Everything that can be known is here.') : D.gaps.map((gap) => h('p', { class: 'gap' }, gap.text)),
  ];
}

function programTable() {
  const P = D.programs;
  return new Table({
    label: 'programs', rows: range(P.length), height: '40vh', minimum: '420px', text: (at) => P[at][0],
    columns: [
      { title: 'Program', cell: (at) => P[at][0], value: (at) => P[at][0] },
      ...[['Runs', 1], ['Executed', 2], ['Cycles', 3]].map(([title, index]) => counts(title, P.map((row) => row[index]))),
    ],
  });
}

function topOf(ids, column, percent, name, href) {
  const order = ids.filter((id) => num(column[id]) > 0).sort((a, b) => num(column[b]) - num(column[a]) || a - b).slice(0, 10);
  const top = order.length > 0 ? num(column[order[0]]) : 0;
  if (order.length === 0) return h('p', { class: 'muted' }, 'Nothing ran.');
  return h('div', { class: 'bars' }, order.map((id) => [h('a', { href: href(id), title: name(id) }, name(id)),
    h('span', { class: 'track' }, h('i', { style: { width: `${(num(column[id]) / top) * 100}%` } })),
    h('span', { class: 'value' }, `${grouped(column[id])}\u2002`, h('span', { class: 'muted' }, `${percent[id]} %`))]));
}

function stageBars() {
  return h('div', { class: 'bars' }, D.time.stages.map(([name, occupied, standing, percent]) => [h('span', null, name),
    h('span', { class: 'track' }, h('i', { style: { width: `${percent}%` } }),
      h('i', { class: 'standing', style: { width: `${num(occupied) > 0 ? (num(standing) / num(occupied)) * percent : 0}%` } })),
    h('span', { class: 'value' }, `${percent} %`, h('span', { class: 'muted' }, `\u2002${grouped(standing)} standing of ${grouped(occupied)}`))]));
}

function viewResources(name) {
  const { resources, by_instruction: touched, caches, events } = D.resources;
  const column = (index) => resources.map((row) => row[index]);
  const chosen = resources.findIndex((row) => row[0] === name);
  const [reads, writes, executes] = [2, 3, 4].map(column);
  const table = new Table({
    label: 'resources', rows: range(resources.length), open: (r) => go(to.resource(r)), text: (r) => resources[r][0], minimum: '420px',
    columns: [
      { title: 'Resource', cell: (r) => resources[r][0], value: (r) => resources[r][0] },
      { title: 'Kind', width: '88px', wide: true, cell: (r) => (resources[r][1] ? 'memory' : 'register'), value: (r) => Number(resources[r][1]) },
      counts('Reads', reads), bars(reads), counts('Writes', writes), bars(writes), counts('Executes', executes),
    ],
    rowClass: (r) => (num(reads[r]) + num(writes[r]) + num(executes[r]) === 0 ? 'never' : null),
  });
  const list = (title, head, rows) => rows.length > 0 && [h('h2', null, title), new Table({
    label: title, rows: range(rows.length), minimum: `${100 + 130 * (head.length - 1)}px`,
    columns: head.map((text, index) => ({ title: text, number: index > 0, width: index > 0 ? '130px' : undefined, value: (r) => rows[r][index], cell: (r) => (index > 0 ? grouped(rows[r][index]) : rows[r][index]) })),
  }).element];
  const ids = range(touched.length).filter((at) => touched[at][1] === chosen);
  return [
    opening('Resources', 'Reads, writes and fetches of executed instructions. Choose one to see who uses it.'),
    table.withTools(),
    chosen >= 0 && [h('h2', { id: 'chosen' }, `Instructions that use ${name}`), new Table({
      label: `instructions that use ${name}`, rows: ids, open: (at) => go(to.instruction(touched[at][0])), minimum: '420px', sort: { index: 1, descending: true },
      columns: [
        { title: 'Instruction', cell: (at) => link(to.instruction(touched[at][0]), labelOf(touched[at][0])), value: (at) => labelOf(touched[at][0]) },
        ...[['Reads', 2], ['Writes', 3], ['Executes', 4]].map(([title, index]) => ({ title, number: true, width: '118px', value: (at) => touched[at][index], cell: (at) => grouped(touched[at][index]) })),
      ],
    }).element],
    list('Caches', ['Cache', 'Hits', 'Misses', 'Written back'], caches),
    list('Events', ['Event', 'Times'], events),
  ];
}

const reasons = { stall: 'stall', cache_miss: 'cache miss', retry: 'retry', occupied: 'occupied' };
function viewTime(chosen) {
  const { lost, lost_by_instruction: by } = D.time;
  const cause = chosen === '' ? -1 : Number(chosen);
  const cycles = lost.map((row) => row[4]);
  const figure = (name) => D.summary.find((entry) => entry.name === name).value;
  const table = new Table({
    label: 'causes of lost cycles', rows: range(lost.length), open: (at) => go(`#time/${at}`), minimum: '600px', sort: { index: 4, descending: true },
    columns: [
      { title: 'Reason', width: '160px', cell: (at) => reasons[lost[at][0]] + (lost[at][1] && `: ${lost[at][1]}`), value: (at) => lost[at][0] },
      { title: 'Operation', cell: (at) => lost[at][2], value: (at) => lost[at][2] },
      { title: 'Stage', width: '110px', cell: (at) => lost[at][3], value: (at) => lost[at][3] },
      { title: 'Share', number: true, width: '80px', cell: (at) => `${lost[at][5]} %`, value: (at) => lost[at][5] },
      counts('Cycles', cycles), bars(cycles),
    ],
  });
  const ids = range(by.length).filter((at) => by[at][1] === cause);
  return [
    opening('Cycles', 'Where they went: every cycle is one in which an instruction began, or has a cause.'),
    gaps('time'),
    figures([['total cycles', grouped(figure('total_cycles'))], ['cycles per instruction', figure('cpi')], ['in which none began', grouped(figure('idle_cycles'))], ['extra cycles', grouped(figure('extra_cycles'))]], true),
    D.time.stages.length > 0 && [h('h2', null, 'Occupied stages'), h('p', { class: 'muted' }, 'Hatched: an instruction stands there.'), stageBars()],
    lost.length > 0 && [h('h2', null, 'Lost cycles by cause'), table.withTools()],
    cause >= 0 && lost[cause] && [h('h2', { id: 'chosen' }, `Lost by ${reasons[lost[cause][0]]} of ${lost[cause][2]} in ${lost[cause][3]}`), new Table({
      label: 'instructions that lost them', rows: ids, open: (at) => go(to.instruction(by[at][0])), sort: { index: 1, descending: true },
      columns: [{ title: 'Instruction', cell: (at) => link(to.instruction(by[at][0]), labelOf(by[at][0])), value: (at) => labelOf(by[at][0]) },
        { title: 'Cycles', number: true, width: '130px', value: (at) => by[at][2], cell: (at) => grouped(by[at][2]) }],
    }).element],
    D.pipeline && h('p', null, link('#pipeline', 'Which instruction was in which stage')),
    h('h2', null, 'Instructions by cycles'),
    instructionTable().withTools(),
  ];
}

function viewBranches() {
  const B = D.branches;
  let only = false;
  const textOfBranch = (at) => textAt(B[at].address) || (B[at].text ?? '');
  // A phone has room for the counts, which lead to where the side goes.
  const side = (at, index) => {
    const found = B[at].sides[index];
    if (found && isNarrow()) return codeLink(found[0], grouped(found[1]));
    return found ? [grouped(found[1]), ' ', codeLink(found[0], `\u2192\u202f${address(found[0])}`)] : '';
  };
  const sides = ['One side', 'Other side'].map((title, index) => ({ title, number: true, width: isNarrow() ? '112px' : '172px', cell: (at) => side(at, index), value: (at) => B[at].sides[index][1] }));
  const table = new Table({
    label: 'branches', rows: range(B.length), open: (at) => rowByAddress().has(B[at].address) && go(to.address(B[at].address)), minimum: isNarrow() ? '560px' : '760px',
    text: (at) => `${address(B[at].address)} ${textOfBranch(at)} ${F.name[B[at].function] ?? ''} ${lineName(B[at].line)}`,
    rowClass: (at) => (B[at].untaken > 0 ? 'never' : null),
    columns: [
      { title: 'Address', width: '112px', class: 'mono', cell: (at) => codeLink(B[at].address, address(B[at].address)), value: (at) => B[at].address.padStart(16, '0') },
      ...(isNarrow() ? sides : []),
      { title: 'Instruction', width: 'minmax(0, 1.6fr)', class: 'mono', cell: textOfBranch, value: textOfBranch },
      { title: 'Function', cell: (at) => (B[at].function < 0 ? '' : link(to.function(B[at].function), F.name[B[at].function])), value: (at) => F.name[B[at].function] ?? '' },
      { title: 'Line', wide: true, cell: (at) => (B[at].line < 0 ? '' : link(to.line(B[at].line), lineName(B[at].line))), value: (at) => lineName(B[at].line) },
      ...(isNarrow() ? [] : sides),
      { title: 'More', number: true, width: '64px', wide: true, cell: (at) => (B[at].sides.length > 2 ? `+${B[at].sides.length - 2}` : ''), value: (at) => B[at].sides.length },
      { title: 'Never taken', isForScreen: true, number: true, width: '100px', cell: (at) => B[at].untaken || '', value: (at) => B[at].untaken },
    ],
  });
  const toggle = h('input', { type: 'checkbox', on: { change: (event) => { only = event.target.checked; table.keep(only ? (at) => B[at].untaken > 0 : null); } } });
  return [
    opening('Branches', 'Instructions that can go on in two places or more, and how often they went to each; the successor comes first.'),
    gaps('branches'), table.withTools(h('label', null, toggle, 'with a side never taken')),
  ];
}
const textAt = (digits) => { const row = rowByAddress().get(digits); return row === undefined ? '' : textOf(row); };
// A link to code that ran; code that did not has no place in the page.
const codeLink = (digits, ...children) => (rowByAddress().has(digits) ? h('a', { href: to.address(digits), class: 'mono' }, ...children) : h('span', { class: 'mono' }, ...children));
