// Package report writes results for readers: README.md of each result, README.md of all results by subject,
// with what was found, and index.html, the same in one file with the figures. Equal results make equal bytes.
package report

import (
	"bytes"
	"cmp"
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

type group struct {
	word, Title string
	Results     []*result
}

type result struct {
	dir, Name, Finding string
	Line, Page         template.HTML // the finding, and README.md
}

// Write writes index.html of the results folders in out and, if list, README.md. Results without a manifest
// in the folder manifests are your own; they come first in index.html, and are not in README.md.
func Write(out, manifests string, list bool) (page string, err error) {
	page = filepath.Join(out, "index.html")
	groups := read(out, manifests)
	var html bytes.Buffer
	err = template.Must(template.ParseFS(texts, "index.html")).Execute(&html, groups)
	if err = cmp.Or(err, store.WriteFile(page, html.Bytes())); err == nil && list {
		groups = slices.DeleteFunc(groups, func(g group) bool { return g.word == "own" })
		err = store.WriteFile(filepath.Join(out, "README.md"), fill("results.md", groups))
	}
	return page, err
}

func read(results, manifests string) []group {
	groups := []group{
		{word: "own", Title: "Runs of your own"},
		{word: "paper", Title: "The paper’s claims"},
		{word: "approximations", Title: "Approximations"},
		{word: "learning", Title: "Learning"},
		{word: "unknown", Title: "Unknown"},
		{word: "engineering", Title: "Engineering"},
		{Title: "Others"},
	}
	files, _ := filepath.Glob(filepath.Join(results, "*", "README.md"))
	for _, file := range files {
		dir := filepath.Dir(file)
		r := &result{dir: dir, Name: filepath.Base(dir)}
		readme, _ := os.ReadFile(file) // a page without it is empty
		var m manifest.Header          // says nothing if it is damaged
		toml.DecodeFile(filepath.Join(dir, "manifest.toml"), &m)
		if published, err := store.OpenResults(dir); err == nil && len(m.Overrides) == 0 {
			r.Finding, _ = quote.Fill(m.Finding, published.Table)
		}
		r.Line, r.Page = r.html([]byte(r.Finding)), r.html(readme)
		if _, err := os.Stat(filepath.Join(manifests, r.Name+".toml")); err != nil {
			m.Group = "own"
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.word == m.Group || g.word == "" })
		groups[i].Results = append(groups[i].Results, r)
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Results) == 0 })
}

// html returns Markdown as HTML, with the pictures inside, deeper headings and links from the folder above.
func (r *result) html(markdown []byte) template.HTML {
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
		case *ast.Image: // without its file, the name is shown in its place
			if picture, err := os.ReadFile(filepath.Join(r.dir, string(n.Destination))); err == nil {
				n.Destination = base64.StdEncoding.AppendEncode([]byte("data:image/png;base64,"), picture)
			}
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	m.Renderer().Render(&b, markdown, document) // writing to a bytes.Buffer cannot fail
	return template.HTML(b.String())
}
