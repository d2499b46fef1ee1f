// The pipeline in the cycles that were chosen: instructions downwards, cycles across.
const CYCLE = 22;
function viewPipeline(argument) {
  const P = D.pipeline;
  const title = opening('Pipeline', 'Which instruction was in which stage. Hatched: it stands there or has to try again; \u00d7: it was cancelled; !: its fault struck.');
  if (!P) return [title, gaps('pipeline')];
  const first = num(P.first);
  const names = D.time.stages.map((stage) => stage[0]);
  // Letters where they tell the stages apart.
  const letters = names.map((name) => name.split('.').at(-1)[0].toUpperCase());
  const short = new Set(letters).size === letters.length ? letters : names.map((name) => name.split('.').at(-1));
  const stageOf = (stay) => names[stay[0]] ?? 'runs';
  const cyclesOf = ([, from, cycles]) => (cycles === 1 ? `cycle ${first + from}` : `cycles ${first + from} to ${first + from + cycles - 1}`);
  const endings = { x: 'cancelled', '!': 'at fault' };
  const tell = (at) => [
    ...P.rows[at][5].map((stay) => `${stageOf(stay)}${stay[3] ? ' (waits)' : ''} in ${cyclesOf(stay)}`),
    P.rows[at][3] && `${endings[P.rows[at][3]]} in cycle ${first + P.rows[at][4]}`,
  ].filter(Boolean).join(', ');
  const box = (left, width, text, kind, stage) => h('i', { class: kind, style: { left: `${left * CYCLE}px`, width: `${width * CYCLE - 1}px`, '--stage': stage } }, text);
  const lane = (at) => h('span', { class: 'lane' },
    h('span', { class: 'unseen' }, tell(at)),
    h('span', { 'aria-hidden': 'true' },
      P.rows[at][5].map((stay) => box(stay[1], stay[2], short[stay[0]] ?? '\u2022', stay[3] ? 'waits' : '', stay[0] < 0 ? 0 : stay[0])),
      P.rows[at][3] && box(P.rows[at][4], 1, P.rows[at][3] === 'x' ? '\u00d7' : '!', 'end', 0)));
  const ruler = h('span', { class: 'lane ruler' }, h('span', { class: 'unseen' }, 'Cycles'),
    h('span', { 'aria-hidden': 'true' }, range(P.cycles).filter((at) => (first + at) % 5 === 0 || at === 0).map((at) => h('i', { style: { left: `${at * CYCLE}px` } }, String(first + at)))));
  const nameOf = (at) => P.rows[at][2] || '(never decoded)';
  const beginOf = (at) => P.rows[at][5][0]?.[1] ?? P.rows[at][4];
  const status = h('p', { class: 'status', role: 'status' }, 'Choose an instruction to read where it was.');
  const width = P.cycles * CYCLE + 20;
  const label = isNarrow() ? 150 : 300;
  const table = new Table({
    label: 'pipeline', rows: range(P.rows.length), minimum: `${label + width}px`, height: '70vh',
    text: (at) => `${P.rows[at][0]} ${address(P.rows[at][1])} ${P.rows[at][2]}`,
    open: (at) => {
      const known = rowByAddress().has(P.rows[at][1]);
      status.replaceChildren(`${grouped(P.rows[at][0])}: `, known ? link(to.address(P.rows[at][1]), `${address(P.rows[at][1])} ${nameOf(at)}`) : `${address(P.rows[at][1])} ${nameOf(at)}`, `: ${tell(at)}`);
      table.grid.scrollLeft = Math.max(0, (beginOf(at) - 4) * CYCLE);
    },
    columns: [
      { title: 'Instruction', width: `${label}px`, class: 'pinned mono', cell: (at) => [link(to.address(P.rows[at][1]), address(P.rows[at][1])), ` ${nameOf(at)}`], hint: (at) => `${P.rows[at][0]}: ${nameOf(at)}` },
      { title: ruler, width: `${width}px`, class: 'lanes', cell: lane },
    ],
  });
  table.element.classList.add('pipeline');
  // Who reads downwards finds the cycles of what is seen.
  let top = 0;
  table.grid.addEventListener('scroll', () => {
    if (table.grid.scrollTop === top) return;
    top = table.grid.scrollTop;
    const at = table.rows[Math.min(table.rows.length - 1, Math.floor(top / table.rowHeight()))];
    if (at !== undefined) table.grid.scrollLeft = Math.max(0, (beginOf(at) - 2) * CYCLE);
  });
  const chosen = P.rows.findIndex((row) => String(row[0]) === argument);
  if (chosen >= 0) requestAnimationFrame(() => { table.mark([chosen]); table.open(chosen); });
  return [title, figures([['first cycle', grouped(P.first)], ['cycles', grouped(P.cycles)], ['instructions', grouped(P.rows.length)]], true),
    h('div', { class: 'legend' }, names.map((name, stage) => h('span', null, h('i', { class: 'stage', style: { '--stage': stage } }), `${short[stage]}: ${name}`))),
    table.withTools(), status];
}
