package studies

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
)

const experiments = "../../../experiments"

// Every manifest is one of a study, is read back the same when all is spelled out,
// and all of its keys are in the README.
func TestManifests(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(experiments, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := config.List(experiments)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	used := map[string]bool{}
	for _, name := range names {
		first := resolve(t, filepath.Join(experiments, name+".toml"))
		spelled := filepath.Join(t.TempDir(), name+".toml")
		if err := os.WriteFile(spelled, first, 0o666); err != nil {
			t.Fatal(err)
		}
		if second := resolve(t, spelled); string(second) != string(first) {
			t.Errorf("%s: spelled out\n%s\nand again\n%s", name, first, second)
		}
		var all map[string]any
		if _, err := toml.Decode(string(first), &all); err != nil {
			t.Fatal(err)
		}
		used[all["study"].(string)] = true
		for key := range keys(all) {
			if !strings.Contains(string(readme), "`"+key+"`") && !strings.Contains(string(readme), "["+key+"]") {
				t.Errorf("%s: the README of the experiments does not have the key %s", name, key)
			}
		}
	}
	for _, kind := range All {
		if !used[kind.Name] || !strings.Contains(string(readme), "| `"+kind.Name+"` |") {
			t.Errorf("no manifest is of the study %s, or the README does not have it", kind.Name)
		}
	}
}

// resolve returns a manifest with every key spelled out.
func resolve(t *testing.T, file string) []byte {
	t.Helper()
	m, err := config.Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range All {
		if kind.Name != m.Study {
			continue
		}
		e, err := kind.New(m)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Resolved(e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("%s: no study %s", file, m.Study)
	return nil
}

// keys returns all keys in a table and the tables in it.
func keys(v any) map[string]bool {
	out := map[string]bool{}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			out[key] = true
			for k := range keys(value) {
				out[k] = true
			}
		}
	case []map[string]any:
		for _, element := range v {
			for k := range keys(element) {
				out[k] = true
			}
		}
	}
	return out
}
