package report

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"closedform/runner/internal/store"
)

// state says whether the results of an experiment are complete and up to date.
type state struct{ Word, Class, Sign, Means string }

const (
	same = iota
	fresh
	stale
	partly
	needsData
	notRun
	differs
	unreadable
)

var states = [...]state{
	same:       {"computed", "good", "✓", "the current sources computed all cells; all files match their checksums, which are committed"},
	fresh:      {"computed, not committed", "good", "◇", "the same, but the checksums are not committed"},
	stale:      {"behind", "warn", "↻", "all files match their checksums, but the results are of other sources, of another manifest, or derived of other results"},
	partly:     {"partly computed", "warn", "◐", "some cells are done, of a run that was interrupted or is running; the same command resumes"},
	needsData:  {"needs data", "none", "↓", "nothing is computed, and its data are missing: make data"},
	notRun:     {"not run", "none", "○", "nothing is computed"},
	differs:    {"files differ", "bad", "≠", "a file was changed or lost after publishing"},
	unreadable: {"cannot be read", "bad", "!", "the manifest, run.json or SHA256SUMS is damaged"},
}

// State returns words for the state of an experiment, of which the results are in a
// folder below results.
func State(results string, e Experiment) string {
	s := &section{Experiment: e}
	s.judge(filepath.Join(results, e.Name), committed(results)[e.Name])
	if s.Detail != "" {
		return s.State.Word + ": " + s.Detail
	}
	return s.State.Word
}

// committed returns for each SHA256SUMS that git has at HEAD below the folder the name
// that git gives its content; none where there is no git.
func committed(folder string) map[string]string {
	out, _ := store.Git(context.Background(), folder, "ls-tree", "-r", "-z", "HEAD", "--", ".")
	names := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		info, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(info); len(f) == 3 && filepath.Base(path) == "SHA256SUMS" {
			names[filepath.Dir(path)] = f[2]
		}
	}
	return names
}

// judge reads the checksums and run.json and sets the state of the section; committed is
// git's hash of the committed SHA256SUMS.
func (s *section) judge(dir, committed string) {
	results, err := store.OpenResults(dir)
	name := ""
	var bad []string
	if err == nil {
		sums := results.Sums()
		s.Sum, name = fmt.Sprintf("%x", sha256.Sum256(sums)), fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(sums), sums)))
		bad = results.Differing()
		s.Run, err = store.ReadRun(dir)
	} else if errors.Is(err, fs.ErrNotExist) { // nothing was published
		err = nil
	}
	switch {
	case s.Err != nil || err != nil:
		s.state = unreadable
	case len(bad) > 0:
		s.state = differs
	case s.Run != nil && s.Behind != "":
		s.state, s.Detail = stale, s.Behind
	case s.Run != nil && name == committed:
		s.state = same
	case s.Run != nil:
		s.state = fresh
	case s.Done > 0:
		s.state, s.Detail = partly, fmt.Sprintf("%d of %d cells", s.Done, s.Cells)
	case s.Missing != nil:
		s.state = needsData
	default:
		s.state = notRun
	}
	s.State = states[s.state]
	s.problem("manifest", s.Err)
	s.problem("run", err)
	if len(bad) > 0 {
		s.Problems = append(s.Problems, "not what SHA256SUMS lists: "+strings.Join(bad, ", "))
	}
}
