// Functions, and one function with who calls it and whom it calls.
function viewFunctions(name) {
  const chosen = name === '' ? -1 : functionAt(name);
  if (chosen >= 0) return viewFunction(chosen);
  const followed = D.calls.are_followed;
  const table = new Table({
    label: 'functions', rows: range(F.name.length), open: (f) => go(to.function(f)), text: (f) => `${F.name[f]} ${F.image[f]}`, minimum: followed ? '480px' : '360px', sort: { index: 1, descending: true },
    columns: [
      { title: 'Function', cell: (f) => link(to.function(f), F.name[f]), value: (f) => F.name[f] },
      counts('Cycles', F.cycles), { title: 'Share', number: true, width: '86px', cell: (f) => `${F.percent[f]} %`, value: (f) => F.percent[f] }, bars(F.cycles),
      followed && counts('Inclusive', F.inclusive_cycles), followed && { title: 'Share', number: true, width: '86px', wide: true, cell: (f) => `${F.inclusive_percent[f]} %`, value: (f) => F.inclusive_percent[f] },
      counts('Executed', F.executed, { wide: true }), counts('Entered', F.entered, { wide: true }),
      C.lost.length > 0 && counts('Lost', F.lost, { wide: true }),
      { title: 'File', width: '120px', wide: true, cell: (f) => F.image[f], value: (f) => F.image[f] },
    ].filter(Boolean),
  });
  return [opening('Functions', 'What each cost by itself', followed ? ', and with all that it called.' : '.'), gaps('functions'), table.withTools()];
}

function viewFunction(f) {
  const arcs = D.calls.arcs;
  const callers = range(arcs.length).filter((at) => arcs[at][2] === f);
  const callees = range(arcs.length).filter((at) => arcs[at][1] === f);
  const sites = range(D.calls.sites.length).filter((at) => D.calls.sites[at][2] === f);
  const used = I.by_function.filter((row) => row[1] === f);
  const rows = rowsByFunction().get(f) ?? [];
  const line = rows.map((row) => C.line[row]).find((at) => at >= 0) ?? -1;
  const figuresOf = [['cycles', grouped(F.cycles[f])], ['of all cycles', `${F.percent[f]} %`],
    ...(D.calls.are_followed ? [['inclusive cycles', grouped(F.inclusive_cycles[f])], ['of all cycles, inclusive', `${F.inclusive_percent[f]} %`]] : []),
    ['executed', grouped(F.executed[f])], ['entered', grouped(F.entered[f])], ['lost cycles', grouped(F.lost[f])], ['reads of memory', grouped(F.reads[f])], ['writes of memory', grouped(F.writes[f])]];
  const arcTable = (label, ids, other) => new Table({
    label, rows: ids, height: '240px', open: (at) => arcs[at][other] >= 0 && go(to.function(arcs[at][other])), sort: { index: 1, descending: true },
    columns: [
      { title: 'Function', cell: (at) => nameLink(arcs[at][other]), value: (at) => F.name[arcs[at][other]] ?? '' },
      { title: 'Calls', number: true, width: '96px', value: (at) => arcs[at][3], cell: (at) => grouped(arcs[at][3]) },
      D.calls.are_followed && { title: 'Cycles', number: true, width: '120px', value: (at) => arcs[at][4], cell: (at) => grouped(arcs[at][4]) },
      { title: 'Kind', width: '80px', cell: (at) => arcs[at][0], value: (at) => arcs[at][0] },
    ].filter(Boolean),
  }).element;
  return [
    opening(F.name[f]),
    h('p', { class: 'crumbs' }, link('#functions', 'Functions'), ` \u203a ${F.image[f]} ${address(F.address[f])}`, line >= 0 && [' \u203a ', link(to.line(line), lineName(line))],
      rows.length > 0 && [' \u203a ', link(to.row(rows[0]), 'code')], D.calls.stacks.length > 0 && [' \u203a ', link(`#flame/function/${encodeURIComponent(F.name[f])}`, 'stacks')]),
    figures(figuresOf, true),
    h('h2', null, 'Calls'), (callers.length + callees.length > 0) ? callGraph(f, callers, callees) : h('p', { class: 'muted' }, 'Nothing calls it, and it calls nothing.'),
    h('div', { class: 'pair' }, h('section', null, h('h3', null, 'Called by'), arcTable('callers', callers, 1)), h('section', null, h('h3', null, 'Calls'), arcTable('callees', callees, 2))),
    sites.length > 0 && [h('h2', null, 'Where it is called'), new Table({
      label: 'sites of calls', rows: sites, height: '240px', open: (at) => go(to.address(D.calls.sites[at][1])), sort: { index: 2, descending: true },
      columns: [{ title: 'Address', width: '112px', class: 'mono', cell: (at) => link(to.address(D.calls.sites[at][1]), address(D.calls.sites[at][1])), value: (at) => D.calls.sites[at][1].padStart(16, '0') },
        { title: 'In', cell: (at) => nameLink(D.calls.sites[at][0]), value: (at) => F.name[D.calls.sites[at][0]] ?? '' },
        { title: 'Calls', number: true, width: '110px', value: (at) => D.calls.sites[at][3], cell: (at) => grouped(D.calls.sites[at][3]) }],
    }).element],
    h('div', { class: 'pair' },
      h('section', null, h('h2', null, 'Instructions'), new Table({
        label: 'instructions of the function', rows: range(used.length), height: '320px', open: (at) => go(to.instruction(used[at][0])), sort: { index: 1, descending: true },
        columns: [{ title: 'Instruction', cell: (at) => link(to.instruction(used[at][0]), labelOf(used[at][0])), value: (at) => labelOf(used[at][0]) },
          { title: 'Executed', number: true, width: '120px', value: (at) => used[at][2], cell: (at) => grouped(used[at][2]) }],
      }).element),
      h('section', null, h('h2', null, 'Hottest code'), new Table({
        label: 'code of the function', rows, height: '320px', open: (row) => go(to.row(row)), sort: { index: 2, descending: true },
        columns: [{ title: 'Address', width: '112px', class: 'mono', cell: (row) => link(to.row(row), address(C.address[row])), value: (row) => C.address[row].padStart(16, '0') },
          { title: 'Text', class: 'mono', cell: textOf, value: textOf }, counts('Cycles', C.cycles)],
      }).element)),
  ];
}
const nameLink = (f) => (f < 0 ? '[outside of all files]' : link(to.function(f), F.name[f]));

