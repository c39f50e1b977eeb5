'use strict';
// All data of the page are in script elements of its sections, so that it works without a server.

// el makes an element; attributes that begin with "on" are listeners, and text is never HTML.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.filter((c) => c));
  return e;
}

const button = (text, onclick, ...more) => el('button', {type: 'button', onclick}, ...more, text);
const save = (download, href) => el('a', {download, href}).click();
const distinct = (values) => [...new Set(values)];
const isEnd = (name) => /_(low|high)$/.test(name);
const number = (text) => (text === '' || text === undefined ? NaN : Number(text.replace('Inf', 'Infinity')));

// parse reads a table from CSV text (RFC 4180).
function parse({name, csv, rows: count, docs}) {
  const rows = [[]];
  for (const m of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/g)) {
    rows.at(-1).push(m[1] === undefined ? m[2] : m[1].replaceAll('""', '"'));
    if (m[3] === '\n') rows.push([]);
  }
  rows.pop();
  return columns(name, rows.shift(), rows, count, docs ?? {});
}

// columns completes a table: of is a field by the name of its column.
function columns(name, header, rows, count, docs) {
  const at = Object.fromEntries(header.map((h, i) => [h, i])), of = (row, column) => row[at[column]];
  const numeric = new Set(header.filter((h) => rows.some((r) => of(r, h)) && rows.every((r) => of(r, h) === '' || !Number.isNaN(number(of(r, h))))));
  return {name, header, rows, of, numeric, count, docs, values: (h) => distinct(rows.map((r) => of(r, h)))};
}
const csvOf = (rows) => rows.map((r) => r.map((f) => (/[",\n]/.test(f) ? `"${f.replaceAll('"', '""')}"` : f)).join(',') + '\n').join('');

// show spells a number with four digits.
function show(x) {
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x).replace('-', '−');
  return (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7 ? x.toExponential(2) : String(Number(x.toPrecision(4)))).replaceAll('-', '−');
}

// choice makes a labelled <select>.
function choice(label, options, standard, changed) {
  const select = el('select', {onchange: () => changed()}, ...options.map(([value, text]) => el('option', {value, selected: value === standard}, text ?? value)));
  return {label: el('label', {}, label, select), get value() { return select.value; }};
}

// --- Tables ---
const mostRows = 200; // of a table that are shown
const verdicts = {holds: ['✓', 'good'], 'holds in part': ['◐', 'warn'], fails: ['✗', 'bad'], open: ['○', 'warn']};

function showTable(section, t, path) {
  const {header, rows, of, numeric, docs} = t, whole = rows.length === t.count;
  const shown = header.filter((h) => !(isEnd(h) && header.includes(h.replace(/_(low|high)$/, ''))) && !(section === 'verdicts' && h === 'claim')); // an interval stands with its mean
  const word = (h, text) => (h === 'verdict' ? text.replace(/ with .*/s, ' in part') : text);
  let sort = '', down = false;
  const filter = el('input', {type: 'search', oninput: () => render()});
  const picks = header.filter((h) => whole && rows.length > 5 && !numeric.has(h)).map((h) => ({h, values: distinct(rows.map((r) => word(h, of(r, h))))}))
    .filter(({values}) => values.length > 1 && values.length <= Math.min(30, rows.length * 0.75) && values.every((v) => v.length < 40));
  for (const p of picks) p.choice = choice(p.h, [['', 'all'], ...p.values.filter(Boolean).map((v) => [v])], '', () => render());
  const chosen = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    const out = rows.filter((r) => words.every((w) => r.some((f) => f.toLowerCase().includes(w))) && picks.every((p) => ['', word(p.h, of(r, p.h))].includes(p.choice.value)));
    const order = (a, b) => (numeric.has(sort) ? number(a) - number(b) || 0 : a.localeCompare(b, 'en', {numeric: true}));
    const compare = (a, b) => (a === '') - (b === '') || order(a, b) * (down ? -1 : 1);
    return header.includes(sort) ? out.toSorted((a, b) => compare(of(a, sort), of(b, sort))) : out;
  };
  const sortBy = (h) => {
    [down, sort] = [sort === h && !down, h];
    render();
  };
  const heads = shown.map((h) => el('th', {scope: 'col', class: numeric.has(h) && 'number', title: docs[h]}, whole ? button(h, () => sortBy(h)) : h));
  const body = el('tbody', {}), count = el('output', {});
  const cell = (row, h) => {
    const text = of(row, h), low = of(row, h + '_low'), high = of(row, h + '_high'), sign = verdicts[word(h, text)];
    if (numeric.has(h) && text) return el('td', {class: 'number', title: text}, show(number(text)), low && el('small', {title: `${low} … ${high}`}, `${show(number(low))} … ${show(number(high))}`));
    if (/^manifests?$/.test(h)) return el('td', {}, ...text.split(' ').flatMap((m) => [el('a', {href: '#' + encodeURIComponent(m)}, m), ' ']));
    if (h === 'verdict' && sign) return el('td', {class: sign[1]}, `${sign[0]} ${word(h, text)}`);
    return el('td', {class: text.length > 40 && 'long'}, text);
  };
  const render = () => {
    const all = chosen();
    body.replaceChildren(...all.slice(0, mostRows).map((r) => el('tr', {}, ...shown.map((h) => cell(r, h)))));
    heads.forEach((h, i) => (shown[i] === sort ? h.setAttribute('aria-sort', down ? 'descending' : 'ascending') : h.removeAttribute('aria-sort')));
    count.textContent = whole ? `${all.length > mostRows ? `The first ${mostRows} of ` : ''}${all.length} rows${all.length < rows.length ? ` (${rows.length} without filter)` : ''}`
      : `The first ${rows.length} of ${t.count} rows; the file has all.`;
  };
  const download = button('Download rows as CSV', () => save(`${section}-${t.name}.csv`, URL.createObjectURL(new Blob([csvOf([header, ...chosen()])], {type: 'text/csv'}))));
  const words = header.filter((h) => docs[h] && !isEnd(h)).flatMap((h) => [el('dt', {}, h), el('dd', {}, docs[h])]);
  render();
  return [el('div', {class: 'tools'}, ...(whole && rows.length > 5 ? [el('label', {}, 'Filter', filter), ...picks.map((p) => p.choice.label)] : []), whole && download, path && el('a', {href: path}, 'The file')),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table ${t.name}`}, el('table', {}, el('thead', {}, el('tr', {}, ...heads)), body)),
    el('div', {class: 'tools'}, count), words.length > 0 && el('details', {class: 'small'}, el('summary', {}, 'What the columns are'), el('dl', {}, ...words))];
}

// --- Charts ---
const marks = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'], glyphs = [...'●■▲◆✕✳▢✚'];
const dashes = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 4]];
const charts = new Set();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
// logarithmic says whether the values of a column fit a logarithmic axis better; a third of a rate of mistakes matters as much as a fiftieth of other numbers.
const logarithmic = (name, values) => Math.min(...values) > 0 && Math.max(...values) >= (/(^|_)(error|risk|wrong)$/.test(name) ? 3 : 50) * Math.min(...values);
const first = (there, ...wanted) => [...wanted, ...there].find((name) => there.includes(name));

// keysOf returns those of the first columns that tell all rows apart.
function keysOf({header, rows, of}) {
  const keys = [], count = (columns) => new Set(rows.map((r) => columns.map((c) => of(r, c)).join('\n'))).size;
  for (const h of header) if (count(keys) < rows.length && count([...keys, h]) > count(keys)) keys.push(h);
  return keys;
}

const measures = (t, keys) => t.header.filter((h) => t.numeric.has(h) && !isEnd(h) && !keys.includes(h) && !['seen', 'seeds'].includes(h) && t.values(h).length > 1);

// plan says how a table is drawn at first, if it has curves, or methods. What is listed seed by seed has a summary.
function plan(t) {
  if (t.header.includes('seed') || t.rows.length < 3 || t.rows.length < t.count) return undefined;
  const keys = keysOf(t), number = keys.filter((k) => t.numeric.has(k)), found = measures(t, keys), along = number.findLast((k) => t.values(k).length > 2);
  const few = keys.filter((k) => k === 'method' || (k !== along && t.values(k).length <= 12)).sort((a, b) => number.includes(a) - number.includes(b));
  const series = first(few, 'method'), pair = found.includes('error') && found.includes('log_loss');
  const y = first(found, 'error', 'log_loss', 'tv', 'risk');
  if (!series || !y || keys.length > 4 || (!along && series !== 'method')) return undefined;
  if (!along) return {t, keys, series, x: pair ? 'error' : series, y: pair ? 'log_loss' : y, line: false};
  return {t, keys, series, x: first([...t.numeric].filter((h) => h === along || ['seen', 'coverage'].includes(h)), 'seen', 'coverage'), y, line: true};
}

// plans returns what is drawn of the tables.
function plans(tables) {
  const rank = ({t}) => ['summary', 'curve'].findIndex((name) => t.name.startsWith(name));
  return tables.map(plan).filter(Boolean).sort((a, b) => rank(b) - rank(a));
}

// intervals draws the band of a curve, or the bars of its points.
const intervals = {id: 'intervals', beforeDatasetsDraw({ctx, chartArea: area, scales: {x, y}, data}) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left, area.top, area.width, area.height);
  ctx.clip();
  const height = (v) => y.getPixelForValue(y.type === 'logarithmic' ? Math.max(v, y.min) : v);
  for (const d of data.datasets) {
    const points = d.data.filter((p) => Number.isFinite(p.low) && Number.isFinite(p.high)).map((p) => [x.getPixelForValue(p.x), height(p.low), height(p.high)]);
    [ctx.fillStyle, ctx.strokeStyle] = [d.borderColor + '26', d.borderColor];
    ctx.beginPath();
    if (d.showLine) [...points, ...points.toReversed().map(([at, , high]) => [at, high])].forEach((p) => ctx.lineTo(p[0], p[1]));
    else points.forEach(([at, low, high]) => { ctx.moveTo(at, low); ctx.lineTo(at, high); });
    ctx[d.showLine ? 'fill' : 'stroke']();
  }
  ctx.restore();
  ctx.font = '14px sans-serif';
  for (const d of data.datasets) {
    ctx.fillStyle = d.borderColor;
    d.data.filter((p) => p.infinite).forEach((p) => ctx.fillText('∞', x.getPixelForValue(p.x) + 7, y.getPixelForValue(p.y) + 5));
  }
}};

function showChart(section, {t, keys, series, line, ...standard}) {
  const {rows, of} = t, names = t.values(series), off = new Set(), numbers = [...t.numeric].filter((h) => !isEnd(h));
  const x = choice('x', distinct([...numbers, series]).map((h) => [h]), standard.x, () => open()), y = choice('y', numbers.filter((h) => !keys.includes(h)).map((h) => [h]), standard.y, () => draw());
  let picks = [], drawn;
  const place = el('span', {class: 'tools'}), note = el('output', {});
  const canvas = el('canvas', {role: 'img', 'aria-label': `Chart of ${t.name}; the tables below have all values.`});
  // open lets the reader choose a value of each key that tells points apart beside x and the curves.
  const open = () => {
    const told = [series, ...['seen', ...keys].filter((h) => h === x.value)], count = () => new Set(rows.map((r) => told.map((h) => of(r, h)).join('\n'))).size;
    picks = keys.filter((k) => {
      const needed = !told.includes(k) && t.values(k).length > 1 && t.values(k).length <= 40 && count() < rows.length;
      if (needed) told.push(k);
      return needed;
    }).map((k) => ({k, choice: choice(k, [...t.values(k).map((v) => [v]), ['*', 'all']], of(rows[0], k), () => draw())}));
    place.replaceChildren(...picks.map((p) => p.choice.label));
    draw();
  };
  const style = (i) => ({borderColor: colour(`c${i % 8}`), backgroundColor: colour(`c${i % 8}`), pointStyle: marks[(i + Math.floor(i / 8)) % 8], borderDash: dashes[i % 5], borderWidth: 1.8, pointRadius: 4});
  const draw = () => {
    const taken = rows.filter((r) => picks.every((p) => ['*', of(r, p.k)].includes(p.choice.value))), named = x.value === series;
    const fitting = (h) => logarithmic(h, taken.map((r) => number(of(r, h))).filter(Number.isFinite));
    const logs = {x: !named && fitting(x.value), y: fitting(y.value)};
    const point = (r, i) => ({x: named ? i : number(of(r, x.value)), y: number(of(r, y.value)), low: number(of(r, y.value + '_low')), high: number(of(r, y.value + '_high'))});
    const fits = (p) => (Number.isFinite(p.y) || p.y === Infinity) && Number.isFinite(p.x) && ['x', 'y'].every((a) => p[a] > 0 || !logs[a]);
    const datasets = names.map((label, i) => ({label, showLine: line && !named, ...style(i), data: taken.filter((r) => of(r, series) === label).map((r) => point(r, i)).filter(fits).sort((a, b) => a.x - b.x)}));
    const left = taken.length - datasets.reduce((n, d) => n + d.data.length, 0), seen = datasets.filter((d) => !off.has(d.label));
    // The axis has room for the intervals, to a decade below the points if it is logarithmic, and above them for what is infinite.
    const points = seen.flatMap((d) => d.data), infinite = points.filter((p) => p.y === Infinity), finite = points.filter((p) => p.y < Infinity);
    const least = logs.y ? Math.min(...finite.map((p) => p.y)) / 10 : -Infinity;
    const ends = finite.flatMap((p) => (Number.isFinite(p.low) && Number.isFinite(p.high) ? [p.y, Math.max(p.low, least), p.high] : [p.y]));
    const [low, high] = finite.length ? [Math.min(...ends), Math.max(...ends)] : [1, 1];
    for (const p of infinite) [p.y, p.infinite] = [logs.y ? high * Math.max(1.2, (high / low) ** 0.1) : high + ((high - low) / 10 || 1), true];
    note.textContent = [infinite.length && `${y.value} is infinite for ${seen.filter((d) => d.data.some((p) => p.infinite)).map((d) => d.label).join(', ')}: the mark ∞ above the others.`,
      left && `${left} of ${taken.length} points have no value on these axes.`].filter(Boolean).join(' ');
    const axis = (a, name) => ({type: logs[a] ? 'logarithmic' : 'linear', ...(a === 'y' && {suggestedMin: low, suggestedMax: high}), title: {display: true, text: name, color: colour('ink')}, grid: {color: colour('rule')},
      ticks: {color: colour('muted'), autoSkipPadding: 14, maxRotation: 60, callback: (v) => (named && a === 'x' ? names[v] ?? '' : show(v)), ...(named && a === 'x' ? {stepSize: 1, autoSkip: false} : {})}});
    drawn?.destroy();
    drawn = new Chart(canvas, {type: 'line', data: {datasets: seen}, plugins: [intervals], options: {
      animation: false, maintainAspectRatio: false, parsing: false, clip: 8, interaction: {mode: 'nearest', intersect: false}, scales: {x: axis('x', x.value), y: axis('y', y.value)},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => '', label: said}}}}});
  };
  const said = ({dataset, raw: p}) => `${dataset.label}: ${y.value} ${show(p.infinite ? Infinity : p.y)}${Number.isFinite(p.low) ? ` (${show(p.low)} … ${show(p.high)})` : ''}${x.value === series ? '' : ` at ${x.value} ${show(p.x)}`}`;
  const swatch = (i) => {
    const box = el('span', {'aria-hidden': 'true'}), {pointStyle, borderDash} = style(i);
    box.innerHTML = `<svg width="30" height="14"><path d="M0 7h30" stroke="var(--c${i % 8})" stroke-width="2" stroke-dasharray="${borderDash}"/><text x="15" y="11.5" text-anchor="middle" font-size="12" fill="var(--c${i % 8})">${glyphs[marks.indexOf(pointStyle)]}</text></svg>`;
    return box;
  };
  const turn = (list) => {
    off.clear();
    list.forEach((name) => off.add(name));
    legend.forEach((b, i) => b.setAttribute('aria-pressed', !off.has(names[i])));
    draw();
  };
  const legend = names.map((name, i) => button(name, () => turn(names.filter((n) => (n === name ? !off.has(n) : off.has(n)))), swatch(i)));
  legend.forEach((b, i) => { b.setAttribute('aria-pressed', !off.has(names[i])); });
  open();
  charts.add({canvas, draw});
  return [el('div', {class: 'tools'}, x.label, y.label, place), el('div', {class: 'canvas'}, canvas),
    el('div', {class: 'legend', role: 'group', 'aria-label': series}, ...legend, button('all', () => turn([])), button('none', () => turn(names))), note];
}

// --- Maps ---
// mapOf says whether a table has values over two numbers, such as a sweep of two parameters.
function mapOf(t) {
  if (t.header.includes('seed') || t.rows.length < 6 || t.rows.length < t.count) return undefined;
  const keys = keysOf(t), many = (k) => t.values(k).length, found = measures(t, keys);
  const numbers = keys.filter((k) => t.numeric.has(k) && many(k) > 1 && many(k) <= 40), most = numbers.toSorted((a, b) => many(b) - many(a)).slice(0, 2), axes = numbers.filter((k) => most.includes(k));
  return axes.length === 2 && many(axes[0]) * many(axes[1]) <= t.rows.length && found.length > 0 ? {t, keys, axes, found} : undefined;
}

// showMap shows a table of two parameters as cells with their values, the least marked.
function showMap({t, keys, axes: [down, across], found}) {
  const {rows, of} = t, place = el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Map of ${t.name}`});
  const value = choice('value', found.map((h) => [h]), found[0], () => draw()), best = choice('mark', [['', 'the least'], ['1', 'the largest']], '', () => draw());
  const picks = keys.filter((k) => k !== down && k !== across && t.values(k).length > 1).map((k) => ({k, choice: choice(k, t.values(k).map((v) => [v]), of(rows[0], k), () => draw())}));
  const draw = () => {
    const taken = rows.filter((r) => picks.every((p) => of(r, p.k) === p.choice.value)), numbers = taken.map((r) => number(of(r, value.value))).filter(Number.isFinite);
    const low = Math.min(...numbers), high = Math.max(...numbers), mark = best.value ? high : low, log = logarithmic(value.value, numbers);
    const share = (x) => (high > low ? (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low)) : 0);
    const cell = (y, x) => {
      const row = taken.find((r) => of(r, down) === y && of(r, across) === x), z = row ? number(of(row, value.value)) : NaN;
      if (Number.isNaN(z)) return el('td', {});
      return el('td', {class: z === mark ? 'number best' : 'number', style: Number.isFinite(z) && `background: color-mix(in srgb, var(--accent) ${Math.round(55 * share(z))}%, transparent)`}, show(z), z === mark && ' ★');
    };
    place.replaceChildren(el('table', {class: 'map plain'}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, `${down} ↓ ${across} →`), ...t.values(across).map((x) => el('th', {scope: 'col', class: 'number'}, show(number(x)))))),
      el('tbody', {}, ...t.values(down).map((y) => el('tr', {}, el('th', {scope: 'row', class: 'number'}, show(number(y))), ...t.values(across).map((x) => cell(y, x)))))));
  };
  draw();
  return [el('div', {class: 'tools'}, value.label, best.label, ...picks.map((p) => p.choice.label)), place];
}

