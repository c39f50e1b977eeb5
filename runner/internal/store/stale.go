package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StaleFile is the file beside the results folders that lists the experiments whose results are behind the
// code or their manifest, a name on each line. It is absent if there are none.
const StaleFile = "STALE"

// ReadStale returns the names that are listed in the folder out.
func ReadStale(out string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(out, StaleFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.Fields(string(text)), err
}
