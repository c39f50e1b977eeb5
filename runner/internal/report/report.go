// Package report makes the page of the results: one static HTML file with a picture, what
// each experiment found, a method compared across experiments and the verdicts on the paper's
// claims. The page needs no server and no network. The same results make the same bytes. The package also
// writes the README of a results folder, and the findings and metadata of all.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/store"
)

//go:embed page.html page.css page.js vendor/chart.umd.min.js
var assets embed.FS

// Experiment describes an experiment apart from its results.
type Experiment struct {
	Name     string // of its folder
	Asks     string // its question
	Command  string // runs it
	Manifest string // its text
	Group    string // its subject, a word of manifests
	Own      bool   // not one of the published experiments
	Behind   string // why its results are behind the current sources or manifest; empty: they are not
	Cells    int    // how many it has
	Done     int    // how many of them an unfinished run has kept
	Missing  error  // why its data cannot be read
	Err      error  // why its manifest cannot be read
}

// Page is the content of a page.
type Page struct {
	Results     string // the folder
	Picture     string // the PNG at its top, if there is one: EXPERIMENT/FIGURE
	Experiments []Experiment
	Embed       bool     // figures and tables in the page, instead of links to the files beside it
	Stale       []string // the experiments that results/STALE lists
}

// FindingsFile has the findings in Markdown, beside a page that links to files.
const FindingsFile = "FINDINGS.md"

// Write makes the page and writes it to path atomically, unless it is unchanged. Beside a page that
// links to files it writes [FindingsFile] and [CrateFile], too.
func (p *Page) Write(path string) error {
	v := p.view()
	html, err := v.html()
	if err == nil {
		err = replace(path, html)
	}
	if text := v.findings(); err == nil && !p.Embed && text != "" {
		err = replace(filepath.Join(filepath.Dir(path), FindingsFile), []byte(findingsHead+text))
	}
	if crate := v.crate(); err == nil && !p.Embed && crate != nil {
		err = replace(filepath.Join(filepath.Dir(path), CrateFile), crate)
	}
	if err != nil {
		return fmt.Errorf("page of the results: %w", err)
	}
	return nil
}

func replace(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return store.WriteFile(path, data)
}

// view is what the template shows.
type view struct {
	*Page
	Style         template.CSS
	Chart, Script template.JS
	Claims        bool
	Single        bool    // it has one experiment
	Picture       *figure // nil: none
	Groups        []group
	States        []state
	Counts        [len(states)]int // of sections in each state
}

// group has the experiments of one subject.
type group struct {
	word, Title string
	Sections    []*section
}

// groups returns the titles in their order. Runs of your own come first.
func groups() []group {
	return []group{
		{word: "own", Title: "Runs of your own"},
		{word: "paper", Title: "The paper’s claims"},
		{word: "approximations", Title: "Approximations"},
		{word: "learning", Title: "Learning"},
		{word: "unknown", Title: "Unknown"},
		{word: "engineering", Title: "Engineering"},
		{Title: "Others"},
	}
}

func asset(name string) string {
	data, _ := assets.ReadFile(name) // it is embedded
	return string(data)
}

func (p *Page) view() *view {
	v := &view{
		Page:  p,
		Style: template.CSS(asset("page.css")), Chart: template.JS(asset("vendor/chart.umd.min.js")),
		Script: template.JS(asset("page.js")), States: states[:], Groups: groups(), Single: len(p.Experiments) == 1,
	}
	sums := committed(p.Results)
	for _, e := range p.Experiments {
		s := p.section(e, sums)
		word := e.Group
		if e.Own {
			word = "own"
		}
		at := slices.IndexFunc(v.Groups, func(g group) bool { return g.word == word })
		v.Groups[at].Sections = append(v.Groups[at].Sections, s)
		if name, ok := strings.CutPrefix(p.Picture, e.Name+"/"); ok {
			if i := slices.IndexFunc(s.Figures, func(f figure) bool { return f.Name == name }); i >= 0 {
				v.Picture = &s.Figures[i]
			}
		}
		v.Counts[s.state]++
		v.Claims = v.Claims || e.Name == "claims" && s.has("claims")
	}
	v.Groups = slices.DeleteFunc(v.Groups, func(g group) bool { return len(g.Sections) == 0 })
	return v
}

const findingsHead = "# What the experiments found\n\nEvery run makes this file of the tables beside it. `(a to b)` is a 95 % interval.\n"

// findings lists what was found, by groups, but for your own runs, which git ignores.
func (v *view) findings() string {
	var b strings.Builder
	for _, g := range v.Groups {
		title := "\n## " + g.Title + "\n\n"
		for _, s := range g.Sections {
			if s.Finding != "" && !s.Own {
				fmt.Fprintf(&b, "%s- [%s](%s): %s\n", title, s.Name, s.Name, s.Finding)
				title = ""
			}
		}
	}
	return b.String()
}

func (v *view) html() ([]byte, error) {
	page, err := template.New("page").Parse(asset("page.html"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, v)
	return b.Bytes(), err
}
