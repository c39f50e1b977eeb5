package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Draw draws the figures of experiments, and writes README.md and the pages, again from the published tables.
// With All, it prints which experiments lack tables; otherwise missing tables are an error.
func (r *Request) Draw(ctx context.Context) (failed error) {
	experiments, err := r.Find(false)
	if err != nil {
		return err
	}
	for _, e := range experiments {
		err := e.draw(ctx, r.Stdout)
		if r.All && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotCommitted)) {
			fmt.Fprintln(r.Stdout, err)
		} else {
			failed = errors.Join(failed, err)
		}
	}
	return r.writePages(experiments, failed)
}

// draw replaces the figures that can be drawn, and README.md if all can be. An error says how to make the
// tables.
func (e *Experiment) draw(ctx context.Context, w io.Writer) error {
	published, err := store.OpenResults(e.Dir)
	if err != nil {
		return e.remake(err)
	}
	files, undrawn := drawAll(e.Study.Figures(), published.Table)
	fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/2) // each figure is a PNG and a PDF file
	var readme []byte
	if undrawn == nil {
		readme, undrawn = e.rewritten()
	}
	folder, err := store.Open(e.Dir, "")
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Replace(ctx, files, readme)
	if undrawn != nil {
		err = errors.Join(e.remake(undrawn), err)
	}
	return err
}

// remake adds to an error of published results the command that makes them again.
func (e *Experiment) remake(err error) error {
	why, _ := e.outdated()
	if why != "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrNotCommitted) {
		err = fmt.Errorf("the results in %s are behind (%s)", e.Dir, why) // tables of older code may lack columns
	}
	words := []string{"-exp", e.File}
	for _, s := range e.Overrides {
		words = append(words, "-set", s)
	}
	if e.out != "" {
		words = append(words, "-out", e.out)
	}
	return fmt.Errorf("%s: %w; to make them: %s", e.Name, err, CommandLine(words))
}

// drawAll returns the files of the figures that can be drawn, and the errors of the others.
func drawAll(all []study.Figure, read func(string) (*table.Table, error)) (files []store.File, failed error) {
	for _, figure := range all {
		drawn, err := draw(figure, read)
		if files = append(files, drawn...); err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure %s: %w", figure.Name, err))
		}
	}
	return files, failed
}

// caught makes a panic an error: a published table that other code or another manifest made may lack columns, at
// which reading panics.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

// draw draws a figure of the published tables that it needs.
func draw(figure study.Figure, read func(string) (*table.Table, error)) (files []store.File, err error) {
	defer caught(&err)
	var needs table.Tables
	for _, name := range figure.Needs {
		t, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("needs %w", err)
		}
		needs = append(needs, t)
	}
	page := figure.Draw(needs)
	png, err1 := page.Encode("png")
	pdf, err2 := page.Encode("pdf")
	return []store.File{{Name: figure.Name + ".png", Data: png}, {Name: figure.Name + ".pdf", Data: pdf}},
		errors.Join(err1, err2)
}

// readme completes README.md of results. The text follows from the tables as published, the manifest, and the
// provenance of the run that made the results.
func (e *Experiment) readme(page *report.README, tables table.Tables, run *store.Run) []byte {
	page.Name, page.Asks, page.Figures, page.Programs = e.Name, cmp.Or(e.About, e.Kind.Asks), e.Study.Figures(), run.Programs
	page.Command = GoRun + quoted(run.Command[min(1, len(run.Command)):]) // for every program the same bytes
	if s, ok := e.Study.(study.WithResult); ok {
		page.Result = s.Result(tables, run.CellSeconds)
	}
	if len(e.Overrides) == 0 { // the finding holds for the values of the manifest only
		var err error
		if page.Finding, err = quote.Fill(e.Finding, tables.Read); err != nil {
			page.Result.Notes = append(page.Result.Notes, fmt.Sprintf("finding: %v", err))
		}
	}
	return page.Markdown()
}

// rewritten returns README.md as the current code writes it about published results. Only cells know the
// descriptions of columns: they are read from the published README.md.
func (e *Experiment) rewritten() (readme []byte, err error) {
	defer caught(&err)
	published, err := store.OpenResults(e.Dir)
	run, unread := store.ReadRun(e.Dir)
	path := filepath.Join(e.Dir, "README.md")
	old, missing := os.ReadFile(path)
	if err := cmp.Or(err, unread, missing); err != nil {
		return nil, err
	}
	page, tables := new(report.README), table.Tables(nil)
	page.Tables, page.Kept = report.Described(old)
	for _, name := range published.Tables() {
		t, err := published.Table(name)
		if errors.Is(err, store.ErrNotCommitted) {
			continue // README.md quotes no table that is not committed
		} else if err != nil {
			return nil, err
		}
		about := page.Tables.Get(name)
		if about == nil || !slices.Equal(table.Names(t.Columns), table.Names(about.Columns)) {
			return nil, fmt.Errorf("%s does not describe the columns of %s", path, name)
		}
		tables = append(tables, t)
	}
	return e.readme(page, tables, run), nil
}

// writePages writes the pages about all results into the folders above those of experiments, also after a
// failure, but says where to look only after success.
func (r *Request) writePages(experiments []*Experiment, failed error) error {
	wrote := map[string]bool{}
	for _, e := range experiments {
		out := filepath.Dir(e.Dir)
		made, _ := filepath.Glob(filepath.Join(out, "*", "run.json"))
		if made == nil || wrote[out] {
			continue
		}
		page, err := report.Write(out, Folder, isPublished(out))
		if wrote[out], failed = true, errors.Join(failed, err); failed == nil {
			fmt.Fprintf(r.Stdout, "open %s\n", page)
		}
	}
	return failed
}