// --- One method, all experiments ---
const tablesOf = (section) => JSON.parse(section.querySelector(':scope > script.data')?.textContent ?? '[]');

// places returns a table of where each method stands in the summaries: its numbers and its place by log loss, or else by error.
function places() {
  const header = ['method', 'experiment', 'rows', 'error', 'error_low', 'error_high', 'log_loss', 'log_loss_low', 'log_loss_high', 'place', 'of'], out = [];
  for (const section of experiments) {
    for (const t of tablesOf(section).filter((d) => d.csv && /^(curve_)?summary$/.test(d.name)).map(parse)) {
      const by = first(t.header, 'log_loss', 'error'), keys = keysOf(t).filter((k) => k !== 'method');
      if (!t.header.includes('method') || !/^(log_loss|error)$/.test(by) || t.rows.length < t.count) continue;
      const group = (r) => keys.map((k) => `${k}=${t.of(r, k)}`).join(' ');
      for (const rows of Object.values(Object.groupBy(t.rows, group))) {
        const better = (r) => rows.filter((o) => t.of(o, by) !== '' && number(t.of(o, by)) < number(t.of(r, by))).length;
        for (const r of rows) out.push(header.map((h) => ({experiment: section.id, rows: group(r), place: t.of(r, by) === '' ? '' : String(better(r) + 1), of: String(rows.length)}[h] ?? t.of(r, h) ?? '')));
      }
    }
  }
  return columns('places', header, out, out.length, {method: 'as manifests call it', rows: 'the other keys of the row', place: 'by log loss, or else by error; 1 is best', of: 'how many methods there are'});
}

