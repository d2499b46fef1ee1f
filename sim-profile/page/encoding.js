// The space of words: a cell for each value of the opcode's bits, coloured by use.
function viewEncoding(path) {
  const maps = D.description?.encodings ?? [];
  return [
    opening('Encoding', 'How the words that are decoded are used by the description, and by this run.'),
    gaps('encoding'),
    D.description && maps.length === 0 && h('p', { class: 'gap' }, 'The words are too many patterns to be counted.'),
    maps.map((map, index) => encodingMap(map, path.startsWith(`${index}:`) ? Number(path.slice(`${index}:`.length)) : -1, index)),
  ];
}

// How wide columns of words and of patterns have to be.
const longestOf = (texts) => texts.reduce((length, text) => Math.max(length, text.length), 0);
const mono = (texts) => Math.ceil(Math.max(130, 7.4 * longestOf(texts) + 24));
const digits = (amounts) => Math.ceil(Math.max(120, 7.8 * longestOf(amounts.map((amount) => grouped(amount))) + 24));
// A pattern with long runs of bits that may be anything as their number: `x{40}1011x{5}`.
const LONG_RUN = 33;
const briefly = (pattern) => (pattern.length <= LONG_RUN + 2 ? pattern : pattern.replace(/x{5,}/g, (run) => `x{${run.length}}`));

function encodingMap(map, chosen, index) {
  const top = most(map.opcodes.map((opcode) => opcode[2]));
  const rowsOf = (opcode) => map.rows.filter((row) => row[4].includes(opcode));
  const cell = ([digits, used, executed], opcode) => {
    const isFree = Number.parseFloat(used) === 0;
    const names = rowsOf(opcode).map((row) => row[6]);
    const shown = names.slice(0, 3).join(' ') + (names.length > 3 ? ` +${names.length - 3}` : '');
    return h('button', {
      type: 'button', class: isFree ? 'free' : null, 'aria-pressed': String(opcode === chosen), style: isFree ? {} : { background: heat(executed, top) },
      title: `${map.opcode} = ${digits}: ${used} of its words are used; executed ${grouped(executed)}`,
      on: { click: () => go(`#encoding/${index}:${opcode}`) },
    }, h('b', null, digits), isFree ? 'free' : shown);
  };
  const across = 2 ** Math.min(isNarrow() ? 2 : 3, Math.ceil(Math.log2(Math.max(1, map.opcodes.length)) / 2));
  const rows = range(map.rows.length);
  const table = new Table({
    label: `encodings of ${map.name}`, rows, height: '50vh', text: (at) => `${map.rows[at][6]} ${map.rows[at][1]}`, minimum: `${520 + digits(map.rows.map((row) => row[2]))}px`,
    open: (at) => map.rows[at][0] >= 0 && go(to.instruction(map.rows[at][0])), rowClass: (at) => (num(map.rows[at][5]) === 0 ? 'never' : null),
    columns: [
      { title: 'Instruction', width: 'minmax(0, .5fr)', cell: (at) => (map.rows[at][0] < 0 ? map.rows[at][6] : link(to.instruction(map.rows[at][0]), map.rows[at][6])), value: (at) => map.rows[at][6] },
      { title: 'Encoding', class: 'mono', cell: (at) => map.rows[at][1], value: (at) => map.rows[at][1] },
      { title: 'Words', number: true, width: `${digits(map.rows.map((row) => row[2]))}px`, cell: (at) => grouped(map.rows[at][2]), value: (at) => map.rows[at][2] },
      { title: 'Share', number: true, width: '90px', cell: (at) => map.rows[at][3], value: (at) => Number.parseFloat(map.rows[at][3]) },
      { title: 'Executed', number: true, width: '120px', cell: (at) => grouped(map.rows[at][5]), value: (at) => map.rows[at][5] },
    ],
  });
  if (chosen >= 0) table.keep((at) => map.rows[at][4].includes(chosen));
  return [
    h('h2', null, `${map.name}, decoded by ${map.decoder}`),
    h('p', { class: 'muted' }, `Words of ${map.width_bits} bits; ${grouped(map.used[0])} are used, ${map.used[1]}.`),
    map.opcodes.length > 0 && [
      h('div', { class: 'legend' }, h('span', null, `A cell for each value of ${map.opcode}`), h('span', null, h('i', { style: { background: heat(1, 1) } }), 'executed often'), h('span', null, h('i', { style: { background: 'var(--panel)' } }), 'never executed'), h('span', null, h('i', { class: 'free' }), 'free')),
      h('div', { class: 'opcodes', style: { 'grid-template-columns': `repeat(${across}, minmax(0, 1fr))` } }, map.opcodes.map(cell))],
    chosen >= 0 && map.opcodes[chosen] && h('p', { id: 'chosen' }, `${map.opcode} = ${map.opcodes[chosen][0]}: ${map.opcodes[chosen][1]} of its words are used. `, link('#encoding', 'Show all')),
    table.withTools(),
    map.free.length > 0 && [h('h3', null, 'Free words'), new Table({
      label: `free words of ${map.name}`, rows: range(map.free.length), height: '30vh',
      minimum: `${Math.max(420, mono(map.free.map(({ pattern }) => briefly(pattern))) + digits(map.free.map((free) => free.words)) + mono(map.free.map((free) => free.example)))}px`,
      columns: [
        { title: 'Pattern', class: 'mono', width: `minmax(${mono(map.free.map(({ pattern }) => briefly(pattern)))}px, 1fr)`, cell: (at) => briefly(map.free[at].pattern), hint: (at) => map.free[at].pattern },
        { title: 'Words', number: true, width: `${digits(map.free.map((free) => free.words))}px`, cell: (at) => grouped(map.free[at].words) },
        { title: 'For example', width: `${mono(map.free.map((free) => free.example))}px`, class: 'mono', cell: (at) => map.free[at].example },
      ],
    }).element],
  ];
}
