package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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