// showMethods shows the places of one method.
function showMethods(place) {
  const all = places(), names = all.values('method').sort();
  if (names.length === 0) return place.append('No summary has methods.');
  const box = el('div', {}), draw = () => {
    const rows = all.rows.filter((r) => r[0] === pick.value).map((r) => r.slice(1));
    box.replaceChildren(...showTable('methods', columns(pick.value, all.header.slice(1), rows, rows.length, all.docs), '').filter(Boolean));
  };
  const pick = choice('method', names.map((n) => [n]), names.includes('default') ? 'default' : names[0], draw);
  place.append(el('div', {class: 'tools'}, pick.label), box);
  draw();
}

// --- Sections ---
// fill makes the tables and charts of a section when it is first seen.
function fill(section) {
  const script = document.querySelector(`#${CSS.escape(section.id === 'verdicts' ? 'claims' : section.id)} > script.data`), id = section.id;
  const place = section.querySelector('.table-place'), data = JSON.parse(script?.textContent ?? '[]');
  if (!script || place.firstChild) return;
  if (id === 'verdicts') return place.append(...showTable(id, parse(data.find((t) => t.name === 'claims')), ''));
  const box = (open, title, make) => el('details', {class: 'table', open, ontoggle: ({target: t}) => t.open && t.children.length === 1 && t.append(...make().filter(Boolean))}, title);
  const parsed = data.filter((t) => t.csv).map(parse), drawn = plans(parsed), result = parsed.find((t) => t.name === 'summary') ?? parsed[0];
  if (result) section.querySelector('.result-place')?.replaceChildren(...showTable(id, result, '').filter(Boolean));
  section.querySelector('.charts-place').append(...drawn.map((p, i) => box(i === 0, el('summary', {}, el('h5', {}, `Chart: ${p.t.name}`)), () => showChart(id, p))));
  section.querySelector('.charts-place').append(...parsed.map(mapOf).filter(Boolean).map((m) => box(false, el('summary', {}, el('h5', {}, `Map: ${m.t.name}`)), () => showMap(m))));
  place.append(...data.filter((t) => !t.drawn).map((t) => (t.csv ? box(false, el('summary', {}, el('code', {}, t.name), ` ${t.rows} rows`), () => showTable(id, parse(t), t.path))
    : el('p', {class: 'note'}, el('code', {}, t.name), ': packed; ', t.path ? el('a', {href: t.path}, 'the file') : 'it is in the results folder'))));
}

