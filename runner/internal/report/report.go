// Package report makes the page of the results: one static HTML file with the
// headline numbers, the verdicts on the paper's claims and a section for every
// experiment. It needs no server and no network, and is the same bytes for the same
// results.
package report

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"closedform/runner/internal/table"
)

//go:embed page.html page.css page.js vendor/chart.umd.min.js
var assets embed.FS

// Experiment is what the program knows of an experiment beside its results.
type Experiment struct {
	Name     string // of its folder
	Asks     string // its question
	Command  string // that runs it
	Manifest string // as it was written
	Version  string // of today's code
	Cells    int    // how many it has, and how many of them are kept from an unfinished run
	Done     int
	Missing  error // why its data cannot be read
	Err      error // why its manifest cannot be
}

// Page is what a page is made of.
type Page struct {
	Results     string // the folder
	Text        string // Markdown that quotes the headline numbers
	Experiments []Experiment
	Embed       bool // figures and tables in the page, instead of links to the files beside it
}

// Write makes the page and puts it at path atomically.
func (p *Page) Write(path string) error {
	html, err := p.html()
	if err == nil {
		err = renameio.WriteFile(path, html, 0o666)
	}
	if err != nil {
		return fmt.Errorf("page of the results: %w", err)
	}
	return nil
}

// view is what the template shows.
type view struct {
	Style         template.CSS
	Chart, Script template.JS
	Embed         bool
	Headlines     []headline
	Claims        template.JS // data of the table of claims
	Sections      []*section
	States        []count
	Legend        []state
}

// count says how many experiments are in a state.
type count struct {
	state
	N int
}

func (p *Page) html() ([]byte, error) {
	text := func(name string) string {
		data, _ := assets.ReadFile(name) // it is embedded
		return string(data)
	}
	v := view{
		Style: template.CSS(text("page.css")), Chart: template.JS(text("vendor/chart.umd.min.js")),
		Script: template.JS(text("page.js")), Embed: p.Embed, Legend: states[:],
	}
	sums := committed(p.Results)
	for _, e := range p.Experiments {
		v.Sections = append(v.Sections, p.section(e, sums))
	}
	for _, s := range states {
		n := 0
		for _, section := range v.Sections {
			if section.State.Word == s.Word {
				n++
			}
		}
		if n > 0 {
			v.States = append(v.States, count{s, n})
		}
	}
	v.Headlines = headlines(p.Text, p.table)
	claims, err := p.claims()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	v.Claims = claims
	page, err := template.New("page").Parse(text("page.html"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, v)
	return b.Bytes(), err
}

// table reads a table EXPERIMENT/NAME.
func (p *Page) table(name string) (*table.Table, error) {
	data, err := os.ReadFile(filepath.Join(p.Results, filepath.FromSlash(name)+".csv"))
	if err != nil {
		return nil, err
	}
	return table.Read(name, bytes.NewReader(data))
}

// claims returns the data of the table of claims: its verdicts in a word, and under
// which conditions.
func (p *Page) claims() (template.JS, error) {
	t, err := p.table("claims/claims")
	if err != nil {
		return "", err
	}
	out := table.New("claims", table.Text("where", "section of the paper"), table.Text("claim", "what the paper says"),
		table.Text("verdict", "what was found"), table.Text("conditions", "under which it holds, fails or is open"),
		table.Text("manifests", "experiments that tell"))
	columns := map[string][]string{}
	for _, name := range []string{"where", "sentence", "verdict", "holds_with", "fails_with", "open_with", "manifests"} {
		if !t.Has(name) {
			return "", fmt.Errorf("claims/claims.csv has no column %s", name)
		}
		columns[name] = t.Texts(name)
	}
	for i := range t.Len() {
		verdict, _, part := strings.Cut(columns["verdict"][i], " with ")
		var conditions []string
		for _, word := range []string{"holds", "fails", "open"} {
			if with := columns[word+"_with"][i]; with != "" {
				conditions = append(conditions, word+": "+with)
			}
		}
		if part && len(conditions) > 1 {
			verdict += " in part"
		}
		out.Add(columns["where"][i], columns["sentence"][i], verdict, strings.Join(conditions, "\n"), columns["manifests"][i])
	}
	return toJSON(data{Tables: []tableData{newTableData("claims", out.CSV(), out.Len(), docs(out))}})
}

func docs(t *table.Table) map[string]string {
	d := map[string]string{}
	for _, c := range t.Columns {
		d[c.Name] = c.Doc
	}
	return d
}

// toJSON returns a value for a script element: JSON, with < escaped.
func toJSON(v any) (template.JS, error) {
	text, err := json.Marshal(v)
	return template.JS(text), err
}
