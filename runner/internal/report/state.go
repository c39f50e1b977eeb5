package report

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/store"
)

// state is how far the results of an experiment can be relied on.
type state struct{ Word, Class, Sign, Means, Detail string }

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
	same: {Word: "same bytes as committed", Class: "good", Sign: "✓", Means: "all files match their checksums, these are the committed ones, and the code is the one that computed them"},
	fresh: {Word: "computed, not committed", Class: "good", Sign: "◇", Means: "all files match their checksums and the code is the one that computed them, but these checksums are not committed"},
	stale: {Word: "not verified since the code changed", Class: "warn", Sign: "↻", Means: "all files match their checksums, but they were computed by other code than today's: a run computes them again"},
	partly: {Word: "partly computed", Class: "warn", Sign: "◐", Means: "some cells are kept from a run that was interrupted, or is at work: the same command goes on from there"},
	needsData: {Word: "needs data", Class: "none", Sign: "↓", Means: "nothing is computed, and the data sets it reads are not there: make data"},
	notRun: {Word: "not run", Class: "none", Sign: "○", Means: "nothing is computed"},
	differs: {Word: "files differ from their sums", Class: "bad", Sign: "≠", Means: "a file was changed or lost since it was computed"},
	unreadable: {Word: "cannot be read", Class: "bad", Sign: "!", Means: "the manifest, or what tells of the run, is broken"},
}

// committed returns for each SHA256SUMS below the folder that git has at HEAD, by its path
// from there, the name of its content; none where there is no git.
func committed(folder string) map[string]string {
	cmd := exec.Command("git", "ls-tree", "-r", "-z", "HEAD", "--", ".")
	cmd.Dir = folder
	out, _ := cmd.Output()
	names := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		info, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(info); len(f) == 3 && strings.HasSuffix(path, sumsFile) {
			names[filepath.FromSlash(path)] = f[2]
		}
	}
	return names
}

const sumsFile = "SHA256SUMS"

// gitName returns the name that git gives a content.
func gitName(data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)))
}

// differing returns the files of a folder that are not what its SHA256SUMS lists. What
// is not committed need not be there.
func differing(dir string, sums []byte) (names []string) {
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		data, err := os.ReadFile(filepath.Join(dir, name))
		remade := slices.Contains([]string{".svg", ".pdf", ".gz"}, filepath.Ext(name))
		switch {
		case !ok:
			names = append(names, fmt.Sprintf("%s (line %q)", sumsFile, line))
		case os.IsNotExist(err) && remade:
		case os.IsNotExist(err):
			names = append(names, name+" (lost)")
		case err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum:
			names = append(names, name)
		}
	}
	return names
}

// judge finds the state of the section, whose run and sums are read.
func (s *section) judge(dir string, sums []byte, head string) {
	state := notRun
	bad := differing(dir, sums)
	switch {
	case s.Err != nil || sums != nil && s.Run == nil:
		state = unreadable
	case len(bad) > 0:
		state = differs
	case s.Run != nil && s.Run.CodeVersion != s.Version:
		state = stale
	case s.Run != nil && gitName(sums) == head:
		state = same
	case s.Run != nil:
		state = fresh
	case s.Done > 0:
		state = partly
	case s.Missing != nil:
		state = needsData
	}
	if len(bad) > 0 {
		s.Problems = append(s.Problems, "not what "+sumsFile+" lists: "+strings.Join(bad, ", "))
	}
	s.State = states[state]
	if state == partly {
		s.State.Detail = fmt.Sprintf("%d of %d cells", s.Done, s.Cells)
	}
}

// readRun reads what tells of the run, as far as it is there.
func (s *section) readRun(dir string) (sums []byte) {
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		s.Sum = fmt.Sprintf("%x", sha256.Sum256(sums))
		s.Run, err = store.ReadRun(dir)
	}
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	return sums
}
