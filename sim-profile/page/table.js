// A table of any length: only the rows that are seen are elements. Sorted by its headings, searched
// by its field, walked through by arrow keys, opened by Enter.
const MOST_PRINTED = 3000;
const tables = new Set();
let tableNumber = 0;

// Columns: title, width, cell(id) and, where it can be sorted, value(id); `wide` ones are left out
// on narrow screens, those with `isForScreen` on paper. Rows are ids, in the order that they have by themselves.
class Table {
  constructor({ label, columns, rows, open, text, sort, rowClass, height, minimum }) {
    Object.assign(this, { label, open, text, rowClass });
    this.columns = columns.filter((column) => !(column.wide && isNarrow()));
    this.number = tableNumber++;
    this.all = rows;
    this.rows = rows;
    this.active = -1;
    this.marked = new Set();
    this.sorting = sort ?? null;
    this.drawn = [-1, -1];
    this.make(height, minimum);
    this.refresh();
    tables.add(this);
  }

  make(height, minimum) {
    this.headings = this.columns.map((column, index) => h('span', { role: 'columnheader', class: column.number ? 'number' : null },
      column.value ? h('button', { type: 'button', on: { click: () => this.sortBy(index) } }, column.title) : column.title || h('span', { class: 'unseen' }, column.name ?? 'share')));
    this.head = h('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, this.headings);
    this.space = h('div', { class: 'space', role: 'rowgroup' });
    // The grid is what is scrolled and what has the focus; its headings stay.
    this.grid = h('div', { role: 'grid', tabindex: 0, 'aria-label': this.label, style: { '--columns': this.tracks(), '--minimum': minimum ?? '0' }, on: { scroll: () => this.draw(), keydown: (event) => this.key(event) } },
      h('div', { role: 'rowgroup', class: 'heads' }, this.head), this.space);
    this.empty = h('p', { class: 'empty', hidden: true });
    this.element = h('div', { class: 'table', style: height ? { '--height': height } : {} }, this.grid, this.empty);
    this.count = h('span', { class: 'count', role: 'status' });
    this.field = this.text && h('input', { type: 'search', placeholder: 'Filter', 'aria-label': `Filter ${this.label}`, on: { input: () => this.refresh() } });
    new ResizeObserver(() => this.draw(true)).observe(this.grid);
  }

  tracks() {
    return this.columns.map((column) => column.width ?? 'minmax(80px, 1fr)').join(' ');
  }

  // The field and further tools above, and the table.
  withTools(...tools) {
    return [h('div', { class: 'tools' }, this.field, tools, this.count), this.element];
  }

  keep(test) {
    this.test = test;
    this.refresh();
  }

  sortBy(index) {
    const descending = this.sorting?.index === index ? !this.sorting.descending : Boolean(this.columns[index].number);
    this.sorting = { index, descending };
    this.refresh();
  }

  refresh() {
    const wanted = (this.field?.value ?? '').trim().toLowerCase();
    const fits = (id) => (!this.test || this.test(id)) && (!wanted || this.text(id).toLowerCase().includes(wanted));
    const active = this.rows[this.active];
    this.rows = wanted || this.test ? this.all.filter(fits) : this.all;
    if (this.sorting && this.columns[this.sorting.index]?.value) this.rows = this.sorted(this.rows);
    this.headings.forEach((heading, index) => {
      if (!this.columns[index].value) return;
      const order = this.sorting?.index !== index ? 'none' : this.sorting.descending ? 'descending' : 'ascending';
      heading.setAttribute('aria-sort', order);
    });
    this.active = active === undefined ? -1 : this.rows.indexOf(active);
    this.grid.setAttribute('aria-rowcount', this.rows.length + 1);
    this.count.textContent = this.rows.length === this.all.length ? plural(this.all.length, 'row', 'rows') : `${grouped(this.rows.length)} of ${plural(this.all.length, 'row', 'rows')}`;
    this.empty.hidden = this.rows.length > 0;
    this.empty.textContent = this.all.length > 0 ? 'Nothing fits.' : 'There are none.';
    this.grid.scrollTop = 0;
    this.draw(true);
  }

  sorted(rows) {
    const { index, descending } = this.sorting;
    const { value, number } = this.columns[index];
    const keyed = Array.from(rows, (id, at) => [number ? num(value(id)) : String(value(id)), at, id]);
    const sign = descending ? -1 : 1;
    keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
    return keyed.map((entry) => entry[2]);
  }

  rowHeight() {
    this.height ??= parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 24;
    return this.height;
  }

  draw(anew) {
    if (!this.element.isConnected || this.isPrinted) return;
    const height = this.rowHeight();
    this.space.style.height = `${this.rows.length * height}px`;
    const seen = this.grid.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.grid.scrollTop / height) - 6);
    const last = Math.min(this.rows.length, Math.ceil((this.grid.scrollTop + seen) / height) + 6);
    if (!anew && first === this.drawn[0] && last === this.drawn[1]) return;
    this.drawn = [first, last];
    this.space.replaceChildren(...range(last - first).map((at) => this.row(first + at, height)));
    const shown = this.active >= first && this.active < last;
    if (shown) this.grid.setAttribute('aria-activedescendant', this.rowId(this.active));
    else this.grid.removeAttribute('aria-activedescendant');
  }

  rowId(at) { return `row-${this.number}-${at}`; }

  row(at, height) {
    const id = this.rows[at];
    const classes = [this.open && 'opens', at === this.active && 'active', this.marked.has(id) && 'marked', this.rowClass?.(id)];
    const cells = this.columns.map((column) => {
      const content = column.cell(id);
      return h('span', { role: 'gridcell', class: column.number ? 'number' : column.class, title: column.hint?.(id) }, content);
    });
    const act = (event) => { if (!event.target.closest('a')) { this.select(at); this.open?.(id); } };
    return h('div', { role: 'row', id: this.rowId(at), 'aria-rowindex': at + 2, 'aria-selected': this.marked.has(id) ? 'true' : null,
      class: classes.filter(Boolean).join(' '), style: { top: `${at * height}px` }, on: { click: act } }, cells);
  }

  select(at) {
    this.active = at;
    this.show(at);
    this.draw(true);
  }

  show(at, centred) {
    const height = this.rowHeight();
    const [top, seen] = [this.grid.scrollTop, this.grid.clientHeight - this.head.offsetHeight];
    this.space.style.height = `${this.rows.length * height}px`;
    if (centred && (at * height < top + height || (at + 2) * height > top + seen)) this.grid.scrollTop = at * height - seen / 3;
    else if (at * height < top) this.grid.scrollTop = at * height;
    else if ((at + 1) * height > top + seen) this.grid.scrollTop = (at + 1) * height - seen;
  }

  // Marks rows by their ids, and shows the first of them.
  mark(ids, scroll = true) {
    this.marked = new Set(ids);
    const first = this.rows.findIndex((id) => this.marked.has(id));
    if (first >= 0 && scroll) { this.active = first; this.show(first, true); }
    this.draw(true);
  }

  key(event) {
    if (event.target !== this.grid) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.rowHeight()) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    if (event.key in steps && this.rows.length > 0) {
      this.select(Math.min(this.rows.length - 1, Math.max(0, this.active + steps[event.key])));
    } else if (event.key === 'Enter' && this.active >= 0) this.open?.(this.rows[this.active]);
    else return;
    event.preventDefault();
  }

  print(isPrinted) {
    this.isPrinted = isPrinted;
    // Paper is narrow: bars and what other columns say already are for the screen.
    const all = this.onScreen ?? this.columns;
    this.onScreen = isPrinted ? all : null;
    this.columns = isPrinted ? all.filter((column) => !column.isForScreen) : all;
    this.headings.forEach((heading, at) => { heading.hidden = isPrinted && Boolean(all[at].isForScreen); });
    this.grid.style.setProperty('--columns', this.tracks());
    if (!isPrinted) { this.note?.remove(); this.draw(true); return; }
    const shown = Math.min(this.rows.length, MOST_PRINTED);
    this.space.replaceChildren(...range(shown).map((at) => this.row(at, this.rowHeight())));
    this.note = h('p', { class: 'empty' }, `${grouped(shown)} of ${grouped(this.rows.length)} rows are printed. Filter the table to print others.`);
    if (shown < this.rows.length) this.element.append(this.note);
  }
}
window.addEventListener('beforeprint', () => tables.forEach((table) => table.element.isConnected && table.print(true)));
window.addEventListener('afterprint', () => tables.forEach((table) => table.element.isConnected && table.print(false)));

// Columns that several tables have.
// Wide enough for the longest count of a column, and for its title.
const fitting = (title, column) => `${Math.max(8.5 * title.length + 12, 7.6 * grouped(most(column)).length + 2) + 20}px`;
const counts = (title, column, more = {}) => ({ title, number: true, width: fitting(title, column), value: (id) => column[id], cell: (id) => grouped(column[id]), ...more });
const bars = (column, width = '92px') => {
  const top = most(column);
  return { title: '', name: 'share', width, wide: true, isForScreen: true, cell: (id) => share(column[id], top) };
};
const go = (href) => { location.hash = href; };
