// Package report writes results for readers: README.md in the folder of each result, README.md of all results
// by subject, with what was found, and index.html, the same in one file with the figures inside. The same
// results make the same bytes.
package report

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"closedform/runner/internal/manifest"
	"closedform/runner/internal/quote"
	"closedform/runner/internal/store"
)

// Page has all results of a folder, by subject.
type Page []group

// group has the results of one subject.
type group struct {
	word, Title string
	Results     []*result
}

// result is a published results folder.
type result struct{ dir, Name, Finding string }

// Read reads the results folders in a folder. Results without a manifest in the folder manifests are your
// own, and come first. A folder without README.md is left out.
func Read(results, manifests string) (Page, error) {
	page := Page{
		{word: "own", Title: "Runs of your own"},
		{word: "paper", Title: "The paper’s claims"},
		{word: "approximations", Title: "Approximations"},
		{word: "learning", Title: "Learning"},
		{word: "unknown", Title: "Unknown"},
		{word: "engineering", Title: "Engineering"},
		{Title: "Others"},
	}
	files, err := filepath.Glob(filepath.Join(results, "*", "README.md"))
	for _, file := range files {
		dir := filepath.Dir(file)
		r := &result{dir: dir, Name: filepath.Base(dir)}
		var m manifest.Header // says nothing if it is damaged
		toml.DecodeFile(filepath.Join(dir, "manifest.toml"), &m)
		if published, err := store.OpenResults(dir); err == nil && len(m.Overrides) == 0 {
			r.Finding, _ = quote.Fill(m.Finding, published.Table)
		}
		if _, err := os.Stat(filepath.Join(manifests, r.Name+".toml")); err != nil {
			m.Group = "own"
		}
		i := slices.IndexFunc(page, func(g group) bool { return g.word == m.Group })
		if i < 0 {
			i = len(page) - 1
		}
		page[i].Results = append(page[i].Results, r)
	}
	return slices.DeleteFunc(page, func(g group) bool { return len(g.Results) == 0 }), err
}

// README returns the list of all results in Markdown, without your own.
func (p Page) README() []byte {
	own := func(g group) bool { return g.word == "own" }
	return fill("results.md", slices.DeleteFunc(slices.Clone(p), own))
}

// HTML returns the page as one file without a script.
func (p Page) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := template.Must(template.ParseFS(texts, "index.html")).Execute(&b, p)
	return b.Bytes(), err
}

// Line returns the finding.
func (r *result) Line() (template.HTML, error) { return r.html([]byte(r.Finding)) }

// Page returns README.md.
func (r *result) Page() (template.HTML, error) {
	readme, err := os.ReadFile(filepath.Join(r.dir, "README.md"))
	if err != nil {
		return "", err
	}
	return r.html(readme)
}

// html returns Markdown of the folder as HTML, with the pictures inside and links from the folder above. Its
// headings are below those of the page.
func (r *result) html(markdown []byte) (template.HTML, error) {
	m := goldmark.New(goldmark.WithExtensions(extension.Table))
	document := m.Parser().Parse(text.NewReader(markdown))
	ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Heading:
			n.Level += 2
		case *ast.Link:
			n.Destination = []byte(r.Name + "/" + string(n.Destination))
		case *ast.Image:
			picture, err := os.ReadFile(filepath.Join(r.dir, string(n.Destination)))
			if err == nil { // else its name is shown in its place
				n.Destination = base64.StdEncoding.AppendEncode([]byte("data:image/png;base64,"), picture)
			}
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	err := m.Renderer().Render(&b, markdown, document)
	return template.HTML(b.String()), err
}
