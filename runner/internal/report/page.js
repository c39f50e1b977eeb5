'use strict';
// The page works without a server: all data are in script elements of its sections.

// el makes an element; attributes that begin with "on" are listeners, text is never HTML.
function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.filter((c) => c !== undefined && c !== ''));
  return e;
}

// rowsOf reads CSV text (RFC 4180) into arrays of fields.
function rowsOf(text) {
  const rows = [];
  let row = [];
  for (const m of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/g)) {
    row.push(m[1] === undefined ? m[2] : m[1].replaceAll('""', '"'));
    if (m[3] === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

const csvOf = (rows) => rows.map((r) => r.map((f) => (/[",\n]/.test(f) ? `"${f.replaceAll('"', '""')}"` : f)).join(',') + '\n').join('');
const number = (text) => (text === '' ? NaN : text.endsWith('Inf') ? parseFloat(text + 'inity') : Number(text));
const distinct = (values) => [...new Set(values)];
const slug = (name) => name.replaceAll(' ', '_');

// show spells a number with four digits; its title has all of them.
function show(text) {
  const x = number(text);
  if (text === '' || Number.isNaN(x)) return text;
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  const short = Number.isInteger(x) && Math.abs(x) < 1e7 ? String(x)
    : Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
  return short.replaceAll('-', '−');
}

function save(name, href) {
  el('a', {download: name, href}).click();
}

// --- The view is kept in the address: #section?key=value&… ---

const views = new Map();
const viewOf = (section) => views.get(section) ?? views.set(section, new URLSearchParams()).get(section);

function readAddress() {
  const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  const id = decodeURIComponent(name);
  views.set(id, new URLSearchParams(query ?? ''));
  return document.getElementById(id);
}

function keep(section, key, value) {
  const view = viewOf(section);
  if (value === undefined || value === '') view.delete(key);
  else view.set(key, value);
  const query = view.toString();
  history.replaceState(null, '', `#${encodeURIComponent(section)}${query ? '?' + query : ''}`);
}

// choice makes a labelled <select> that keeps what is chosen.
function choice(section, key, label, options, standard, changed) {
  const wanted = viewOf(section).get(key) ?? standard;
  const select = el('select', {onchange: () => {
    keep(section, key, select.value === standard ? undefined : select.value);
    changed();
  }}, ...options.map(([value, text]) => el('option', {value, selected: value === wanted}, text)));
  return {label: el('label', {}, label, select), get value() { return select.value; }};
}

// --- Tables ---

const pageRows = 25;

function table(section, data) {
  const [header, ...rows] = rowsOf(data.csv);
  const at = Object.fromEntries(header.map((name, i) => [name, i]));
  const whole = rows.length >= data.rows;
  const numeric = header.map((_, i) => rows.some((r) => r[i] !== '') && rows.every((r) => !Number.isNaN(number(r[i])) || r[i] === ''));
  // The ends of an interval are shown with its mean.
  const shown = header.filter((name) => !(/_(low|high)$/.test(name) && name.replace(/_(low|high)$/, '') in at));
  const key = (what) => `${slug(data.name)}.${what}`;
  const view = viewOf(section);
  let sort = view.get(key('sort')) ?? '', down = view.get(key('down')) === '1', page = 0;
  const category = (name, text) => (name === 'verdict' ? text.split(' with ')[0] : text);
  const filter = el('input', {type: 'search', value: view.get(key('filter')) ?? '', oninput: () => { keep(section, key('filter'), filter.value); page = 0; render(); }});
  const selects = header.filter((name, i) => !numeric[i] && whole && rows.length > 5).flatMap((name) => {
    const values = distinct(rows.map((r) => category(name, r[at[name]])));
    if (values.length < 2 || values.length > 30 || values.length === rows.length || values.some((v) => v.length > 40)) return [];
    return [{name, ...{choice: choice(section, key(name), name, [['', 'all'], ...values.map((v) => [v, v])], '', () => { page = 0; render(); })}}];
  });
  const chosen = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    let out = rows.filter((r) => words.every((w) => r.some((f) => f.toLowerCase().includes(w)))
      && selects.every((s) => s.choice.value === '' || category(s.name, r[at[s.name]]) === s.choice.value));
    if (!(sort in at)) return out;
    const i = at[sort], sign = down ? -1 : 1;
    return out.toSorted((a, b) => (a[i] === '') - (b[i] === '')
      || sign * (numeric[i] ? number(a[i]) - number(b[i]) || 0 : a[i].localeCompare(b[i], undefined, {numeric: true})));
  };
  const sortBy = (name) => {
    down = sort === name && !down;
    sort = name;
    keep(section, key('sort'), sort);
    keep(section, key('down'), down ? '1' : undefined);
    render();
  };
  const heads = shown.map((name) => el('th', {scope: 'col', class: numeric[at[name]] ? 'number' : ''}, whole
    ? el('button', {type: 'button', title: data.docs?.[name], onclick: () => sortBy(name)}, name) : el('span', {title: data.docs?.[name]}, name)));
  const body = el('tbody'), count = el('output', {class: 'count'});
  const back = el('button', {type: 'button', onclick: () => { page--; render(); }}, 'Back');
  const next = el('button', {type: 'button', onclick: () => { page++; render(); }}, 'Next');
  const cell = (row, name) => {
    const text = row[at[name]], low = row[at[name + '_low']], high = row[at[name + '_high']];
    if (numeric[at[name]]) return el('td', {class: 'number', title: text}, show(text), low ? el('small', {title: `${low} … ${high}`}, `${show(low)} … ${show(high)}`) : '');
    if (/^manifests?$/.test(name)) return el('td', {}, ...text.split(' ').flatMap((m) => [el('a', {href: '#' + encodeURIComponent(m)}, m), ' ']));
    if (name !== 'verdict') return el('td', {class: text.length > 40 ? 'long' : ''}, text);
    const word = text.split(' ')[0], [sign, how] = {holds: ['✓', 'good'], fails: ['✗', 'bad'], open: ['○', 'warn']}[word] ?? ['', ''];
    return el('td', {class: how}, `${sign} ${text}`);
  };
  const render = () => {
    const all = chosen(), pages = Math.max(1, Math.ceil(all.length / pageRows));
    page = Math.min(page, pages - 1);
    body.replaceChildren(...all.slice(page * pageRows, (page + 1) * pageRows).map((r) => el('tr', {}, ...shown.map((name) => cell(r, name)))));
    heads.forEach((h, i) => (shown[i] === sort ? h.setAttribute('aria-sort', down ? 'descending' : 'ascending') : h.removeAttribute('aria-sort')));
    const some = all.length < rows.length ? ` of ${rows.length}` : '';
    count.textContent = !whole ? `The first ${rows.length} of ${data.rows} rows` : pages === 1 ? `${all.length}${some} rows`
      : `Rows ${page * pageRows + 1} to ${Math.min(all.length, (page + 1) * pageRows)} of ${all.length}${some && ` (${rows.length} without filter)`}`;
    back.disabled = page === 0;
    next.disabled = page === pages - 1;
    back.hidden = next.hidden = pages === 1;
  };
  const download = el('button', {type: 'button', onclick: () =>
    save(`${section}-${data.name}.csv`, URL.createObjectURL(new Blob([csvOf([header, ...chosen()])], {type: 'text/csv'})))}, 'Download rows as CSV');
  render();
  return [el('div', {class: 'tools'}, ...(whole && rows.length > 5 ? [el('label', {}, 'Filter', filter), ...selects.map((s) => s.choice.label)] : []),
    whole ? download : '', data.path ? el('a', {href: data.path}, whole ? 'The file' : 'The whole file') : ''),
  el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table ${data.name}`}, el('table', {}, el('thead', {}, el('tr', {}, ...heads)), body)),
  el('div', {class: 'tools'}, count, back, next)];
}

// --- Charts ---

const marks = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'];
const glyphs = ['●', '■', '▲', '◆', '✕', '✳', '▢', '✚'];
const dashes = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 4]];
const charts = new Set();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// intervals draws the band of a curve, or the bars of its points.
const intervals = {id: 'intervals', beforeDatasetsDraw({ctx, chartArea: area, scales: {x, y}, data}) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left, area.top, area.width, area.height);
  ctx.clip();
  for (const d of data.datasets) {
    const points = d.data.filter((p) => Number.isFinite(p.low) && Number.isFinite(p.high)).map((p) => [p.x, p.low, p.high]
      .map((v, i) => (i ? y : x).getPixelForValue(i && y.type === 'logarithmic' ? Math.max(v, y.min) : v)));
    ctx.fillStyle = d.borderColor + '26';
    ctx.strokeStyle = d.borderColor;
    ctx.beginPath();
    if (d.showLine) {
      for (const p of [...points, ...points.map(([at, low, high]) => [at, high, low]).reverse()]) ctx.lineTo(p[0], p[1]);
      ctx.fill();
    } else {
      for (const [at, low, high] of points) { ctx.moveTo(at, low); ctx.lineTo(at, high); }
      ctx.stroke();
    }
  }
  ctx.restore();
}};

function chart(section, spec, tables) {
  const [header, ...rows] = rowsOf(tables.get(spec.table).csv);
  const at = Object.fromEntries(header.map((name, i) => [name, i]));
  const of = (row, name) => row[at[name]];
  const numbers = header.filter((name, i) => !/_(low|high)$/.test(name) && rows.some((r) => r[i] !== '') && rows.every((r) => r[i] === '' || !Number.isNaN(number(r[i]))));
  const key = (what) => `${slug(spec.name)}.${what}`;
  const names = distinct(rows.map((r) => of(r, spec.series)));
  const off = new Set((viewOf(section).get(key('off')) ?? '').split('|').filter(Boolean));
  const pairs = (list) => list.map((name) => [name, name]);
  const axes = {
    x: choice(section, key('x'), 'x', pairs(distinct([...numbers, spec.series])), spec.x, () => panels()),
    y: choice(section, key('y'), 'y', pairs(numbers.filter((n) => !spec.keys.includes(n))), spec.y, () => draw()),
    logx: choice(section, key('logx'), 'x axis', [['0', 'linear'], ['1', 'logarithmic']], spec.logx ? '1' : '0', () => draw()),
    logy: choice(section, key('logy'), 'y axis', [['0', 'linear'], ['1', 'logarithmic']], spec.logy ? '1' : '0', () => draw()),
    line: choice(section, key('line'), 'as', [['1', 'lines'], ['0', 'points']], spec.line ? '1' : '0', () => draw()),
    range: choice(section, key('range'), 'intervals', [['1', 'shown'], ['0', 'hidden']], '1', () => draw()),
  };
  let picks = [], drawn;
  const place = el('span', {class: 'tools'}), note = el('output'), value = el('output', {'aria-live': 'polite'});
  const canvas = el('canvas', {tabindex: 0, role: 'img', onkeydown: (e) => step(e), 'aria-label': `Chart of ${spec.name}. Arrow keys go from point to point; the tables below have the values.`});
  // What x and the curves leave open is chosen: one value of each other key that tells points apart.
  const panels = () => {
    const told = [spec.series, axes.x.value], id = (r) => told.map((n) => of(r, n)).join('\n');
    picks = spec.keys.filter((k) => !told.includes(k)).filter((k) => {
      const values = distinct(rows.map((r) => of(r, k)));
      if (values.length < 2 || values.length > 40 || new Set(rows.map(id)).size === rows.length) return false;
      told.push(k);
      return true;
    }).map((k) => ({k, choice: choice(section, key(k), k, [...pairs(distinct(rows.map((r) => of(r, k)))), ['*', 'all']], of(rows[0], k), () => draw())}));
    place.replaceChildren(...picks.map((p) => p.choice.label));
    draw();
  };
  const style = (i) => ({borderColor: colour(`c${i % 8}`), backgroundColor: colour(`c${i % 8}`), pointStyle: marks[(i + Math.floor(i / 8)) % 8], borderDash: dashes[i % 5], borderWidth: 1.8, pointRadius: 4});
  const datasets = () => {
    const x = axes.x.value, y = axes.y.value, log = [axes.logx.value === '1' && x !== spec.series, axes.logy.value === '1'];
    let left = 0;
    const taken = rows.filter((r) => picks.every((p) => ['*', of(r, p.k)].includes(p.choice.value)));
    const sets = names.map((name, i) => ({label: name, hidden: off.has(name), showLine: axes.line.value === '1' && x !== spec.series, ...style(i), data: taken
      .filter((r) => of(r, spec.series) === name).map((r) => ({x: x === spec.series ? i : number(of(r, x)), y: number(of(r, y)),
        low: axes.range.value === '1' ? number(of(r, y + '_low') ?? '') : NaN, high: number(of(r, y + '_high') ?? '')}))
      .filter((p) => { const ok = Number.isFinite(p.x) && Number.isFinite(p.y) && !(log[0] && p.x <= 0) && !(log[1] && p.y <= 0); left += !ok; return ok; })
      .sort((a, b) => a.x - b.x)}));
    note.textContent = left ? `${left} of ${taken.length} points have no value on these axes.` : '';
    return sets.filter((s) => !s.hidden);
  };
  const axis = (name, log) => ({type: log ? 'logarithmic' : 'linear', title: {display: true, text: name, color: colour('ink')}, grid: {color: colour('rule')},
    ticks: {color: colour('muted'), autoSkipPadding: 12, maxRotation: 60, callback: name === spec.series ? (v) => names[v] ?? '' : (v) => show(String(v)), ...(name === spec.series ? {stepSize: 1, autoSkip: false} : {})}});
  const said = (p) => `${p.dataset.label}: ${axes.y.value} ${show(String(p.raw.y))}${Number.isFinite(p.raw.low) ? ` (${show(String(p.raw.low))} … ${show(String(p.raw.high))})` : ''}`
    + (axes.x.value === spec.series ? '' : ` at ${axes.x.value} ${show(String(p.raw.x))}`);
  const draw = () => {
    drawn?.destroy();
    drawn = new Chart(canvas, {type: 'line', data: {datasets: datasets()}, plugins: [intervals], options: {
      animation: false, maintainAspectRatio: false, parsing: false, clip: 8, interaction: {mode: 'nearest', intersect: false},
      scales: {x: axis(axes.x.value, axes.logx.value === '1' && axes.x.value !== spec.series), y: axis(axes.y.value, axes.logy.value === '1')},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => '', label: said}}}}});
    canvas.chart = drawn;
  };
  // step moves to the next point, or the next curve.
  const step = (e) => {
    const move = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[e.key], n = drawn.data.datasets.length;
    if (!move || n === 0) return;
    e.preventDefault();
    const now = drawn.getActiveElements()[0] ?? {datasetIndex: 0, index: -move[1]};
    const datasetIndex = (now.datasetIndex + move[0] + n) % n, points = drawn.data.datasets[datasetIndex].data;
    if (points.length === 0) return;
    const index = Math.min(points.length - 1, Math.max(0, now.index + move[1]));
    drawn.setActiveElements([{datasetIndex, index}]);
    drawn.tooltip.setActiveElements([{datasetIndex, index}], {x: 0, y: 0});
    drawn.update();
    value.textContent = said({dataset: drawn.data.datasets[datasetIndex], raw: points[index]});
  };
  const about = Object.fromEntries([...document.getElementById(section).querySelectorAll('.methods dt')].map((t) => [t.textContent, t.nextElementSibling.textContent]));
  const swatch = (i) => {
    const s = style(i), box = el('span');
    box.innerHTML = `<svg width="30" height="14" aria-hidden="true"><line x1="0" x2="30" y1="7" y2="7" stroke="var(--c${i % 8})" stroke-width="2" stroke-dasharray="${s.borderDash.join(' ')}"/>`
      + `<text x="15" y="11.5" text-anchor="middle" font-size="12" fill="var(--c${i % 8})">${glyphs[marks.indexOf(s.pointStyle)]}</text></svg>`;
    return box.firstChild;
  };
  const turn = (list) => {
    off.clear();
    list.forEach((n) => off.add(n));
    keep(section, key('off'), [...off].join('|'));
    buttons.forEach((b, i) => b.setAttribute('aria-pressed', !off.has(names[i])));
    draw();
  };
  const buttons = names.map((name, i) => el('button', {type: 'button', title: about[name], 'aria-pressed': !off.has(name),
    onclick: () => turn(off.has(name) ? [...off].filter((n) => n !== name) : [...off, name])}, swatch(i), name));
  panels();
  charts.add(draw);
  return el('section', {class: 'chart', 'aria-label': `Chart of ${spec.name}`},
    el('div', {class: 'tools'}, axes.x.label, axes.y.label, place, axes.logx.label, axes.logy.label, axes.line.label, header.includes(spec.y + '_low') ? axes.range.label : ''),
    el('div', {class: 'canvas'}, canvas),
    el('div', {class: 'legend', role: 'group', 'aria-label': spec.series}, ...buttons,
      el('button', {type: 'button', onclick: () => turn([])}, 'all'), el('button', {type: 'button', onclick: () => turn(names)}, 'none'),
      el('button', {type: 'button', onclick: () => save(`${section}-${slug(spec.name)}.png`, canvas.toDataURL())}, 'Save as PNG')),
    note, value);
}

// --- Sections ---

// fill makes charts and tables of a section when it is first seen.
function fill(section) {
  const script = section.querySelector(':scope > script.data');
  if (!script || section.dataset.filled) return;
  section.dataset.filled = 'yes';
  const data = JSON.parse(script.textContent), view = viewOf(section.id);
  const tables = new Map(data.tables.map((t) => [t.name, t]));
  const lazily = (box, make) => { // when it is opened
    const open = () => { if (box.open && box.children.length === 1) box.append(...make()); };
    box.addEventListener('toggle', open);
    open();
    return box;
  };
  const opened = (name) => view.get('table') === name || [...view.keys()].some((k) => k.startsWith(slug(name) + '.'));
  section.querySelector('.charts-place')?.append(...(data.charts ?? []).map((c, i) =>
    lazily(el('details', {class: 'table', open: i === 0 || opened(c.name)}, el('summary', {}, el('h4', {}, `Chart: ${c.name}`))), () => [chart(section.id, c, tables)])));
  const place = section.querySelector('.table-place');
  if (section.id === 'verdicts') return place.append(...table(section.id, data.tables[0]));
  place.append(...data.tables.filter((t) => !t.drawn).map((t) => (t.csv
    ? lazily(el('details', {class: 'table', open: opened(t.name)}, el('summary', {}, el('code', {}, t.name), ` ${t.rows} rows`)), () => table(section.id, t))
    : el('p', {class: 'note'}, el('code', {}, t.name), ': packed; ', t.path ? el('a', {href: t.path}, 'the file') : 'it is in the results folder'))));
  if (view.get('manifest')) section.querySelector('.manifest').open = true;
}

function refill(section) {
  if (!section.querySelector(':scope > script.data')) return;
  delete section.dataset.filled;
  section.querySelectorAll('.charts-place, .table-place').forEach((p) => p.replaceChildren());
  fill(section);
}

function follow() {
  const section = readAddress();
  if (!section) return;
  if (section.matches('.experiment')) section.open = true;
  refill(section);
  const name = viewOf(section.id).get('table');
  const target = name ? [...section.querySelectorAll('.table')].find((t) => t.querySelector('code')?.textContent === name) : undefined;
  (target ?? section).scrollIntoView();
  section.querySelector('summary')?.focus({preventScroll: true});
}

const experiments = [...document.querySelectorAll('.experiment')];
experiments.forEach((e) => e.addEventListener('toggle', () => e.open && fill(e)));
document.getElementById('open-all').onclick = () => experiments.forEach((e) => { e.open = true; });
document.getElementById('close-all').onclick = () => experiments.forEach((e) => { e.open = false; });
document.getElementById('copy-view').onclick = () => {
  const say = (text) => { document.getElementById('said').textContent = text; };
  navigator.clipboard?.writeText(location.href).then(() => say('Copied.'), () => say('The address of the page is the link.')) ?? say('The address of the page is the link.');
};
document.addEventListener('click', (e) => {
  const image = e.target.closest('.enlarge')?.querySelector('img'), dialog = document.getElementById('large');
  if (!image) return;
  dialog.querySelector('img').src = image.src;
  dialog.querySelector('img').alt = image.alt;
  dialog.querySelector('p').textContent = image.alt;
  dialog.showModal();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((draw) => draw()));
addEventListener('hashchange', follow);
const verdicts = document.getElementById('verdicts');
if (location.hash) follow();
if (verdicts) fill(verdicts);
