package studies

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
)

const experiments = "../../../experiments"

// Every manifest is one of a study, and is read back the same when all is spelled out.
func TestManifests(t *testing.T) {
	reference := check.Read(experiments, "KEYS.md")
	files := check.Glob(experiments, "*.toml")
	used := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		first := resolve(t, file)
		spelled := filepath.Join(t.TempDir(), name+".toml")
		check.OK(t, os.WriteFile(spelled, first, 0o666))
		if second := resolve(t, spelled); string(second) != string(first) {
			t.Errorf("%s: spelled out\n%s\nand again\n%s", name, first, second)
		}
		var all map[string]any
		check.Must(toml.Decode(string(first), &all))
		used[all["study"].(string)] = true
	}
	for _, kind := range All {
		if !used[kind.Name] || !strings.Contains(reference, "| `"+kind.Name+"` |") {
			t.Errorf("no manifest is of the study %s, or KEYS.md does not have it", kind.Name)
		}
	}
}

// Every key that a manifest can have is in KEYS.md.
func TestEveryKey(t *testing.T) {
	reference := check.Read(experiments, "KEYS.md")
	tag := regexp.MustCompile(`toml:"(\w+)`)
	folders := "../manifest ../data ../learner ../plots . * ../../dataset ../../../baselines/learners/*"
	for folder := range strings.FieldsSeq(folders) {
		for _, file := range check.Glob(folder, "*.go") {
			if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "decode.go" {
				continue
			}
			for _, m := range tag.FindAllStringSubmatch(check.Read(file), -1) {
				check.True(t, explains(reference, m[1]), "%s: KEYS.md does not have the key %s", file, m[1])
			}
		}
	}
}

// explains reports whether the reference has a key or a table.
func explains(reference, key string) bool {
	return strings.Contains(reference, "`"+key+"`") || strings.Contains(reference, "["+key+"]")
}

// resolve returns a manifest with every key spelled out.
func resolve(t *testing.T, file string) []byte {
	t.Helper()
	m := check.Must(manifest.Parse(file, check.Must(os.ReadFile(file)), nil))
	for _, kind := range All {
		if kind.Name != m.Study {
			continue
		}
		e := check.Must(kind.New(m))
		out := check.Must(m.Resolved(e))
		if _, ok := e.(study.WithData); !ok && strings.Contains(string(out), "\nfile = ") {
			t.Errorf("%s: reads files, and does not say which", file)
		}
		return out
	}
	t.Fatalf("%s: no study %s", file, m.Study)
	return nil
}
