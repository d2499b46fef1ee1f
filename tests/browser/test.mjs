// What a reader does with the page of a profile, done in a browser:
//
//   node test.mjs PROGRAM.html PIPELINE.html OTHER.html LARGE.html ADVICE.html SUITE.html [FOLDER-FOR-SCREENSHOTS]
//
// PROGRAM is of a program with lines and followed calls, PIPELINE of a cycle-accurate model, OTHER of
// any other model, LARGE of a program of 100,000 instructions; ADVICE is the page of gentool advise,
// SUITE one of several programs, with instructions that are excluded.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Page, VIEWS, digits, launch } from './page.mjs';

const [program, pipeline, other, large, advice, suite, shots] = process.argv.slice(2);
const browser = await launch();
const tests = [];
const test = (name, run) => tests.push([name, run]);

// The page of a file with other data in it.
const folder = mkdtempSync(join(tmpdir(), 'pages-'));
const changed = (file, change) => {
  const [, before, json, behind] = readFileSync(file, 'utf8').match(/^(.*? id="data">)(.*?)(<\/script>.*)$/s);
  const data = JSON.parse(json);
  change(data);
  const path = join(folder, `${tests.length}-${Math.round(performance.now() * 1000)}.html`);
  writeFileSync(path, before + JSON.stringify(data).replaceAll('<', '\\u003c') + behind);
  return path;
};

for (const [name, file] of [['program', program], ['pipeline', pipeline], ['other', other], ['suite', suite]]) {
  test(`${name}: every view shows itself, is quiet and accessible, light and dark`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await Page.open(browser, file, '', { colorScheme });
      for (const view of VIEWS) {
        await page.go(`#${view}`);
        assert.equal(await page.tab.locator('nav a[aria-current=page]').getAttribute('href'), `#${view}`);
        assert.notEqual(await page.title(), '');
        await page.checkAccessible(`${view} of ${name} in ${colorScheme}`);
        if (shots) await page.tab.screenshot({ path: `${shots}/${name}-${view}-${colorScheme}.png` });
      }
      await page.close();
    }
  });
  test(`${name}: no view is wider than a phone`, async () => {
    const page = await Page.open(browser, file, '', { width: 390, height: 844 });
    for (const view of VIEWS) {
      await page.go(`#${view}`);
      const [wide, seen] = await page.tab.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(wide <= seen, `${view} is ${wide} wide`);
      if (shots) await page.tab.screenshot({ path: `${shots}/${name}-${view}-phone.png` });
    }
    await page.checkAccessible(`${name} on a phone`);
    await page.close();
  });
}

test('the advice is quiet and accessible, and as wide as the window', async () => {
  for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 390]]) {
    const page = await Page.open(browser, advice, '', { colorScheme, width, reads: false });
    assert.ok((await page.tab.locator('tbody tr').count()) > 50);
    const [wide, seen] = await page.tab.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide <= seen, `the advice is ${wide} wide`);
    await page.checkAccessible(`advice in ${colorScheme}, ${width} wide`);
    // Lists are reached and moved by the keyboard.
    await page.tab.locator('[role=region]').first().focus();
    assert.equal(await page.tab.evaluate(() => document.activeElement.getAttribute('role')), 'region');
    if (shots) await page.tab.screenshot({ path: `${shots}/advice-${colorScheme}-${width}.png`, fullPage: true });
    await page.close();
  }
});

test('the figures that are seen are those of the data', async () => {
  const page = await Page.open(browser, program);
  const shown = await page.tab.locator('.figures dd').allInnerTexts();
  const executed = page.data.summary.find((figure) => figure.name === 'executed').value;
  assert.equal(digits(shown[0]), String(executed));
  assert.ok(shown.includes(`${page.data.coverage.percent} %`));
  await page.close();
});

