package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"image"
	_ "image/png" // sizes of figures
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// section is what the page says of an experiment.
type section struct {
	Experiment
	State    state
	Problems []string
	Run      *store.Run // nil: none was published
	Sum      string     // of SHA256SUMS
	Resolved string     // the manifest with every value
	Figures  []figure
	Methods  []method
	Data     template.JS // of tables and charts
	HasData  bool
}

// figure is a drawing.
type figure struct {
	Name, Alt     string
	Source        template.URL // of the PNG
	Width, Height int
	Others        []link // the same in other formats
}

type link struct{ Name, Path string }

// method is a [[variant]] or [[method]] of the manifest and what it sets.
type method struct{ Name, Settings string }

// data is what the script shows of an experiment.
type data struct {
	Tables []tableData `json:"tables"`
	Charts []chart     `json:"charts"`
}

type tableData struct {
	Name  string            `json:"name"`
	CSV   string            `json:"csv"`
	Rows  int               `json:"rows"`           // of the file; the text may have the first of them only
	Path  string            `json:"path,omitempty"` // of the file, from the page
	Docs  map[string]string `json:"docs,omitempty"`
	Drawn bool              `json:"drawn,omitempty"` // it is for a chart alone
}

// The largest tables that are part of a page, and of one that has everything.
const (
	mostRows       = 2000
	mostBytes      = 300_000
	mostBytesEmbed = 3_000_000
	firstRows      = 20
)

func newTableData(name string, csv []byte, rows int, docs map[string]string) tableData {
	return tableData{Name: name, CSV: string(csv), Rows: rows, Docs: docs}
}

// section reads a results folder. What is broken is said in the section, and the rest is
// made.
func (p *Page) section(e Experiment, sums map[string]string) *section {
	s := &section{Experiment: e}
	dir := filepath.Join(p.Results, e.Name)
	if e.Err != nil {
		s.Problems = append(s.Problems, e.Err.Error())
	}
	listed := s.readRun(dir)
	words, needs := words(filepath.Join(dir, "README.md"))
	resolved, _ := os.ReadFile(filepath.Join(dir, "manifest.toml"))
	s.Resolved, s.Methods = string(resolved), methods(cmp.Or(string(resolved), e.Manifest))
	files, _ := os.ReadDir(dir)
	var d data
	var all table.Set
	for _, f := range files {
		name, ext, _ := strings.Cut(f.Name(), ".")
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		switch ext {
		case "csv":
			var t *table.Table
			if t, err = table.Read(name, bytes.NewReader(content)); err == nil {
				all = append(all, t)
				d.Tables = append(d.Tables, p.tableData(e.Name, t, content, words[f.Name()]))
			}
		case "csv.gz":
			d.Tables = append(d.Tables, tableData{Name: name, Path: p.path(e.Name, f.Name()), Docs: words[f.Name()]})
		case "png":
			s.Figures = append(s.Figures, p.figure(e, name, content, needs[name]))
		}
		if err != nil && ext != "" {
			s.Problems = append(s.Problems, fmt.Sprintf("%s: %v", f.Name(), err))
		}
	}
	d.addCharts(all)
	s.judge(dir, listed, sums[filepath.Join(e.Name, sumsFile)])
	s.HasData = len(d.Tables) > 0
	s.Data, _ = toJSON(d) // it is plain
	return s
}

// path returns where a file is, from the page, and nothing for a page that has all in
// itself.
func (p *Page) path(experiment, file string) string {
	if p.Embed {
		return ""
	}
	return url.PathEscape(experiment) + "/" + url.PathEscape(file)
}

func (p *Page) tableData(experiment string, t *table.Table, text []byte, docs map[string]string) tableData {
	d := newTableData(t.Name, text, t.Len(), docs)
	d.Path = p.path(experiment, t.Name+".csv")
	if !p.Embed && (t.Len() > mostRows || len(text) > mostBytes) || len(text) > mostBytesEmbed {
		d.CSV = ""
		rows, _ := csv.NewReader(bytes.NewReader(text)).ReadAll() // it was read before
		var b bytes.Buffer
		csv.NewWriter(&b).WriteAll(rows[:min(len(rows), firstRows+1)])
		d.CSV = b.String()
	}
	return d
}

