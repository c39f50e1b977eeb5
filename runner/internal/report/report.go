// Package report makes the page of the results: one static HTML file with the
// headline numbers, the verdicts on the paper's claims and a section for every
// experiment. It needs no server and no network, and is the same bytes for the same
// results.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"os"

	"closedform/runner/internal/store"
)

//go:embed page.html page.css page.js vendor/chart.umd.min.js
var assets embed.FS

// Experiment is what the program knows of an experiment beside its results.
type Experiment struct {
	Name     string // of its folder
	Asks     string // its question
	Command  string // that runs it
	Manifest string // as it was written
	Behind   string // why its results are not those of today's code; empty: they are
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
	Embed       bool     // figures and tables in the page, instead of links to the files beside it
	Stale       []string // the experiments that results/STALE lists
	Since       string   // the commit with which the tables are compared; empty: none
	Diffs       []*store.Diff
}

// Unchanged returns the names of the experiments whose tables are those of the commit.
func (p *Page) Unchanged() (names []string) {
	for _, d := range p.Diffs {
		if d.Same() {
			names = append(names, d.Name)
		}
	}
	return names
}

// Write makes the page and puts it at path atomically, unless it is there.
func (p *Page) Write(path string) error {
	html, err := p.html()
	if old, _ := os.ReadFile(path); err == nil && !bytes.Equal(old, html) {
		err = store.WriteFile(path, html)
	}
	if err != nil {
		return fmt.Errorf("page of the results: %w", err)
	}
	return nil
}

// view is what the template shows.
type view struct {
	*Page
	Style         template.CSS
	Chart, Script template.JS
	Claims        bool
	Headlines     []headline
	Sections      []*section
	States        []state
	Counts        [len(states)]int // of sections in each state
}

func (p *Page) html() ([]byte, error) {
	text := func(name string) string {
		data, _ := assets.ReadFile(name) // it is embedded
		return string(data)
	}
	v := view{
		Page:  p,
		Style: template.CSS(text("page.css")), Chart: template.JS(text("vendor/chart.umd.min.js")),
		Script: template.JS(text("page.js")), Headlines: p.headlines(), States: states[:],
	}
	sums := committed(p.Results)
	for _, e := range p.Experiments {
		s := p.section(e, sums)
		v.Sections = append(v.Sections, s)
		v.Counts[s.state]++
		v.Claims = v.Claims || e.Name == "claims" && s.has("claims")
	}
	page, err := template.New("page").Parse(text("page.html"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, v)
	return b.Bytes(), err
}
