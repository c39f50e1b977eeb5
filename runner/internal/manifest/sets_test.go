package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// The sets of another file come before those of the manifest, which change values of them by
// their names. Errors say which file a value is from; the resolved manifest has all sets.
func TestSets(t *testing.T) {
	type experiment struct {
		Sets []Item `toml:"set"`
	}
	folder := t.TempDir()
	manifest := filepath.Join(folder, "m.toml")
	decode := func(sets, text string, overrides ...string) ([]Item, string, error) {
		check.OK(t, os.WriteFile(filepath.Join(folder, "s.toml"), []byte(sets), 0o600))
		var v experiment
		m, err := Parse(manifest, []byte(text), overrides)
		if err == nil {
			err = m.Decode(&v)
		}
		if err != nil {
			return nil, "", err
		}
		return v.Sets, string(check.Must(m.Resolved(&v))), nil
	}
	const head = "name = \"a\"\nstudy = \"a\"\n"
	const sets = "[[set]]\nname = \"p\"\nrate = 0.1\n[[set]]\nname = \"q\"\nrate = 0.2\nwords = [\"w\"]\n"
	const own = "sets = \"s.toml\"\n[[set]]\nname = \"q\"\nrate = 0.3\n[[set]]\nname = \"r\"\n"
	want := []Item{{"p", Inner{0.4, nil}}, {"q", Inner{0.3, []string{"w"}}}, {"r", Inner{}}}
	got, text, err := decode(sets, head+own, "set.p.rate=0.4")
	check.OK(t, err)
	check.Equal(t, "sets", got, want)
	got, _, err = decode("", text)
	check.OK(t, err)
	check.Equal(t, "resolved", got, want)
	for _, c := range []struct{ sets, own, want string }{
		{strings.Replace(sets, "0.1", "7", 1), own, filepath.Join(folder, "s.toml") + ":3: set.p.rate: "},
		{sets, strings.Replace(own, "0.3", "7", 1), manifest + ":6: set.q.rate: "},
		{sets, strings.Replace(own, "\"r\"\n", "\"r\"\nrate = 7\n", 1), manifest + ":9: set.r.rate: "},
		{sets, "sets = \"none.toml\"\n", manifest + ":3: sets: "},
		{sets, "sets = 3\n", manifest + ":3: sets: 3 is not allowed"},
		{"[model]\n" + sets, own, filepath.Join(folder, "s.toml") + ":1: model: not a key"},
		{"[[set]\n" + sets, own, filepath.Join(folder, "s.toml") + ":2: "},
	} {
		_, _, err := decode(c.sets, head+c.own)
		check.Refuses(t, c.want, err, c.want)
	}
}
