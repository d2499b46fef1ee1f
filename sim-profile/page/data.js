'use strict';
// The data of the page, and ways through it. Sums stand in the data; here is only who belongs to whom.
const D = JSON.parse(document.getElementById('data').textContent);
const I = D.instructions;
const F = D.functions;
const C = D.code;
const L = D.lines;

// Counts that a number would round are texts; for lengths and orders the nearest number will do.
const num = (count) => (typeof count === 'number' ? count : Number(count));
const most = (counts) => counts.reduce((top, count) => Math.max(top, num(count)), 0);
const range = (length) => Array.from({ length }, (_, index) => index);
const once = (make) => { let made; return () => (made ??= make()); };

const chainOf = (instruction) => I.name[instruction].split(/[()]+/).filter(Boolean);
const labels = once(() => {
  const last = range(I.name.length).map((i) => chainOf(i).at(-1) ?? I.name[i]);
  const alike = new Map();
  last.forEach((name, i) => alike.set(name, [...(alike.get(name) ?? []), i]));
  return last.map((name, i) => told(alike.get(name))(i) ?? name);
});
// Of instructions with one name: those names before it that tell them apart, the innermost first, until
// they do.
const told = (same) => {
  const words = new Map(same.map((i) => [i, [chainOf(i).at(-1)]]));
  const isTold = () => new Set([...words.values()].map(String)).size === same.length;
  const longest = Math.max(...same.map((i) => chainOf(i).length));
  for (let back = 2; back <= longest && !isTold(); back += 1) {
    const names = same.map((i) => chainOf(i).at(-back));
    if (new Set(names).size > 1) same.forEach((i, at) => names[at] && words.get(i).unshift(names[at]));
  }
  return (i) => words.get(i)?.join(' ') || null;
};
const labelOf = (instruction) => labels()[instruction];
const pathOf = (instruction) => chainOf(instruction).join('.');
const instructionAt = (path) => range(I.name.length).find((i) => pathOf(i) === path) ?? -1;
const functionAt = (name) => F.name.indexOf(name);
const address = (digits) => (digits === '' ? '' : '0x' + digits.padStart(D.address_digits, '0'));
const locationOf = (name) => D.description?.locations[name] ?? '';
const modelFiles = D.description?.sources?.files ?? [];
// Where something is declared, `FILE:LINE` without folders, as a link to that line where it can be shown.
const declared = (name) => {
  const place = locationOf(name);
  const cut = place.lastIndexOf(':');
  const file = modelFiles.find((one) => baseName(one.name) === place.slice(0, cut));
  return file ? link(to.model(file, Number(place.slice(cut + 1))), place) : place;
};

// Rows of the code by what they belong to; made when first asked for.
const group = (keys) => {
  const rows = new Map();
  keys.forEach((key, row) => {
    for (const one of [key].flat()) {
      if (!rows.has(one)) rows.set(one, []);
      rows.get(one).push(row);
    }
  });
  return rows;
};
const rowsByInstruction = once(() => group(C.instruction));
const rowsByFunction = once(() => group(C.function));
const rowsByLine = once(() => group(C.line));
const rowByAddress = once(() => {
  const rows = new Map();
  C.address.forEach((digits, row) => { if (!rows.has(digits)) rows.set(digits, row); });
  return rows;
});
const digitsOf = (text) => text.toLowerCase().replace(/^0x/, '').replace(/^0+(?=.)/, '');
// The row that a link means: `0x...`, the first one there, or `0x...+N`, the Nth behind it where code was overwritten.
const rowOf = (argument) => {
  const [digits, further] = argument.split('+');
  const first = rowByAddress().get(digitsOf(digits)) ?? -1;
  const row = first + Number(further ?? 0);
  return first >= 0 && C.address[row] === C.address[first] ? row : -1;
};
const textOf = (row) => C.text[row] || C.instruction[row].map(labelOf).join(' | ');
const lineName = (line) => (line < 0 ? '' : `${baseName(D.sources[L.source[line]].name)}:${L.number[line]}`);
const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
// Names of files without the folders that they have in common, and without ways up and down again.
const shortened = (paths) => {
  const parts = paths.map((path) => path.split('/').reduce((kept, part) => {
    const goesBack = part === '..' && kept.length > 0 && !['..', ''].includes(kept.at(-1));
    return goesBack ? kept.slice(0, -1) : part === '.' ? kept : [...kept, part];
  }, []));
  let common = 0;
  while (parts.every((part) => part.length > common + 1 && part[common] === parts[0][common])) common += 1;
  return parts.map((part) => part.slice(common).join('/'));
};
const sourceNames = once(() => shortened(D.sources.map((source) => source.name)));
const modelNames = once(() => shortened(modelFiles.map((file) => file.name)));
const plural = (count, one, many) => `${grouped(count)} ${String(count) === '1' ? one : many}`;
// What was run.
const programsOf = () => (D.programs.length > 0 ? plural(D.programs.length, 'program', 'programs') : D.images.join(', '));
const excluded = once(() => new Map(D.coverage.excluded));
const isMissed = (i) => num(I.executed[i]) === 0 && !excluded().has(i);
const linesBySource = once(() => group(L.source));
const lineAt = (source, number) => (linesBySource().get(source) ?? []).find((line) => L.number[line] === number) ?? -1;

// Links: every view and everything in it has one.
const to = {
  instruction: (i) => `#instructions/${encodeURIComponent(pathOf(i))}`,
  operands: (i) => `#operands/${encodeURIComponent(pathOf(i))}`,
  function: (f) => `#functions/${encodeURIComponent(F.name[f])}`,
  row: (row) => `#code/${address(C.address[row])}${row > rowByAddress().get(C.address[row]) ? `+${row - rowByAddress().get(C.address[row])}` : ''}`,
  address: (digits) => `#code/${address(digits)}`,
  line: (line) => `#code/line/${encodeURIComponent(D.sources[L.source[line]].name)}/${L.number[line]}`,
  model: (file, line) => `#description/${encodeURIComponent(file.name)}/${line}`,
  resource: (r) => `#resources/${encodeURIComponent(D.resources.resources[r][0])}`,
};
