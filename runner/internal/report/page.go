package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	htmltemplate "html/template"
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
}

// Write writes index.html about the results folders in out and, if list, README.md. Results without a
// manifest in the folder manifests are the user's own. They come first in index.html, and are not in
// README.md.
func Write(out, manifests string, list bool) (page string, err error) {
	page = filepath.Join(out, "index.html")
	var html bytes.Buffer
	err = htmltemplate.Must(htmltemplate.ParseFS(texts, "index.html")).Execute(&html, read(out, manifests))
	if err = cmp.Or(err, store.WriteFile(page, html.Bytes())); err == nil && list {
		err = store.WriteFile(filepath.Join(out, "README.md"), List(out, manifests))
	}
	return page, err
}

// List returns README.md, the list of the results folders in out.
func List(out, manifests string) []byte {
	groups := slices.DeleteFunc(read(out, manifests), func(g group) bool { return g.word == "own" })
	return fill("results.md", groups)
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
		var m manifest.Header // if the file is damaged, the result is in the group of others
		toml.DecodeFile(filepath.Join(dir, "manifest.toml"), &m)
		if published, err := store.OpenResults(dir); err == nil && len(m.Overrides) == 0 {
			r.Finding, _ = quote.Fill(m.Finding, published.Table)
		}
		if _, err := os.Stat(filepath.Join(manifests, r.Name+".toml")); err != nil {
			m.Group = "own"
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.word == m.Group || g.word == "" })
		groups[i].Results = append(groups[i].Results, r)
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Results) == 0 })
}

// Line returns the finding as HTML.
func (r *result) Line() htmltemplate.HTML { return r.html([]byte(r.Finding)) }

// Page returns README.md as HTML.
func (r *result) Page() htmltemplate.HTML {
	readme, _ := os.ReadFile(filepath.Join(r.dir, "README.md")) // if it is missing, the page is empty
	return r.html(readme)
}

// html returns Markdown as HTML. Pictures are embedded, headings are two levels deeper, and links lead from
// the folder above.
func (r *result) html(markdown []byte) htmltemplate.HTML {
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
		case *ast.Image: // if the file is missing, the page shows the name
			if picture, err := os.ReadFile(filepath.Join(r.dir, string(n.Destination))); err == nil {
				n.Destination = base64.StdEncoding.AppendEncode([]byte("data:image/png;base64,"), picture)
			}
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	m.Renderer().Render(&b, markdown, document) // writing to a bytes.Buffer cannot fail
	return htmltemplate.HTML(b.String())
}
