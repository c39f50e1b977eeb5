package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"image"
	_ "image/png" // sizes of figures
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// section is the part of the page on one experiment.
type section struct {
	Experiment
	state    int
	State    state
	Detail   string // of the state
	Problems []string
	Run      *store.Run // nil: none was published
	Sum      string     // of SHA256SUMS
	Resolved string     // the manifest with every value
	Finding  string     // what was found, in a sentence
	Figures  []figure
	Tables   []tableData
	schema   *store.Schema // empty if it cannot be read
}

// figure is a drawing.
type figure struct {
	Name, Alt     string
	Source        template.URL // of the PNG
	Width, Height int
	PDF           string // where these are; empty: not there
}

// tableData is a table for the script of the page.
type tableData struct {
	Name  string            `json:"name"`
	CSV   string            `json:"csv"`
	Rows  int               `json:"rows"` // of the file; CSV may have only the first of them
	Path  string            `json:"path"` // of the file, from the page
	Docs  map[string]string `json:"docs"`
	Drawn bool              `json:"drawn"` // only for a chart
}

// The largest tables on a page, and on a page with embedded files; of larger tables it
// shows the first rows.
const (
	mostRows       = 2000
	mostBytes      = 300_000
	mostBytesEmbed = 3_000_000
	firstRows      = 20
	mostPoints     = 3000 // of a chart
)

// section reads a results folder. Damaged files become problems of the section; the rest is shown.
func (p *Page) section(e Experiment, sums map[string]string) *section {
	s := &section{Experiment: e}
	dir := filepath.Join(p.Results, e.Name)
	s.judge(dir, sums[e.Name])
	schema, err := store.ReadSchema(dir)
	if err != nil {
		schema = new(store.Schema)
		if s.Run != nil {
			s.problem("schema.json", err)
		}
	}
	s.schema, s.Finding = schema, schema.Finding
	docs, needs := map[string]map[string]string{}, map[string][]string{} // of a table, the columns; of a figure, the tables
	for _, t := range schema.Tables {
		docs[t.File] = map[string]string{}
		for _, c := range t.Columns {
			docs[t.File][c.Name] = c.Doc
		}
	}
	for _, f := range schema.Figures {
		needs[f.Name] = f.Needs
	}
	resolved, _ := os.ReadFile(filepath.Join(dir, "manifest.toml"))
	s.Resolved = string(resolved)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if f.IsDir() { // cells/
			continue
		}
		name, ext, _ := strings.Cut(f.Name(), ".")
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		s.problem(f.Name(), err)
		switch ext {
		case "csv":
			t, err := store.File{Name: f.Name(), Data: content}.Table()
			if s.problem(f.Name(), err); err == nil {
				p.addTable(s, t, content, docs[f.Name()])
			}
		case "csv.gz":
			s.Tables = append(s.Tables, tableData{Name: name, Path: p.path(e.Name, f.Name()), Docs: docs[f.Name()]})
		case "png":
			s.Figures = append(s.Figures, p.figure(e, name, content, needs[name]))
		}
	}
	return s
}

var code = regexp.MustCompile("`([^`]+)`")

// Line returns what was found, or what was asked.
func (s *section) Line() template.HTML {
	return template.HTML(code.ReplaceAllString(html.EscapeString(cmp.Or(s.Finding, s.Asks)), "<code>$1</code>"))
}

func (s *section) problem(of string, err error) {
	if err != nil {
		s.Problems = append(s.Problems, fmt.Sprintf("%s: %v", of, err))
	}
}

func (s *section) has(name string) bool {
	return slices.ContainsFunc(s.Tables, func(t tableData) bool { return t.Name == name })
}

// Data returns the tables for a script element: JSON, in which < is escaped.
func (s *section) Data() template.JS {
	text, _ := json.Marshal(s.Tables) // plain data
	return template.JS(text)
}

// path returns the path of a file from the page, empty if there is none or files are embedded.
func (p *Page) path(experiment, file string) string {
	if _, err := os.Stat(filepath.Join(p.Results, experiment, file)); err != nil || p.Embed {
		return ""
	}
	return url.PathEscape(experiment) + "/" + url.PathEscape(file)
}

// addTable adds a table: all of it, or its first rows and the data of charts.
func (p *Page) addTable(s *section, t *table.Table, text []byte, docs map[string]string) {
	d := tableData{Name: t.Name, CSV: string(text), Rows: t.Len(), Path: p.path(s.Name, t.Name+".csv"), Docs: docs}
	if !p.Embed && (t.Len() > mostRows || len(text) > mostBytes) || len(text) > mostBytesEmbed {
		few := make([]int, min(t.Len(), firstRows))
		for i := range few {
			few[i] = i
		}
		d.CSV = string(t.Rows(few).CSV())
		if !t.Has("seed") && t.Len() <= mostPoints { // what is listed seed by seed has a summary, which is drawn
			s.Tables = append(s.Tables, tableData{Name: t.Name, CSV: string(t.Rounded(5).CSV()), Rows: t.Len(), Drawn: true})
		}
	}
	s.Tables = append(s.Tables, d)
}

func (p *Page) figure(e Experiment, name string, png []byte, needs []string) figure {
	f := figure{Name: name, Source: template.URL(p.path(e.Name, name+".png"))}
	if p.Embed {
		f.Source = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
	}
	size, _, _ := image.DecodeConfig(bytes.NewReader(png)) // zero if it is broken
	f.Width, f.Height = size.Width, size.Height
	f.Alt = fmt.Sprintf("Figure %s of %s, drawn of %s. %s", name, e.Name, cmp.Or(strings.Join(needs, ", "), "its tables"), e.Asks)
	f.PDF = p.path(e.Name, name+".pdf")
	return f
}