// Callers to the left, callees to the right; a line is the wider the more calls it stands for.
function callGraph(f, callers, callees) {
  const arcs = D.calls.arcs;
  const pick = (ids) => ids.filter((at) => arcs[at][1] !== arcs[at][2]).sort((a, b) => num(arcs[b][3]) - num(arcs[a][3])).slice(0, 8);
  const [left, right] = [pick(callers), pick(callees)];
  const step = 34;
  const tall = Math.max(left.length, right.length, 1) * step + 10;
  const top = most([...left, ...right].map((at) => arcs[at][3]));
  const clip = (name) => (name.length > 28 ? `${name.slice(0, 27)}\u2026` : name);
  const box = (x, y, g, here) => {
    const inside = [h2svgTitle(F.name[g] ?? ''), svg('rect', { x, y, width: 220, height: 24, rx: 4, class: here ? 'here' : null }), svg('text', { x: x + 10, y: y + 16 }, clip(F.name[g] ?? '[outside]'))];
    return here || g < 0 ? svg('g', null, inside) : svg('a', { href: to.function(g) }, inside);
  };
  const offset = (ids) => (tall - ids.length * step) / 2 + 5;
  const middle = tall / 2;
  const arc = (x1, y1, x2, y2, at) => {
    const width = 1 + 5 * (num(arcs[at][3]) / top);
    const half = (x1 + x2) / 2;
    return [svg('path', { d: `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`, 'stroke-width': width.toFixed(2), 'stroke-dasharray': arcs[at][0] === 'tail' ? '6 3' : null })];
  };
  return svg('svg', { class: 'calls', viewBox: `0 0 900 ${tall}`, role: 'group', 'aria-label': `Calls of ${F.name[f]}` },
    left.map((at, k) => arc(220, offset(left) + k * step + 12, 340, middle, at)), right.map((at, k) => arc(560, middle, 680, offset(right) + k * step + 12, at)),
    left.map((at, k) => [box(0, offset(left) + k * step, arcs[at][1]), svg('text', { x: 226, y: offset(left) + k * step + 8, class: 'count' }, `${grouped(arcs[at][3])} \u00d7`)]),
    right.map((at, k) => [box(680, offset(right) + k * step, arcs[at][2]), svg('text', { x: 674, y: offset(right) + k * step + 8, class: 'count', 'text-anchor': 'end' }, `${grouped(arcs[at][3])} \u00d7`)]),
    box(340, middle - 12, f, true));
}
const h2svgTitle = (text) => svg('title', null, text);
