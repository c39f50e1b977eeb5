package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"closedform/runner/dataset"
	"closedform/runner/internal/own"
	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// publish puts the results of a run into their folder, unless another process has just done so.
func (j *job) publish(ctx context.Context, run *store.Run) error {
	release, err := own.Replace(j.Dir)
	if err != nil {
		return err
	}
	defer release()
	readme := j.readme(&j.page, j.tables, run)
	published, err := j.work.Folder.Publish(ctx, j.inputs, j.files, readme, run)
	if err != nil {
		return err
	}
	if !published {
		j.print("is up to date\n")
		return nil
	}
	text := fmt.Sprintf("has %d files, in %.2f s\n", len(j.files), j.run.Seconds)
	if run != j.run {
		text += fmt.Sprintf("  unchanged: the results, and their seconds, are those of the run of %s\n",
			run.Start.Format(time.DateOnly))
	}
	j.print(text + report.Text(j.page.Result))
	return nil
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

// GoRun is how the program is run in the root of the repository.
const GoRun = "go run ./runner"

// Program returns how the program was run: by the name that was typed, or by go run.
var Program = sync.OnceValue(func() string {
	if path, _ := os.Executable(); temporary.MatchString(path) {
		return GoRun
	}
	return quoted(os.Args[:1])[1:]
})

// temporary matches the folders in which go run and go test build programs.
var temporary = regexp.MustCompile(`[/\\](go-build\d+|[0-9a-f]{64}-d)[/\\]`)

// CommandLine returns the command line of the program with these words, quoted for a shell.
func CommandLine(words []string) string { return Program() + quoted(words) }

func quoted(words []string) (text string) {
	for _, word := range words {
		text += " " + dataset.Quote(word)
	}
	return text
}