test('the tree opens down to operands and leads to the code', async () => {
  const page = await Page.open(browser, program, '#instructions');
  const item = page.tab.locator('[role=treeitem][aria-level="4"]', { has: page.tab.locator('a', { hasText: /^add$/ }) });
  assert.equal(await item.getAttribute('aria-expanded'), 'false');
  await item.locator('.name').click({ position: { x: 4, y: 8 } });
  assert.equal(await item.getAttribute('aria-expanded'), 'true');
  assert.ok((await item.locator('xpath=following-sibling::*').getByRole('treeitem').count()) >= 1, 'operands are below');
  await item.locator('a').click();
  await page.settle();
  assert.equal(await page.title(), 'add');
  assert.match(await page.tab.locator('main').innerText(), /integer\.isac:\d+/, 'the line of the description');
  await page.tab.locator('[role=grid][aria-label="addresses"] .space a').first().click();
  await page.settle();
  assert.match(await page.hash(), /^#code\/0x[0-9a-f]+$/);
  const marked = await page.tab.locator('[aria-label="Code"] .space [role=row].active').innerText();
  assert.match(marked, /\badd\b/);
  await page.tab.locator('.status a', { hasText: /^add$/ }).click();
  await page.settle();
  assert.equal(await page.title(), 'add', 'and back');
  await page.close();
});

test('what was never executed can be seen alone', async () => {
  const page = await Page.open(browser, program, '#instructions');
  await page.tab.getByRole('button', { name: 'Never executed' }).click();
  await page.settle();
  assert.equal(Number(await page.grid('instructions').getAttribute('aria-rowcount')) - 1, page.data.coverage.unused);
  const executed = await page.column('instructions', 1);
  assert.ok(executed.length > 0 && executed.every((count) => digits(count) === '0'));
  await page.close();
});

test('search finds functions, instructions, addresses and lines', async () => {
  const page = await Page.open(browser, program);
  for (const [text, hash] of [['main', '#functions/main'], ['addi', '#instructions/decode.instr.computational.addi']]) {
    await page.press('/');
    await page.tab.keyboard.type(text);
    assert.ok(await page.tab.locator('#found').isVisible());
    await page.press('Enter');
    assert.equal(await page.hash(), hash);
  }
  const digitsOfOne = page.data.code.address[7];
  await page.press('/');
  await page.tab.keyboard.type(`0x${digitsOfOne}`);
  await page.press('Enter');
  assert.equal(await page.hash(), `#code/0x${digitsOfOne.padStart(page.data.address_digits, '0')}`);
  await page.press('/');
  await page.tab.keyboard.type('#include');
  await page.press('ArrowDown', 'Enter');
  assert.match(await page.hash(), /^#code\/line\/.*\/\d+$/);
  await page.press('/');
  await page.tab.keyboard.type('no such thing anywhere');
  assert.match(await page.tab.locator('#found').innerText(), /Nothing has that name/);
  await page.press('Escape');
  assert.ok(await page.tab.locator('#found').isHidden());
  await page.close();
});

test('tables are sorted by their headings, and filtered', async () => {
  const page = await Page.open(browser, program, '#functions');
  const heading = page.grid('functions').locator('[role=columnheader]', { hasText: 'Cycles' });
  const expected = [...page.data.functions.cycles].sort((a, b) => b - a).map(String);
  const shown = async () => (await page.column('functions', 1)).map(digits);
  assert.equal(await heading.getAttribute('aria-sort'), 'descending');
  assert.deepEqual(await shown(), expected.slice(0, (await shown()).length));
  await heading.locator('button').click();
  assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
  assert.deepEqual(await shown(), expected.reverse().slice(0, (await shown()).length));
  await page.tab.getByRole('searchbox', { name: 'Filter functions' }).fill('main');
  assert.deepEqual(await page.column('functions', 0), ['main']);
  await page.close();
});

test('source and code follow each other', async () => {
  const page = await Page.open(browser, program, '#code');
  const { lines, code, sources } = page.data;
  const line = lines.cycles.indexOf(Math.max(...lines.cycles.filter((_, at) => sources[lines.source[at]].text)));
  await page.go(`#code/line/${encodeURIComponent(sources[lines.source[line]].name)}/${lines.number[line]}`);
  const rows = code.line.filter((of) => of === line).length;
  const marked = page.tab.locator('[aria-label="Code"] .space [role=row].marked');
  assert.ok((await marked.count()) >= 1 && (await marked.count()) <= rows, `${await marked.count()} of ${rows}`);
  assert.equal(await page.tab.locator('[aria-label="Source"] .space [role=row].marked [role=gridcell]').first().innerText(), String(lines.number[line]));
  // A click on another instruction marks its line.
  const plain = page.tab.locator('[aria-label="Code"] .space [role=row]:not(.marked):not(.function)').nth(12);
  const address = (await plain.locator('[role=gridcell]').first().innerText()).trim();
  await plain.click();
  await page.settle();
  assert.equal(await page.hash(), `#code/${address}`);
  const row = code.address.indexOf(address.replace(/^0x0*/, ''));
  const number = await page.tab.locator('[aria-label="Source"] .space [role=row].marked [role=gridcell]').first().innerText();
  assert.equal(number, String(lines.number[code.line[row]]));
  // And a click on another line marks its instructions.
  const shown = page.tab.locator('[aria-label="Source"] .space [role=row]:not(.marked)').filter({ has: page.tab.locator('.share') });
  // By its number: it is drawn anew when it is scrolled to.
  const counted = page.tab.locator(`#${await shown.first().getAttribute('id')}`);
  const wanted = Number(await counted.locator('[role=gridcell]').first().innerText());
  await counted.click();
  await page.settle();
  assert.match(await page.hash(), new RegExp(`/${wanted}$`));
  assert.ok((await marked.count()) >= 1);
  await page.close();
});

test('links lead to one place, whoever opens them', async () => {
  const first = await Page.open(browser, program);
  const { code, functions, calls, address_digits: width } = first.data;
  await first.close();
  const row = Math.floor(code.address.length / 2);
  const address = `0x${code.address[row].padStart(width, '0')}`;
  let page = await Page.open(browser, program, `#code/${address}`);
  await page.settle();
  assert.match(await page.tab.locator('[aria-label="Code"] .space [role=row].active').innerText(), new RegExp(address));
  await page.close();
  const name = functions.name[calls.stacks.at(-1)[1]];
  page = await Page.open(browser, program, `#functions/${encodeURIComponent(name)}`);
  assert.equal(await page.title(), name);
  await page.tab.goBack().catch(() => null);
  await page.close();
  page = await Page.open(browser, program, '#nowhere/at all');
  assert.equal(await page.hash(), '#nowhere/at all');
  assert.equal(await page.tab.locator('nav a[aria-current=page]').getAttribute('href'), '#summary', 'what is not there is the summary');
  await page.close();
});

test('a link that leads nowhere is told, and no other', async () => {
  const page = await Page.open(browser, program, '#nowhere/at%20all');
  const lost = page.tab.locator('main .lost');
  assert.match(await lost.innerText(), /nothing at the link #nowhere\/at all; .* the view Summary/);
  for (const place of ['functions/nosuch', 'code/0xdeadbeef', 'code/line/no.c/3', 'instructions/decode.none', 'operands/x', 'resources/none', 'encoding/7:1', 'time/99', 'flame/123456', 'description/none.isac/3']) {
    await page.go(`#${place}`);
    assert.match(await lost.innerText(), new RegExp(`#${place}; .* the view`), place);
  }
  const { code, functions, sources, description } = page.data;
  const address = `0x${code.address[3].padStart(page.data.address_digits, '0')}`;
  for (const place of [...VIEWS, 'cycles', `functions/${functions.name[2]}`, `code/${address}`, `code/line/${encodeURIComponent(sources[0].name)}/3`, 'instructions/decode.instr.computational.addi', 'encoding/0:1', 'flame/0', `description/${encodeURIComponent(description.sources.files[0].name)}/3`]) {
    await page.go(`#${place}`);
    assert.equal(await lost.count(), 0, place);
  }
  await page.go('#cycles');
  assert.equal(await page.title(), 'Cycles');
  await page.close();
});

test('FILE:LINE, as the page writes it, is found', async () => {
  const page = await Page.open(browser, program);
  const source = page.data.sources.find((one) => one.name.endsWith('/csv.c'));
  const file = page.data.description.sources.files.find((one) => one.name.endsWith('integer.isac'));
  for (const [text, hash] of [['csv.c:50', `#code/line/${source.name}/50`], ['integer.isac:40', `#description/${file.name}/40`]]) {
    await page.press('/');
    await page.tab.keyboard.type(text);
    await page.press('Enter');
    assert.equal(await page.hash(), hash);
  }
  await page.close();
});

// What is wider than its pane is reached by scrolling that, and nothing is cut.
const cutTexts = (tab, label) => tab.evaluate((pane) => {
  const rows = [...document.querySelectorAll(`[aria-label="${pane}"] .space [role=row]`)];
  return rows.map((row) => row.lastElementChild).filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent);
}, label);

test('lines and instructions are read as a whole', async () => {
  for (const [file, width] of [[program, 1280], [pipeline, 1440], [program, 390]]) {
    const page = await Page.open(browser, file, '#code', { width });
    await page.settle();
    const { sources } = page.data;
    for (const source of sources.filter((one) => one.text).slice(0, 2)) {
      const longest = source.text.reduce((best, line, at) => (line.length > source.text[best].length ? at : best), 0);
      await page.go(`#code/line/${encodeURIComponent(source.name)}/${longest + 1}`);
      await page.settle();
      for (const pane of ['Source', 'Code']) assert.deepEqual(await cutTexts(page.tab, pane), [], `${pane} at ${width}`);
      const grid = page.grid(`source ${source.name}`);
      await grid.evaluate((pane) => { pane.scrollLeft = 1e6; });
      const [end, seen] = await grid.evaluate((pane) => [pane.querySelector('.space [role=row]').lastElementChild.getBoundingClientRect().right, pane.getBoundingClientRect().right]);
      assert.ok(end <= seen + 1, `the end of a line is at ${end} of ${seen}`);
    }
    await page.close();
  }
});

test('files and instructions of like names are told apart', async () => {
  const page = await Page.open(browser, pipeline, '#description', { width: 390, height: 844 });
  const names = await page.column('files of the description', 0);
  assert.equal(new Set(names).size, page.data.description.sources.files.length);
  assert.ok(names.every((name) => !name.includes('..') && !name.startsWith('/')), names.join(' '));
  assert.deepEqual(await page.tab.evaluate(() => [...document.querySelectorAll('[aria-label="files of the description"] .space [role=gridcell]:first-child')].filter((cell) => cell.scrollWidth > cell.clientWidth).length), 0);
  const labels = await page.tab.evaluate(() => {
    const set = ['issue(bundle(slot0(integer(li()))))', 'issue(bundle(slot1(integer(li()))))', 'issue(bundle(slot1(integer(nop()))))'];
    I.name.push(...set);
    const first = I.name.length - set.length;
    return [told([first, first + 1])(first), told([first, first + 1])(first + 1), told([first + 2])(first + 2), briefly(`0b${'x'.repeat(40)}1011xx`), briefly('0bxxxxxx01')];
  });
  assert.deepEqual(labels, ['slot0 li', 'slot1 li', 'nop', '0bx{40}1011xx', '0bxxxxxx01']);
  await page.close();
});

test('counts of branches are seen on a phone', async () => {
  const page = await Page.open(browser, program, '#branches', { width: 390, height: 844 });
  const right = await page.tab.evaluate(() => [...document.querySelectorAll('[aria-label="branches"] .space [role=row]')][0].querySelectorAll('.number')[1].getBoundingClientRect().right);
  assert.ok(right <= 390, `the other side ends at ${right}`);
  await page.close();
});

test('a suite of programs has its coverage, and says what it lacks', async () => {
  const page = await Page.open(browser, suite);
  assert.equal(await page.title(), `${page.data.programs.length} programs`);
  assert.deepEqual((await page.column('programs', 0)).sort(), ['crc32.elf', 'csv.elf']);
  assert.ok(!(await page.tab.locator('main').innerText()).includes('Functions by cycles'));
  for (const view of ['functions', 'flame', 'code', 'branches']) {
    await page.go(`#${view}`);
    assert.match(await page.tab.locator('main').innerText(), /of several programs/, view);
  }
  await page.go('#instructions');
  const [at, reason] = page.data.coverage.excluded[0];
  assert.match(await page.tab.locator('main .lede').innerText(), /excluded/);
  assert.ok((await page.tab.locator('.tree .badge', { hasText: 'excluded' }).count()) >= 1);
  assert.deepEqual(await page.column('excluded instructions', 1), page.data.coverage.excluded.map((row) => row[1]));
  await page.tab.getByRole('button', { name: 'Never executed' }).click();
  await page.settle();
  const last = page.data.instructions.name[at].split(/[()]+/).filter(Boolean).at(-1);
  assert.ok(!(await page.column('instructions', 0)).includes(last), 'what is excluded is not missed');
  await page.go(`#instructions/${page.data.instructions.name[at].split(/[()]+/).filter(Boolean).join('.')}`);
  assert.ok((await page.tab.locator('main').innerText()).includes(reason));
  await page.close();
});

test('long names and large counts lie over nothing', async () => {
  const long = `std::vector<${'std::pair<unsigned_long_long,double>'.repeat(12).replaceAll(' ', '')}>`;
  const most = '18446744073709551615';
  const file = changed(program, (data) => {
    data.functions.name[data.functions.cycles.indexOf(Math.max(...data.functions.cycles))] = long;
    for (const node of data.tree) [node.executed, node.cycles] = [most, most];
  });
  for (const [width, height] of [[1280, 860], [390, 844]]) {
    const page = await Page.open(browser, file, '', { width, height });
    const bars = await page.tab.evaluate(() => [...document.querySelectorAll('.bars')].flatMap((list) => {
      const boxes = [...list.children].map((child) => child.getBoundingClientRect());
      const rows = boxes.flatMap((box, at) => (at % 3 === 0 ? [boxes.slice(at, at + 3)] : []));
      return rows.map(([name, track, value]) => ({ high: name.height, track: track.width, apart: name.right <= track.left && track.right <= value.left, right: value.right }));
    }));
    assert.ok(bars.length > 10);
    for (const bar of bars) assert.ok(bar.high < 30 && bar.track >= 40 && bar.apart && bar.right <= width, `${width}: ${JSON.stringify(bar)}`);
    for (const view of [`functions/${encodeURIComponent(long)}`, 'functions', 'instructions', 'summary']) {
      await page.go(`#${view}`);
      assert.ok((await page.tab.evaluate(() => document.documentElement.scrollWidth)) <= width, `${view.slice(0, 20)} at ${width}`);
    }
    await page.go('#instructions');
    const cut = await page.tab.evaluate(() => [...document.querySelectorAll('.tree .line:not(.heading) > span:not(:first-child)')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0).map((cell) => cell.innerText));
    assert.deepEqual(cut, [], `${width}`);
    await page.close();
  }
});

test('the eleventh map and overwritten code can be chosen', async () => {
  const file = changed(program, (data) => {
    const [map] = data.description.encodings;
    data.description.encodings = Array.from({ length: 12 }, (_, at) => ({ ...map, name: `map${at}` }));
    data.code.address[5] = data.code.address[4];
    data.code.text[5] = 'the later word';
  });
  const page = await Page.open(browser, file, '#encoding/10:0');
  assert.match(await page.tab.locator('#chosen').innerText(), /bits 6\.\.2 = 00000/);
  const [href, address] = await page.tab.evaluate('[to.row(5), address(C.address[5])]');
  assert.equal(href, `#code/${address}+1`);
  await page.go(href);
  assert.match(await page.tab.locator('[aria-label="Code"] .space [role=row].active').innerText(), /the later word/);
  await page.go(`#code/${address}`);
  assert.doesNotMatch(await page.tab.locator('[aria-label="Code"] .space [role=row].active').innerText(), /the later word/);
  await page.go(`#code/${address}+2`);
  assert.match(await page.tab.locator('.gap.lost').innerText(), /nothing at the link/);
  await page.close();
});

test('branches that never ran are told, and lead to no code', async () => {
  const page = await Page.open(browser, program, '#branches');
  const never = page.data.branches.filter((branch) => branch.text !== undefined);
  assert.ok(never.length > 3 && never.every((branch) => branch.untaken === branch.sides.length), `${never.length}`);
  await page.tab.getByRole('searchbox', { name: 'Filter branches' }).fill(`0x${never[0].address.padStart(page.data.address_digits, '0')} ${never[0].text}`);
  await page.settle();
  const row = page.grid('branches').locator('.space [role=row]');
  assert.equal(await row.count(), 1);
  assert.equal(await row.locator('[role=gridcell]').first().locator('a').count(), 0, 'no link to code that the page has not');
  await page.close();
});

test('the keyboard is enough', async () => {
  const page = await Page.open(browser, program);
  await page.press('6');
  assert.equal(await page.hash(), '#functions');
  await page.grid('functions').focus();
  await page.press('ArrowDown', 'ArrowDown');
  const active = await page.grid('functions').getAttribute('aria-activedescendant');
  const name = await page.tab.locator(`#${active} [role=gridcell]`).first().innerText();
  await page.press('Enter');
  assert.equal(await page.title(), name);
  await page.press('2');
  await page.tab.locator('[role=tree] [role=treeitem]').first().focus();
  await page.press('ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter');
  assert.match(await page.hash(), /^#instructions\/decode\.instr\./);
  await page.press('7');
  await page.tab.locator('.flame button[tabindex="0"]').focus();
  await page.press('ArrowDown');
  assert.match(await page.tab.locator('.status').innerText(), /cycles with what it called/);
  await page.press('Enter');
  assert.match(await page.hash(), /^#flame\/\d+$/);
  await page.press('?');
  assert.ok(await page.tab.locator('#help').isVisible());
  await page.press('Escape');
  await page.press('t');
  assert.equal(await page.tab.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.close();
});

test('pairs of operands are a matrix, opcodes a map', async () => {
  const page = await Page.open(browser, program, '#operands/decode.instr.computational.add');
  const { data } = page;
  const add = data.instructions.name.indexOf('decode(instr(computational(add())))');
  const [, , cells] = data.description.operands[add].pairs[0];
  const matrix = page.tab.locator('.matrix').first();
  assert.equal(await matrix.locator('button').count(), cells.length);
  await matrix.locator('button').first().click();
  assert.match(await page.tab.locator('.status').first().innerText(), /executed \d/);
  await page.checkAccessible('the matrix');
  await page.go('#encoding');
  const map = data.description.encodings[0];
  assert.equal(await page.tab.locator('.opcodes button').count(), map.opcodes.length);
  const free = map.opcodes.filter((opcode) => Number.parseFloat(opcode[1]) === 0).length;
  assert.equal(await page.tab.locator('.opcodes button.free').count(), free);
  await page.tab.locator('.opcodes button:not(.free)').first().click();
  await page.settle();
  const wanted = map.rows.filter((row) => row[4].includes(0)).length;
  assert.equal((await page.column(`encodings of ${map.name}`, 0)).length, wanted);
  await page.close();
});

test('a pipeline tells where the cycles went', async () => {
  const page = await Page.open(browser, pipeline, '#time');
  const { time } = page.data;
  assert.ok(time.stages.length > 0 && time.lost.length > 0);
  assert.equal(await page.tab.locator('main .bars .track').count(), time.stages.length);
  await page.tab.locator('[role=grid][aria-label="causes of lost cycles"] .space [role=row]').first().click();
  await page.settle();
  assert.ok((await page.column('instructions that lost them', 0)).length > 0);
  await page.close();
});

test('the pipeline in chosen cycles leads to the code and back', async () => {
  const page = await Page.open(browser, pipeline, '#pipeline');
  const { pipeline: view, time } = page.data;
  assert.equal(Number(await page.grid('pipeline').getAttribute('aria-rowcount')) - 1, view.rows.length);
  // The boxes of a row are its stays, in its cycles.
  const stays = (at) => view.rows[at][5];
  const boxes = page.grid('pipeline').locator('.space [role=row]').nth(2).locator('.lane [aria-hidden] i');
  assert.equal(await boxes.count(), stays(2).length + (view.rows[2][3] ? 1 : 0));
  const left = (await boxes.first().evaluate((box) => parseFloat(box.style.left))) / 22;
  assert.equal(left, stays(2)[0][1]);
  await page.grid('pipeline').focus();
  await page.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  const said = await page.tab.locator('.status').innerText();
  assert.ok(stays(2).every(([stage]) => said.includes(time.stages[stage][0])), said);
  // Who reads downwards finds the cycles of what is seen.
  await page.press('End');
  assert.ok((await page.grid('pipeline').evaluate((grid) => grid.scrollLeft)) > 0);
  await page.grid('pipeline').locator('.space [role=row] a').last().click();
  await page.settle();
  assert.equal(await page.title(), 'Code');
  await page.go(`#pipeline/${view.rows[9][0]}`);
  await page.settle();
  assert.match(await page.grid('pipeline').locator('.space [role=row].marked').innerText(), new RegExp(view.rows[9][1]));
  await page.close();
});

test('the description tells what of it never ran, and leads to instructions and back', async () => {
  const page = await Page.open(browser, program, '#description');
  const { sources } = page.data.description;
  assert.ok(sources.files.length > 1 && sources.lines[0] < sources.lines[1]);
  assert.match(await page.tab.locator('.lede').innerText(), new RegExp(`${sources.lines[0]} of ${sources.lines[1]} lines ran, ${sources.lines[2]} %`));
  await page.grid('files of the description').locator('a', { hasText: 'integer.isac' }).click();
  await page.settle();
  const file = sources.files.find((one) => one.name.endsWith('/integer.isac'));
  const grid = page.grid(`description ${file.name}`);
  assert.equal(Number(await grid.getAttribute('aria-rowcount')) - 1, file.text.length);
  // A filter shows what never ran alone.
  await page.tab.getByRole('button', { name: 'Never run' }).click();
  await page.settle();
  const unused = new Set([...file.number.filter((_, at) => file.count[at] === 0), ...file.decisions.filter(([, sides]) => sides.includes(0)).map(([line]) => line)]);
  assert.ok(unused.size > 0);
  assert.equal(Number(await grid.getAttribute('aria-rowcount')) - 1, unused.size);
  const never = file.number[file.count.indexOf(0)];
  await page.go(`#description/${encodeURIComponent(file.name)}/${never}`);
  assert.match(await grid.locator('.space [role=row].marked').innerText(), /never/);
  await page.tab.getByRole('button', { name: 'All lines' }).click();
  // The line of an instruction leads to it, and it back to where it is declared.
  const [line] = file.sections.find(([, name]) => name === 'add.BEHAVIOR');
  await page.go(`#description/${encodeURIComponent(file.name)}/${line}`);
  const counted = String(file.count[file.number.indexOf(line)]);
  const cells = await grid.locator('.space [role=row].marked [role=gridcell]').allInnerTexts();
  assert.deepEqual(cells.slice(0, 2).map(digits), [String(line), counted]);
  assert.match(cells.at(-1), /BEHAVIOR/);
  await page.tab.locator('.status a', { hasText: /^add$/ }).click();
  await page.settle();
  assert.equal(await page.title(), 'add');
  await page.tab.locator('main .mono a', { hasText: /^integer\.isac:\d+$/ }).last().click();
  await page.settle();
  assert.equal(await page.title(), 'Description');
  assert.match(await grid.locator('.space [role=row].marked').innerText(), /OPERATION add\b/);
  // By the keyboard alone, and by search.
  await grid.focus();
  await page.press('ArrowDown', 'Enter');
  assert.match(await page.hash(), /^#description\/.*integer\.isac\/\d+$/);
  await page.press('/');
  await page.tab.keyboard.type('add.BEHAVIOR');
  await page.press('Enter');
  assert.match(await page.hash(), new RegExp(`/${line}$`));
  await page.checkAccessible('the description');
  await page.close();
});

test('branches lead to both of their sides', async () => {
  const page = await Page.open(browser, program, '#branches');
  const wanted = page.data.branches.filter((branch) => branch.untaken > 0).length;
  await page.tab.getByRole('checkbox', { name: 'with a side never taken' }).check();
  assert.equal(Number(await page.grid('branches').getAttribute('aria-rowcount')) - 1, wanted);
  await page.grid('branches').locator('.space a[href^="#code"]').nth(1).click();
  await page.settle();
  assert.equal(await page.title(), 'Code');
  await page.close();
});

test('what is missing is said', async () => {
  const page = await Page.open(browser, other, '#flame');
  assert.match(await page.tab.locator('main').innerText(), /--calls/);
  await page.go('#description');
  assert.match(await page.tab.locator('main').innerText(), /--description-coverage/);
  await page.close();
});

test('it can be printed, long tables too, and no row is cut', async () => {
  const page = await Page.open(browser, program, '#code', { colorScheme: 'dark' });
  assert.ok((await page.tab.pdf()).length > 100_000);
  await page.tab.emulateMedia({ media: 'print' });
  await page.tab.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const rows = page.tab.locator('[aria-label="Code"] .space [role=row]');
  const all = Number(await page.tab.locator('[aria-label="Code"] [role=grid]').getAttribute('aria-rowcount')) - 1;
  assert.ok(all > 300);
  assert.equal(await rows.count(), Math.min(all, 3000));
  const [position, background] = await rows.first().evaluate((row) => [getComputedStyle(row).position, getComputedStyle(document.body).backgroundColor]);
  assert.equal(position, 'static');
  assert.match(background, /^rgba?\((255, 255, 255|0, 0, 0, 0)\b/, 'paper is white');
  const tops = await rows.evaluateAll((all) => all.slice(0, 50).map((row) => row.getBoundingClientRect()).map((box) => [box.top, box.bottom]));
  assert.ok(tops.every(([top], at) => at === 0 || top >= tops[at - 1][1] - 1), 'rows stand below each other');
  await page.tab.emulateMedia({ media: 'screen' });
  await page.tab.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.ok((await rows.count()) < 300, 'and is as before');
  await page.close();
});

test('100,000 instructions open in less than a second, and their rows are drawn as they are seen', async () => {
  const times = [];
  for (let run = 0; run < 3; run += 1) {
    const page = await Page.open(browser, large, '', { reads: false });
    times.push(await page.tab.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd));
    await page.close();
  }
  console.log(`  opened in ${times.map((time) => `${Math.round(time)} ms`).join(', ')}`);
  assert.ok(Math.min(...times) < 1000, `${times}`);
  const page = await Page.open(browser, large, '#code', { reads: false });
  const [length, last] = await page.tab.evaluate('[C.address.length, C.address.at(-1)]');
  assert.ok(length >= 100_000);
  assert.ok((await page.tab.locator('[aria-label="Code"] .space [role=row]').count()) < 200);
  await page.tab.locator('[aria-label="Code"] [role=grid]').focus();
  await page.press('End');
  assert.match(await page.tab.locator('[aria-label="Code"] .space [role=row]').last().innerText(), new RegExp(last));
  await page.close();
});

let failed = 0;
for (const [name, run] of tests) {
  const begun = Date.now();
  try {
    await run();
    console.log(`ok      ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(failed === 0 ? `${tests.length} tests passed` : `${failed} of ${tests.length} tests failed`);
process.exit(failed === 0 ? 0 : 1);
