package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Git returns the output of a git command that runs in dir. It takes no optional locks, which
// would block the user's git.
func Git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// Revision is a folder as it was at a commit of git.
type Revision struct {
	dir, commit string
	files       []string // their paths in the folder
}

// OpenRevision returns the folder dir at the commit that rev names.
func OpenRevision(ctx context.Context, dir, rev string) (*Revision, error) {
	if _, err := Git(ctx, dir, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	commit, err := Git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("git knows no commit %s", rev)
	}
	r := &Revision{dir: dir, commit: strings.TrimSpace(commit)}
	list, err := Git(ctx, dir, "ls-tree", "-r", "-z", "--name-only", r.commit, "--", ".")
	r.files = strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	return r, err
}

// Folders returns the names of the folders that hold files, sorted.
func (r *Revision) Folders() []string {
	var names []string
	for _, file := range r.files {
		if name, _, ok := strings.Cut(file, "/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// read returns the content of a file.
func (r *Revision) read(ctx context.Context, file string) ([]byte, error) {
	text, err := Git(ctx, r.dir, "show", r.commit+":./"+file)
	return []byte(text), err
}
