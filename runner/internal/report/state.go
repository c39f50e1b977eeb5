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

// state is how far the results of an experiment can be relied on.
type state struct{ Word, Class, Sign, Means string }

const (
	same = iota
	fresh
	adopted
	stale
	partly
	needsData
	notRun
	differs
	unreadable
)

var states = [...]state{
	same:       {"computed", "good", "✓", "today's code computed all cells; all files match their sums, and these are the committed ones"},
	fresh:      {"computed, not committed", "good", "◇", "the same, but these sums are not committed"},
	adopted:    {"adopted", "good", "≈", "other code computed the cells; today's code computed a sample of them again, to the same bytes"},
	stale:      {"behind", "warn", "↻", "all files match their sums, but today's code, manifest or sources are others"},
	partly:     {"partly computed", "warn", "◐", "cells are kept of a run that was interrupted, or is at work: the same command goes on"},
	needsData:  {"needs data", "none", "↓", "nothing is computed, and data that it reads are not there: make data"},
	notRun:     {"not run", "none", "○", "nothing is computed"},
	differs:    {"files differ", "bad", "≠", "a file was changed or lost since its sum was written"},
	unreadable: {"cannot be read", "bad", "!", "the manifest, or what tells of the run, is broken"},
}

// State returns the word for the state of an experiment, of which the results are in a
// folder below results.
func State(results string, e Experiment) string {
	s := &section{Experiment: e}
	s.judge(filepath.Join(results, e.Name), committed(results)[e.Name])
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

// judge reads what tells of the run and finds the state of the section; committed is
// the name that git gives to the committed sums.
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
	case s.Run != nil && s.Run.Adopted != nil:
		a := s.Run.Adopted
		s.state, s.Detail = adopted, fmt.Sprintf("%d cells, %d computed again", a.Cells, a.Recomputed)
		if name != committed {
			s.Detail += ", not committed"
		}
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
