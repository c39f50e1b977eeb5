package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// List prints a line for each manifest in [Folder]: the state of its results, what they cost, and the first
// sentence of its comment, or else the question of its study. A manifest that cannot be read is an error,
// which comes after the other lines.
func List(w io.Writer) error {
	paths, err := manifests()
	if err != nil {
		return err
	}
	lines := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(lines, "NAME\tSTATE\tCELLS\tCPU\tABOUT")
	duration := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond)
	}
	cells, seconds := 0, 0.0
	for _, path := range paths {
		e, unread := new(Request).open(path)
		if unread != nil {
			err = errors.Join(err, unread)
			continue
		}
		n := len(e.Study.Cells())
		run, _ := store.ReadRun(e.Dir) // without a run the times are 0
		fmt.Fprintf(lines, "%s\t%s\t%d\t%v\t%s\n", e.Name, e.state(), n, duration(run.CPUSeconds),
			cmp.Or(e.About, e.Kind.Asks))
		cells, seconds = cells+n, seconds+run.CPUSeconds
	}
	fmt.Fprintf(lines, "sum\t\t%d\t%v\n", cells, duration(seconds))
	return errors.Join(err, lines.Flush())
}

func (e *Experiment) state() string {
	behind, _ := e.behind()
	published, unread := store.OpenResults(e.Dir)
	none := errors.Is(unread, fs.ErrNotExist)
	cells, _ := filepath.Glob(filepath.Join(e.Dir, "cells", "*.cell"))
	failed := store.Failure(e.Dir)
	switch {
	case !none && unread != nil:
		return "cannot be read"
	case !none && len(published.Differing(false)) > 0:
		return "files differ"
	case !none && e.Confirmation:
		run, _ := store.ReadRun(e.Dir)
		return "confirmation, of commit " + run.Commit[:min(8, len(run.Commit))]
	case !none && behind == "":
		return "computed"
	case failed != "":
		return "not finished: " + failed
	case !none:
		return "behind: " + behind
	case len(cells) > 0:
		return fmt.Sprintf("partly computed: %d of %d cells", len(cells), len(e.Study.Cells()))
	case e.missing() != nil:
		return "needs data"
	}
	return "not run"
}

// Check prints which published results are behind, and why. It returns an error unless the file STALE names
// exactly the results that are behind. Results that cannot be computed here need not be named. Those of
// confirmations keep their commit, and are never behind. A results folder without a manifest is behind, unless
// its values are overridden. The list of results must be current.
func Check(w io.Writer) error {
	experiments, err := (&Request{All: true}).Find(false)
	if err != nil {
		return err
	}
	stale := filepath.Join(Results, "STALE")
	text, _ := os.ReadFile(stale) // the file is absent if no results are behind
	named := strings.Fields(string(text))
	var behind []string
	for _, e := range experiments {
		why, excused := e.behind()
		if why != "" {
			fmt.Fprintf(w, "%s: behind: %s\n", e.Name, why)
		}
		if why != "" && (!excused || slices.Contains(named, e.Name)) {
			behind = append(behind, e.Name)
		}
	}
	made, _ := filepath.Glob(filepath.Join(Results, "*", "manifest.toml"))
	for _, file := range made {
		name := filepath.Base(filepath.Dir(file))
		if _, err := os.Stat(filepath.Join(Folder, name+".toml")); err != nil && !strings.Contains(name, "@") {
			fmt.Fprintf(w, "%s: behind: no manifest in %s\n", name, Folder)
			behind = append(behind, name)
		}
	}
	slices.Sort(named)
	slices.Sort(behind)
	if !slices.Equal(named, behind) {
		return fmt.Errorf("%s must name what is behind, and no more: it needs these lines\n%s",
			stale, strings.Join(behind, "\n"))
	}
	list := filepath.Join(Results, "README.md")
	if text, _ := os.ReadFile(list); !bytes.Equal(text, report.List(Results, Folder)) {
		return fmt.Errorf("%s is not what the program writes today; to write it: %s",
			list, CommandLine([]string{"draw", "-all"}))
	}
	return nil
}

