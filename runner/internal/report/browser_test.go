package report

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"closedform/internal/check"
)

// tab is a page in a browser.
type tab struct {
	*testing.T
	context.Context
	url       string
	downloads string
}

// open opens the page in a browser. Without one the test is skipped, or fails if CLOSEDFORM_BROWSER=required.
func open(t *testing.T, p *Page) *tab {
	t.Helper()
	file := filepath.Join(p.Results, "index.html")
	check.OK(t, p.Write(file))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	t.Cleanup(cancel)
	b := &tab{t, ctx, (&url.URL{Scheme: "file", Path: file}).String(), t.TempDir()}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		if os.Getenv("CLOSEDFORM_BROWSER") == "required" {
			t.Fatal("no browser: ", err)
		}
		t.Skip("no browser: ", err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err == nil && m.Type != "info" {
				t.Errorf("console: %v", m)
			}
		}
	}()
	check.Must(chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: b.downloads}))
	b.Context, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	b.load("")
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// load opens the page with this after its address.
func (b *tab) load(hash string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+hash))
}

// want waits until the expression is true.
func (b *tab) want(expression string) {
	b.Helper()
	value := false
	for range 100 {
		var err error
		if value, err = chromedp.Run(b.Context, chromedp.Evaluate[bool]("!!("+expression+")")); err != nil {
			b.Fatal(expression, err)
		}
		if value {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	b.Errorf("not so: %s", expression)
}

// js runs a statement.
func (b *tab) js(statement string) {
	b.Helper()
	if _, err := chromedp.Run(b.Context, chromedp.Evaluate[bool](statement+"; true")); err != nil {
		b.Fatal(err)
	}
}

const (
	pick = `const pick = (box, label) => [...box.querySelectorAll('label')].find((l) => l.firstChild.textContent === label).querySelector('select, input');
const set = (input, value) => { input.value = value; input.dispatchEvent(new Event(input.matches('select') ? 'change' : 'input')); };`
	claimsRows = `[...document.querySelectorAll('#verdicts tbody tr')].map((r) => r.cells[1].textContent).join()`
)

func TestBrowserTables(t *testing.T) {
	b := open(t, example(t))
	b.js("window.d = document; " + strings.NewReplacer("const pick", "window.pick", "const set", "window.set").Replace(pick))
	b.want(claimsRows + ` === 'It is so 0.,It is so 1.,It is so 2.,It is so 3.,It is so 4.,It is so 5.'`)
	b.js(`set(pick(d.querySelector('#verdicts'), 'verdict'), 'fails')`)
	b.want(claimsRows + ` === 'It is so 1.,It is so 4.'`)
	b.js(`d.querySelector('#verdicts th button').click()`)
	b.want(claimsRows + ` === 'It is so 4.,It is so 1.' && d.querySelector('#verdicts th').ariaSort === 'ascending'`)
	b.js(`d.querySelector('#verdicts th button').click()`)
	b.want(claimsRows + ` === 'It is so 1.,It is so 4.' && d.querySelector('#verdicts th').ariaSort === 'descending'`)
	b.js(`set(pick(d.querySelector('#verdicts'), 'Filter'), 'SO 4')`)
	b.want(claimsRows + ` === 'It is so 4.'`)
	b.js(`[...d.querySelectorAll('#verdicts button')].find((x) => /CSV/.test(x.textContent)).click()`)
	file := filepath.Join(b.downloads, "verdicts-claims.csv")
	text := ""
	for range 100 {
		data, _ := os.ReadFile(file)
		if text = string(data); text != "" {
			break
		}
		time.Sleep(30 * time.Millisecond)
	}
	check.Equal(t, "downloaded", text, "claim,where,sentence,verdict,holds_with,fails_with,open_with,manifests\nc4,Section 2,It is so 4.,fails,x,,,digits\n")
	// Numbers sort as numbers, no value last; quotes are read.
	b.load("#digits")
	open := func(table string) {
		b.js(`[...document.querySelectorAll('#digits .table-place details')].find((x) => x.querySelector('code').textContent === '` + table + `').open = true`)
	}
	open("summary")
	b.js(`document.querySelector('#digits .table-place th:nth-child(3) button').click(); document.querySelector('#digits .table-place th:nth-child(3) button').click()`)
	b.want(`[...document.querySelectorAll('#digits .table-place tbody tr')].map((r) => r.cells[0].textContent).join('') === 'bac'`) // 10, 9, none
	b.want(`document.querySelector('#digits .table-place').textContent.includes('he said "so"')`)
	open("large")
	b.want(`/first 20 of 2700/.test(document.querySelector('#digits .table-place').textContent)`)
}

func TestBrowserCharts(t *testing.T) {
	b := open(t, example(t))
	b.want(`!document.querySelector('canvas')`) // nothing is drawn before it is seen
	b.load("#digits")
	b.want(`Chart.getChart(document.querySelector('#digits canvas')).data.datasets.length === 3`)
	b.js(`window.chart = () => Chart.getChart(document.querySelector('#digits canvas')); window.box = document.querySelector('#digits .charts-place');` +
		strings.NewReplacer("const pick", "window.pick", "const set", "window.set").Replace(pick))
	b.want(`chart().data.datasets[0].data[1].y === 1/11 && chart().data.datasets[0].data[1].low === 0.9/11`)
	b.want(`new Set(chart().data.datasets.map((s) => s.pointStyle + s.borderDash)).size === 3`) // not by colour alone
	b.js(`box.querySelectorAll('.legend button')[1].click()`)
	b.want(`chart().data.datasets.map((s) => s.label).join() === 'a,c<script>'`)
	b.want(`box.querySelectorAll('.legend button')[1].getAttribute('aria-pressed') === 'false'`)
	b.want(`document.querySelectorAll('#digits .charts-place details').length === 5`) // five tables and a map
	// Charts follow the colour scheme.
	b.js(`window.was = Chart.getChart(document.querySelector('#digits canvas')).data.datasets[0].borderColor`)
	b.scheme("dark")
	b.want(`Chart.getChart(document.querySelector('#digits canvas')).data.datasets[0].borderColor !== was`)
	b.want(`getComputedStyle(document.documentElement).backgroundColor === 'rgb(21, 24, 27)'`)
}

// The axes have room for intervals, an infinite mean is drawn and named, and error rates are on a logarithmic axis.
func TestBrowserRanges(t *testing.T) {
	p := example(t)
	publish(t, filepath.Join(p.Results, "digits"), map[string]string{
		"curve_summary.csv": "method,k,error,error_low,error_high\na,1,0.6,0.58,0.62\na,10,0.2,0,0.3\na,100,0.02,0.01,0.03\nb,1,0.6,0.58,0.62\n",
		"summary.csv":       "method,log_loss,log_loss_low,log_loss_high\na,0.84,0.82,0.86\nb,+Inf,,\nc,0.85,0.83,0.87\n",
	})
	b := open(t, p)
	b.load("#digits")
	b.js(`document.querySelectorAll('#digits .charts-place details').forEach((d) => { d.open = true; }); window.chart = (i) => Chart.getChart(document.querySelectorAll('#digits canvas')[i])`)
	b.want(`chart(0) && chart(1)`)
	b.want(`chart(0).scales.y.type === 'logarithmic' && chart(0).scales.y.min <= 0.01`)
	b.want(`chart(1).scales.y.min <= 0.82 && chart(1).scales.y.max >= 0.87 && chart(1).scales.y.max < 1`)
	b.want(`chart(1).data.datasets[1].data[0].y > 0.87 && /log_loss is infinite for b:/.test(document.querySelectorAll('#digits .charts-place output')[1].textContent)`)
}

// The page finds experiments by words, compares a method across them, and shows maps with the best cell.
func TestBrowserFinds(t *testing.T) {
	b := open(t, example(t))
	b.js("window.d = document; " + strings.NewReplacer("const pick", "window.pick", "const set", "window.set").Replace(pick))
	shown := `[...d.querySelectorAll('.experiment')].filter((e) => e.checkVisibility()).map((e) => e.id).join()`
	b.want(shown + ` === 'claims,digits,later'`)
	b.js(`set(d.getElementById('search'), 'than TAGI')`) // a finding, and a method
	b.want(shown + ` === 'digits' && d.getElementById('found').textContent.startsWith('1 of 3') && !d.querySelector('.group').checkVisibility()`)
	b.js(`set(d.getElementById('search'), '')`)
	b.want(shown + ` === 'claims,digits,later'`)
	b.js(`d.getElementById('methods').scrollIntoView()`)
	b.want(`d.querySelector('#methods select')?.value === 'a'`)
	b.js(`set(pick(d.getElementById('methods'), 'method'), 'b')`)
	rows := `[...d.querySelectorAll('#methods tbody tr')].map((r) => [...r.cells].map((c) => c.firstChild?.textContent ?? '').join('/')).sort().join()`
	b.want(rows + ` === 'digits//0.25/10/2/3,digits/k=1/0.3333//2/3,digits/k=10/0.08333//2/3,digits/k=100/0.009804//2/3,digits/k=1000/0.000998//2/3'`)
	b.load("#digits")
	b.js(`document.querySelector('#digits .charts-place details:last-child').open = true`)
	b.want(`[...document.querySelectorAll('#digits .map .best')].map((c) => c.textContent).join() === '0 ★' && document.querySelectorAll('#digits .map td').length === 6`)
	b.js(`document.querySelector('#digits .copy').click()`)
	b.want(`/Copied|Selected/.test(document.querySelector('#digits .copy').textContent)`)
}

// A page of one run shows its result first.
func TestBrowserSingle(t *testing.T) {
	p := example(t)
	p.Experiments = p.Experiments[1:2]
	b := open(t, p)
	b.want(`document.querySelector('#digits').open && document.querySelector('#digits .result-place').textContent.includes('log_loss') && !document.getElementById('search')`)
}

func (b *tab) scheme(value string) {
	b.Helper()
	_, err := chromedp.Call(b.Context, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
	if err != nil {
		b.Fatal(err)
	}
}

func TestBrowserKeyboard(t *testing.T) {
	b := open(t, example(t))
	b.do(chromedp.KeyEvent(kb.Tab))
	b.want(`document.activeElement.className === 'skip' && document.activeElement.getBoundingClientRect().left >= 0`)
	b.js(`document.querySelector('#digits summary').focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want(`document.querySelector('#digits').open && document.querySelector('#digits canvas')`)
	b.js(`document.querySelector('#digits .enlarge').focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want(`document.querySelector('dialog').open && document.querySelector('dialog img').naturalWidth === 40`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.want(`!document.querySelector('dialog').open && document.activeElement.className === 'enlarge'`)
	b.js(`document.querySelector('#digits .legend button').focus()`)
	b.do(chromedp.KeyEvent(" "))
	b.want(`document.activeElement.getAttribute('aria-pressed') === 'false'`)
	b.want(`getComputedStyle(document.activeElement).outlineStyle === 'solid'`)
	b.want(`[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].every((h, i, all) => i === 0 || h.tagName[1] - all[i - 1].tagName[1] <= 1)`)
	b.want(`document.documentElement.lang && [...document.images].every((i) => i.closest('dialog') || i.alt)`)
}

func TestBrowserNarrow(t *testing.T) {
	b := open(t, example(t))
	for _, all := range []string{"", "#digits", "#verdicts"} {
		b.do(chromedp.EmulateViewport(360, 800))
		b.load(all)
		b.js(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`)
		b.want(`document.querySelectorAll('canvas').length >= 1 && document.documentElement.scrollWidth <= 360`)
	}
}
