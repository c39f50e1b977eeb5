package study

import (
	"path/filepath"
	"testing"

	"closedform/runner/internal/manifest"
)

// The manifests of the project must load, each under the name of its file, so
// that results/NAME is found from experiments/NAME.toml.
func TestExperimentsLoad(t *testing.T) {
	const dir = "../../../experiments"
	names, err := manifest.List(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("%d manifests in %s: %v", len(names), dir, err)
	}
	for _, name := range names {
		m, err := manifest.Load(filepath.Join(dir, name+".toml"), Kinds, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Name != name {
			t.Errorf("%s.toml has the name %q", name, m.Name)
		}
		if _, err := New(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
