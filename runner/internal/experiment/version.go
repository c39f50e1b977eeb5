package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"closedform"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
)

// CodeVersion returns the version of the code that makes the cells of a study that use these
// baselines.
var CodeVersion = func(s study.Experiment, uses []string) (string, error) {
	return closedform.Version(reflect.TypeOf(s).Elem().PkgPath(), uses)
}

// Origin identifies what determines a cell: the version of its code and the checksum of its spec.
type Origin struct{ Code, Spec string }

// Fingerprint returns the checksum of Code and Spec.
func (o Origin) Fingerprint() string { return Checksum([]byte(o.Code), []byte(o.Spec)) }

// Cells returns the cells, whose keys differ, the origin of each, and the version of the code of all of them.
func (e *Experiment) Cells() (cells []study.Cell, origins []Origin, version string, err error) {
	cells = e.Study.Cells()
	if len(cells) > config.MaxCells {
		return nil, nil, "", fmt.Errorf("%d cells; allowed: %d", len(cells), config.MaxCells)
	}
	versions, version, err := e.Versions()
	seen := map[string]bool{}
	for i, c := range cells {
		spec, bad := json.Marshal(c.Spec)
		switch {
		case seen[c.Key]:
			err = cmp.Or(err, fmt.Errorf("two cells are called %s", c.Key))
		case bad != nil:
			err = cmp.Or(err, fmt.Errorf("cell %s: %w", c.Key, bad))
		}
		seen[c.Key] = true
		origins = append(origins, Origin{versions[i], Checksum(spec)})
	}
	return cells, origins, version, err
}

// Versions returns the version of the code of each cell, and one version for all of
// them; without cells that of the study.
func (e *Experiment) Versions() (each []string, all string, err error) {
	known := map[string]string{}
	version := func(uses []string) (string, error) {
		key := fmt.Sprint(uses == nil, uses)
		if known[key] == "" {
			known[key], err = CodeVersion(e.Study, uses)
		}
		return known[key], err
	}
	cells := e.Study.Cells()
	if each = make([]string, len(cells)); len(cells) == 0 {
		_, err = version(nil)
	}
	for i, c := range cells {
		if each[i], err = version(c.Uses); err != nil {
			break
		}
	}
	distinct := slices.Compact(slices.Sorted(maps.Values(known)))
	if all = strings.Join(distinct, " "); len(distinct) > 1 {
		all = Checksum([]byte(all))
	}
	return each, all, err
}

// Checksum returns the SHA-256, in hexadecimal, of all parts.
func Checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Executable stands for all code of the program: a cell follows from that of its
// study, but how tables are merged, written and drawn may be any other.
var Executable = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(path)
	return []byte(Checksum(code)), err
})