// follow opens the section that the address names.
function follow() {
  const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (section?.matches('.experiment')) section.open = true; // which fills it
  section?.scrollIntoView();
}

const experiments = [...document.querySelectorAll('.experiment')], claims = document.getElementById('verdicts');
const search = document.getElementById('search');
if (search) search.oninput = () => {
  const words = search.value.toLowerCase().split(/\s+/), hit = (e) => words.every((w) => e.textContent.toLowerCase().includes(w));
  experiments.forEach((e) => { e.hidden = !hit(e); });
  document.querySelectorAll('.group').forEach((g) => { g.hidden = !g.querySelector('.experiment:not([hidden])'); });
  document.getElementById('found').textContent = search.value && `${experiments.filter((e) => !e.hidden).length} of ${experiments.length} experiments have it.`;
};
experiments.forEach((e) => e.addEventListener('toggle', () => e.open && fill(e)));
for (const what of ['open', 'close']) document.getElementById(`${what}-all`).onclick = () => experiments.forEach((e) => { e.open = what === 'open'; });
document.addEventListener('click', (e) => {
  const command = e.target.closest('.copy')?.previousElementSibling;
  if (command) return navigator.clipboard.writeText(command.textContent).then(() => { e.target.textContent = 'Copied'; }, () => { getSelection().selectAllChildren(command); e.target.textContent = 'Selected'; });
  const image = e.target.closest('.enlarge')?.querySelector('img'), dialog = document.getElementById('large');
  if (!image) return;
  Object.assign(dialog.querySelector('img'), {src: image.src, alt: image.alt});
  dialog.querySelector('p').textContent = image.alt;
  dialog.showModal();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((c) => c.canvas.isConnected && c.draw()));
addEventListener('hashchange', follow);
if (location.hash) follow();
if (claims) fill(claims);
experiments.filter((e) => e.open).forEach(fill);
const methods = document.getElementById('methods');
if (methods) new IntersectionObserver((seen, watch) => seen.some((s) => s.isIntersecting) && (watch.disconnect(), showMethods(methods.querySelector('.methods-place')))).observe(methods);
