package manifest

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// FuzzParse checks that an error is one line that names the file or the
// override, and that what is accepted survives being spelled out.
func FuzzParse(f *testing.F) {
	paper, err := os.ReadFile("testdata/paper.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(paper), "model.lambda=0.4")
	f.Add(small, "sweep.seed=1..20")
	f.Add(full, "variant.a.rho=0.25")
	f.Add(blocksSrc, "figure.1.single=true")
	f.Add(momentsSrc, "moments.samples=[100, 1000]")
	f.Add(ablationSrc, "ablation.variance=0.5")
	f.Add(calibrateSrc, "calibrate.classes=3..9")
	f.Add(stabilitySrc, "stability.variance=[1, 2]")
	f.Add(mcCheckSrc, "seed=0")
	f.Add("\ufeffa.\"b\".'c' = {x = [1, 'y', \"z\"]} # c\n[[d]]\n[d.e]\nf = \"\"\"\n\\\"\"\"\"\"\n", "d.1.e.f=2020-01-01")
	f.Add("a = '''\n'''''\r\nb = [[], [\n#\n1, 2 ,], {c = nan},]", "")
	f.Fuzz(func(t *testing.T, src, override string) {
		var overrides []string
		if override != "" {
			overrides = []string{override}
		}
		m, err := Parse("x.toml", []byte(src), studies, overrides)
		if err != nil {
			s := err.Error()
			if s != oneLine(s) || !strings.HasPrefix(s, "x.toml:") && !strings.HasPrefix(s, "-set ") {
				t.Errorf("error %q", s)
			}
			if len(s) > 2000 {
				t.Errorf("error of %d bytes: %.100s…", len(s), s)
			}
			return
		}
		resolved := m.Resolved()
		again, err := Parse("resolved.toml", resolved, studies, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, resolved)
		}
		if !reflect.DeepEqual(again, m) {
			t.Errorf("got  %+v\nwant %+v\n%s", again, m, resolved)
		}
	})
}

// FuzzLines checks that whatever the decoder reads, the index of lines reads to
// its end too, and finds the same keys.
func FuzzLines(f *testing.F) {
	for _, src := range []string{
		small, full, blocksSrc,
		"\ufeffa.\"b\".'c' = {x = [1, 'y', \"z\"]} # c\n[[d]]\n[d.e]\nf = \"\"\"\n\\\"\"\"\"\"\n",
		"a = '''\n'''''\r\nb = [[], [\n#\n1, 2 ,], {c = nan},]",
		"a = 1979-05-27 07:32:00 # t\n'' = \"\\u00e9\"\n[ b . \"c\" ]\n[[ d.e ]]\n[[d.e]]\nf.g = -0x1\n[d.e.h]",
		"a = {\nb = 1, # c\nc = {}\n,}",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !utf8.ValidString(src) {
			return // Refused before it is indexed.
		}
		s := newScanner(src)
		whole := s.document()
		if s.limit != "" {
			return
		}
		var root map[string]any
		if _, err := toml.Decode(src, &root); err != nil {
			return
		}
		if !whole {
			t.Fatalf("stopped at line %d before %q", s.line, s.rest)
		}
		lines := 1 + strings.Count(src, "\n")
		if s.line != lines {
			t.Errorf("ended at line %d of %d", s.line, lines)
		}
		if strings.Contains(src, "\\") {
			return // The index does not know every escape.
		}
		checkPlaces(t, s.places, "", root, lines)
	})
}

func checkPlaces(t *testing.T, places map[string]place, path string, root map[string]any, lines int) {
	for k, v := range root {
		at := join(path, k)
		if p := places[at]; p.line < 1 || p.line > lines {
			t.Errorf("%q is at line %d", at, p.line)
		}
		if sub, ok := v.(map[string]any); ok {
			checkPlaces(t, places, at, sub, lines)
		}
	}
}