// behind returns why published results are not what a run makes today, or "" if they are. Results are excused
// if they cannot be computed here. behind reads no data.
func (e *Experiment) behind() (why string, excused bool) {
	why, excused = e.outdated()
	if why == noResults || why != "" && !excused {
		return why, excused
	}
	text, err := e.rewritten()
	if err != nil {
		return err.Error(), false
	}
	if old, _ := os.ReadFile(filepath.Join(e.Dir, "README.md")); !bytes.Equal(old, text) {
		return "README.md is not what the program writes today; draw writes it", false
	}
	return why, excused
}

const noResults = "no results"

// outdated is behind for the sources, the manifest, and the results of which others are derived. If a program
// is missing, other sources and missing results are excused.
func (e *Experiment) outdated() (why string, excused bool) {
	run, err := store.ReadRun(e.Dir)
	elsewhere := e.elsewhere(run)
	if errors.Is(err, fs.ErrNotExist) {
		return noResults, elsewhere
	}
	text, unresolved := e.resolved() // only after elsewhere, which sets the versions of programs
	if err := cmp.Or(err, unresolved); err != nil {
		return err.Error(), false
	}
	made, _ := os.ReadFile(filepath.Join(e.Dir, "manifest.toml")) // a missing file counts as another manifest
	computed := programs
	if elsewhere {
		computed = programsAndSums
	}
	switch current := run.SourceDigest == SourceDigest(); {
	case !bytes.Equal(computed.ReplaceAll(made, nil), computed.ReplaceAll(text, nil)):
		return "of another manifest", false
	case !current && elsewhere:
		return "of other sources; its program, or this version of it, is not installed", true
	case !current:
		return "of other sources", false
	case !e.followsSources():
		return "derived of other results", false
	}
	return "", false
}

// Lines of a manifest as resolved, which follow from the programs that are installed, and from their files.
var (
	programs        = regexp.MustCompile(`(?m)^program = .*\n`)
	programsAndSums = regexp.MustCompile(`(?m)^(program|sums) = .*\n`)
)

// elsewhere reports whether a program of a run is missing here, or has another version.
func (e *Experiment) elsewhere(run *store.Run) bool {
	installed, err := e.FindPrograms()
	missing := func(p string) bool { return !slices.Contains(installed, p) }
	return err != nil || slices.ContainsFunc(run.Programs, missing)
}

// followsSources is false if the tables of a derived experiment are not those of what it reads.
func (e *Experiment) followsSources() bool {
	if _, derived := e.Study.(study.Derived); !derived {
		return true
	}
	_, err := e.use()
	return err == nil && !slices.ContainsFunc(e.Study.Tables(nil), func(t *table.Table) bool {
		file := store.TableFile(t)
		old, _ := os.ReadFile(filepath.Join(e.Dir, file.Name))
		return !bytes.Equal(old, file.Data)
	})
}

// Verify runs experiments again in a temporary folder, and prints every file that differs from the published
// results. README.md is written for the run that made the published results. An experiment that reads the
// results of others reads the published ones, which are verified themselves.
func (r *Request) Verify(ctx context.Context) error {
	experiments, err := r.Find(true)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "closedform-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	var verified []*Experiment
	var published []string
	for _, e := range experiments {
		_, err := store.OpenResults(e.Dir)
		run, unread := store.ReadRun(e.Dir)
		if err := cmp.Or(err, unread); err != nil {
			return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
		}
		if e.elsewhere(run) {
			fmt.Fprintf(r.Stdout, "%s: another version of its program computed it; skipped\n", e.Name)
			continue
		}
		e.verified = run
		verified, published = append(verified, e), append(published, e.Dir)
		e.Dir = filepath.Join(temporary, filepath.Base(e.Dir))
	}
	silent := *r
	silent.Stdout = io.Discard
	if err := silent.run(ctx, verified); err != nil {
		return err
	}
	differing := 0
	for i, e := range verified {
		lines, err := store.Compare(published[i], e.Dir)
		if err != nil {
			return err
		}
		verdict := "same bytes"
		if differing += len(lines); len(lines) > 0 {
			verdict = "differs"
		}
		for _, line := range append(lines, verdict) {
			fmt.Fprintf(r.Stdout, "%s: %s\n", e.Name, line)
		}
	}
	if differing > 0 {
		return fmt.Errorf("%d files differ from the results", differing)
	}
	return nil
}
