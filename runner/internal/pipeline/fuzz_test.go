package pipeline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
)

// Whatever a manifest and -set say, each line of the error says where, or there are
// cells, and the manifest as it is resolved is another one of the same experiment.
func FuzzManifest(f *testing.F) {
	files, _ := filepath.Glob("../../../experiments/*.toml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "sweep.seed=1..3")
	}
	f.Add(small, "method.joint.scale=1e300")
	f.Add(drawn, "sweep.seed=9223372036854775800..9223372036854775807")
	f.Add(small, "name=../x")
	f.Add(small+strings.Repeat("a.", 1e5)+"a=1\n", "x="+strings.Repeat("{a=", 1e5))
	f.Add(small, "x={"+strings.Repeat("a.", 1e5)+"a=1}")
	f.Add(small+"x="+strings.Repeat("[", 999)+strings.Repeat("]", 999)+"\n", strings.Repeat("a.", 1e4)+"a=1")
	f.Add(strings.Replace(small, `name = "joint"`, `name = "../joint"`, 1), "x")
	f.Add(small, "sweep={seed=[1,2]}")
	f.Add("\"a\\nb\" = 1\n"+small, "\"x\ny\"=2")
	f.Fuzz(func(t *testing.T, text, set string) {
		file := check.Write(t, text)
		check.Frugal(t, func() {
			e, err := (&Request{Overrides: []string{set}}).open(file)
			if err != nil {
				for line := range strings.SplitSeq(err.Error(), "\n") {
					if !strings.HasPrefix(line, file) && !strings.HasPrefix(line, "-set ") {
						t.Errorf("error %q", err)
					}
				}
				return
			}
			if out := filepath.Base(filepath.Dir(e.Dir)); out != Results && out != OwnResults {
				t.Errorf("folder %s", e.Dir)
			}
			if cells := e.Study.Cells(); len(cells) > manifest.MaxCells {
				return
			}
			resolved := check.Must(e.resolved())
			again, err := read(check.Write(t, string(resolved)), nil)
			if err != nil {
				t.Fatalf("resolved to\n%s\n%v", resolved, err)
			}
			if twice, err := again.resolved(); err != nil || !bytes.Equal(twice, resolved) {
				t.Errorf("resolved to\n%s\nand then to\n%s\n%v", resolved, twice, err)
			}
		})
	})
}