// addCharts adds what of the tables is drawn. A table whose rows are not all part of the
// page has a copy for its chart.
func (d *data) addCharts(tables table.Set) {
	whole := map[string]bool{}
	for _, t := range d.Tables {
		whole[t.Name] = strings.Count(t.CSV, "\n") > t.Rows
	}
	add := func(t *table.Table, c chart) {
		if !whole[t.Name] {
			c.Table = t.Name + " drawn"
			copied := newTableData(c.Table, rounded(t), t.Len(), nil)
			copied.Drawn = true
			d.Tables = append(d.Tables, copied)
		}
		d.Charts = append(d.Charts, c)
	}
	joinedOf := map[string]bool{}
	for _, times := range tables {
		for _, t := range tables {
			if joined, c, ok := pareto(t, times); ok {
				add(joined, c)
				joinedOf[t.Name] = !whole[t.Name] // the copy has all of it
			}
		}
	}
	for _, t := range tables {
		if c, ok := newChart(t); ok && !joinedOf[t.Name] {
			add(t, c)
		}
	}
	// Curves come first.
	slices.SortStableFunc(d.Charts, func(a, b chart) int { return cmp.Compare(order(a), order(b)) })
}

func order(c chart) int {
	if strings.HasPrefix(c.Name, "curve") {
		return 0
	}
	return 1
}

func (p *Page) figure(e Experiment, name string, png []byte, needs []string) figure {
	f := figure{Name: name, Source: template.URL(p.path(e.Name, name+".png"))}
	if p.Embed {
		f.Source = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(png)); err == nil {
		f.Width, f.Height = size.Width, size.Height
	}
	f.Alt = fmt.Sprintf("Figure %s of %s.", name, e.Name)
	if len(needs) > 0 {
		f.Alt = fmt.Sprintf("Figure %s of %s, drawn of the tables %s.", name, e.Name, strings.Join(needs, ", "))
	}
	f.Alt += " The question: " + e.Asks
	for _, format := range []string{"svg", "pdf"} {
		if _, err := os.Stat(filepath.Join(p.Results, e.Name, name+"."+format)); err == nil && !p.Embed {
			f.Others = append(f.Others, link{strings.ToUpper(format), p.path(e.Name, name+"."+format)})
		}
	}
	return f
}

// words returns what the README of a results folder says: of the columns of each table
// file, and of the tables that each figure needs.
func words(readme string) (columns map[string]map[string]string, needs map[string][]string) {
	columns, needs = map[string]map[string]string{}, map[string][]string{}
	text, _ := os.ReadFile(readme)
	file := ""
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), "`")
		switch {
		case len(parts) == 3 && parts[0] == "":
			file, columns[parts[1]] = parts[1], map[string]string{}
		case len(parts) >= 5 && strings.HasPrefix(parts[2], ", of"):
			for i := 3; i < len(parts); i += 2 {
				needs[parts[1]] = append(needs[parts[1]], parts[i])
			}
		case len(parts) >= 3 && parts[0] == "- " && file != "":
			columns[file][parts[1]] = strings.TrimPrefix(strings.Join(parts[2:], ""), ": ")
		}
	}
	return columns, needs
}

// methods returns the methods of a manifest with the settings by which they differ from
// [model].
func methods(manifest string) (found []method) {
	var m struct {
		Model   map[string]any
		Variant []map[string]any
		Method  []map[string]any
	}
	toml.Decode(manifest, &m) // one that cannot be read was named before
	for _, of := range slices.Concat(m.Variant, m.Method) {
		var settings []string
		for _, key := range slices.Sorted(maps.Keys(of)) {
			value := fmt.Sprint(of[key])
			if key != "name" && value != "[]" && value != fmt.Sprint(m.Model[key]) {
				settings = append(settings, key+" = "+value)
			}
		}
		found = append(found, method{fmt.Sprint(of["name"]), cmp.Or(strings.Join(settings, ", "), "as [model] says")})
	}
	return found
}
