// Stacks of calls: the outermost function on top, the wider the more cycles it and all below it took.
const NARROWEST = 0.0008;
function viewFlame(argument) {
  const S = D.calls.stacks;
  if (S.length === 0) return [opening('Flame graph', 'Cycles by stack of calls.'), gaps('flame')];
  const children = new Map();
  S.forEach(([parent], at) => { if (!children.has(parent)) children.set(parent, []); children.get(parent).push(at); });
  const named = argument.startsWith('function/') ? argument.slice('function/'.length) : null;
  const wanted = named === null ? Number(argument || -1) : -1;
  const root = wanted >= 0 && wanted < S.length ? wanted : -1;
  const lit = named === null ? -1 : functionAt(named);
  const nameOf = (at) => (S[at][1] < 0 ? '[outside of all files]' : F.name[S[at][1]]);
  const status = h('p', { class: 'status', role: 'status' }, 'Choose a stack to see it alone.');
  const tell = (at) => { status.textContent = `${nameOf(at)}: ${grouped(S[at][3])} cycles with what it called, ${grouped(S[at][2])} by itself`; };
  const chart = h('div', { class: 'flame', role: 'group', 'aria-label': 'Flame graph', tabindex: -1 });
  const box = (at, left, width, depth) => h('button', {
    type: 'button', tabindex: -1, 'data-stack': at, title: `${nameOf(at)}: ${grouped(S[at][3])} cycles, ${grouped(S[at][2])} by itself`, 'aria-label': `${nameOf(at)}, ${S[at][3]} cycles`,
    style: { left: `${left * 100}%`, width: `${width * 100}%`, top: `${depth * 20}px`, background: lit < 0 || S[at][1] === lit ? heat(S[at][2], ownTop) : 'var(--panel)', 'font-weight': S[at][1] === lit ? '600' : 'normal' },
    on: { click: () => go(`#flame/${at}`), focus: () => tell(at), mouseenter: () => tell(at) },
  }, width > 0.02 ? nameOf(at) : '');
  const ownTop = most(S.map((stack) => stack[2]));
  let deepest = 0;
  const boxes = [];
  const lay = (ids, left, width, whole, depth) => {
    for (const at of [...ids].sort((a, b) => num(S[b][3]) - num(S[a][3]) || a - b)) {
      const part = whole > 0 ? width * (num(S[at][3]) / whole) : 0;
      if (part < NARROWEST) break;
      deepest = Math.max(deepest, depth + 1);
      boxes.push(box(at, left, part, depth));
      lay(children.get(at) ?? [], left, part, num(S[at][3]), depth + 1);
      left += part;
    }
  };
  const above = [];
  for (let at = root; at >= 0; at = S[at][0]) above.unshift(at);
  above.slice(0, -1).forEach((at, depth) => { boxes.push(box(at, 0, 1, depth)); deepest = depth + 1; });
  const first = root >= 0 ? [root] : children.get(-1) ?? [];
  const whole = first.reduce((sum, at) => sum + num(S[at][3]), 0);
  lay(first, 0, 1, whole, Math.max(0, above.length - 1));
  chart.append(h('div', { style: { height: `${deepest * 20}px` } }), ...boxes);
  if (boxes[0]) boxes[0].tabIndex = 0;
  chart.addEventListener('keydown', (event) => flameKey(event, children, S));
  return [
    opening('Flame graph', 'Cycles by stack of calls: callers above, callees below; the colour says how many cycles a function took there by itself.'),
    gaps('flame'),
    num(D.calls.forgotten) > 0 && h('p', { class: 'gap' }, `${grouped(D.calls.forgotten)} calls were forgotten before they returned, since the stack was full.`),
    h('p', { class: 'crumbs' }, link('#flame', 'All stacks'), above.map((at) => [' \u203a ', link(`#flame/${at}`, nameOf(at))]), root >= 0 && S[root][1] >= 0 && ['  ', link(to.function(S[root][1]), 'to the function')]),
    chart, status,
  ];
}

function flameKey(event, children, S) {
  const here = event.target.closest('button');
  if (!here) return;
  const at = Number(here.dataset.stack);
  const find = (stack) => event.currentTarget.querySelector(`[data-stack="${stack}"]`);
  const siblings = [...event.currentTarget.querySelectorAll('button')].filter((box) => S[Number(box.dataset.stack)][0] === S[at][0]);
  const next = {
    ArrowUp: () => find(S[at][0]), ArrowDown: () => [...(children.get(at) ?? [])].map(find).filter(Boolean).sort((a, b) => parseFloat(b.style.width) - parseFloat(a.style.width))[0],
    ArrowRight: () => siblings[siblings.indexOf(here) + 1], ArrowLeft: () => siblings[siblings.indexOf(here) - 1],
  }[event.key]?.();
  if (event.key === 'Escape') go('#flame');
  if (!next) return;
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
}
