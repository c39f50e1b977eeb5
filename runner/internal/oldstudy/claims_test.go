package study

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// seedTable has a variant that is one better than another, seed by seed.
const seedTable = `variant,seed,k,x,x_low,x_high,x_se,word
a,1,5,2,1,3,0.5,yes
a,2,5,4,1,5,,no
b,2,5,3,,3,NaN,no
b,1,5,1,1,+Inf,0.5,no
a,1,9,,1,3,0.5,yes
a,2,9,7,1,3,0.5,yes
`

func TestMeasure(t *testing.T) {
	table, err := readPublished("e/t.csv", []byte(seedTable))
	if err != nil {
		t.Fatal(err)
	}
	filters := func(text ...string) []manifest.Filter {
		var all []manifest.Filter
		for _, s := range text {
			column, value, _ := strings.Cut(s, "=")
			all = append(all, manifest.Filter{Column: column, Text: value})
		}
		return all
	}
	nan, inf := math.NaN(), math.Inf(1)
	mean, low, high := metric.Interval([]float64{2, 4})
	for _, c := range []struct {
		e    manifest.Evidence
		want [3]float64
		n    int
		err  string
	}{
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Value: "x", Interval: "t"}, [3]float64{mean, low, high}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Value: "x", Interval: "range"}, [3]float64{3, 2, 4}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Minus: filters("variant=b"), Value: "x", Interval: "t"}, [3]float64{1, 1, 1}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Minus: filters("variant=b"), Value: "x", Interval: "range"}, [3]float64{1, 1, 1}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=9"), Value: "x", Interval: "t"}, [3]float64{nan, nan, nan}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=9"), Value: "x", Interval: "range"}, [3]float64{nan, nan, nan}, 2, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=5", "seed=1"), Value: "x", Interval: "t"}, [3]float64{2, -inf, inf}, 1, ""},
		{manifest.Evidence{Rows: filters("variant=a", "k=5", "seed=1"), Value: "x", Low: "x_low", High: "x_high"}, [3]float64{2, 1, 3}, 1, ""},
		{manifest.Evidence{Rows: filters("variant=b", "seed=2"), Value: "x", Low: "x_low", High: "x_high"}, [3]float64{3, nan, 3}, 1, ""},
		{manifest.Evidence{Rows: filters("variant=b", "seed=1"), Value: "x", SE: "x_se"}, [3]float64{1, 0.020000000000000018, 1.98}, 1, ""},
		{manifest.Evidence{Rows: filters("variant=b", "seed=2"), Value: "x", SE: "x_se"}, [3]float64{3, nan, nan}, 1, ""},

		{manifest.Evidence{Rows: filters("variant=c"), Value: "x"}, [3]float64{}, 0, "rows: no row of e/t.csv has variant=c; allowed: a, b"},
		{manifest.Evidence{Rows: filters("rule=c"), Value: "x"}, [3]float64{}, 0, `rows = "rule": e/t.csv has no such column; allowed: variant, seed, k, x, x_low, x_high, x_se, word`},
		{manifest.Evidence{Value: "y"}, [3]float64{}, 0, `value = "y": e/t.csv has no such column`},
		{manifest.Evidence{Value: "word"}, [3]float64{}, 0, `value = "word": e/t.csv has "yes" there; allowed: numbers`},
		{manifest.Evidence{Value: "x", Interval: "t"}, [3]float64{}, 0, "rows: more than one row of e/t.csv has seed 2; allowed: filters that leave one for each seed"},
		{manifest.Evidence{Value: "x", SE: "x_se"}, [3]float64{}, 0, "rows: 6 rows of e/t.csv; allowed: one, where low and high, or se, give the interval"},
		{manifest.Evidence{Rows: filters("variant=b", "seed=1"), Value: "x", SE: "se"}, [3]float64{}, 0, `se = "se": e/t.csv has no such column`},
		{manifest.Evidence{Rows: filters("variant=b", "seed=1"), Value: "x", Low: "l", High: "x_high"}, [3]float64{}, 0, `low = "l": e/t.csv has no such column`},
		{manifest.Evidence{Rows: filters("variant=b", "seed=1"), Value: "x", Low: "x_low", High: "h"}, [3]float64{}, 0, `high = "h": e/t.csv has no such column`},
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Minus: filters("variant=c"), Value: "x", Interval: "t"}, [3]float64{}, 0, "minus: no row of e/t.csv has variant=c"},
		{manifest.Evidence{Rows: filters("variant=a", "k=5"), Minus: filters("variant=b", "seed=1"), Value: "x", Interval: "t"}, [3]float64{}, 0, "minus: 1 seeds in e/t.csv, and 2 to subtract from"},
		{manifest.Evidence{Rows: filters("variant=a", "k=5", "seed=2"), Minus: filters("variant=b", "seed=1"), Value: "x", Interval: "t"}, [3]float64{}, 0, "minus: no row of e/t.csv for seed 2"},
	} {
		value, low, high, n, err := measure(c.e, table)
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%+v: error %v, want %s", c.e, err, c.err)
			}
			continue
		}
		// NaN is equal to NaN when printed.
		if got := [3]float64{value, low, high}; err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || n != c.n {
			t.Errorf("%+v: %v of %d, %v; want %v of %d", c.e, got, n, err, c.want, c.n)
		}
	}
	for _, bad := range []string{"", "a,b\n1\n", "a\n\"\n"} {
		if _, err := readPublished("e/t.csv", []byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "e/t.csv") {
			t.Errorf("%q was read: %v", bad, err)
		}
	}
}

func TestJudge(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		value, low, high float64
		above, below     string // verdicts for the threshold 1
	}{
		{2, 1.5, 3, holds, fails},
		{2, 1, 3, isOpen, fails}, // An interval that ends at the threshold does not lie above it.
		{0, -1, 1, fails, isOpen},
		{0, -1, 0.5, fails, holds},
		{1, 1, 1, fails, fails},
		{1, 0, 2, isOpen, isOpen},
		{1, -inf, inf, isOpen, isOpen},
		{nan, nan, nan, isOpen, isOpen},
		{2, nan, 3, isOpen, isOpen},
		{nan, 2, 3, isOpen, isOpen},
		{0, -1, nan, isOpen, isOpen},
	} {
		f := finding{value: c.value, low: c.low, high: c.high}
		f.Threshold = 1
		for sense, want := range map[string]string{"above": c.above, "below": c.below} {
			f.Sense = sense
			if got := f.judge(); got != want {
				t.Errorf("%g [%g, %g] %s 1: %s, want %s", c.value, c.low, c.high, sense, got, want)
			}
		}
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct{ findings, want string }{
		{"A+", "holds"},
		{"A+ B+", "holds"},
		{"A+ B-", "holds with A"},
		{"B- A+ C+", "holds with A; C"},
		{"A+ B?", "holds with A"},
		{"A- B?", "fails"},
		{"A? B?", "open"},
		{"A+ A-", "fails"}, // One condition stands or falls as a whole.
		{"A- A+", "fails"},
		{"A+ A?", "open"},
		{"A? A+", "open"},
		{"A? A-", "fails"},
		{"A+ A? B+", "holds with B"},
	} {
		verdicts := map[byte]string{'+': holds, '-': fails, '?': isOpen}
		study := &claims{findings: []finding{{Evidence: manifest.Evidence{Claim: "other", Condition: "X"}, verdict: fails}}}
		for _, s := range strings.Fields(c.findings) {
			study.findings = append(study.findings, finding{
				Evidence: manifest.Evidence{Claim: "it", Condition: s[:1], Manifest: "m"}, verdict: verdicts[s[1]],
			})
		}
		d := study.decide(manifest.Statement{Name: "it"})
		if got := d.verdict(); got != c.want || !reflect.DeepEqual(d.manifests, []string{"m"}) {
			t.Errorf("%s: %s from %v, want %s", c.findings, got, d.manifests, c.want)
		}
	}
}

func TestClaimsBeforeUse(t *testing.T) {
	s := &claims{Claims: &manifest.Claims{Evidence: []manifest.Evidence{{Claim: "it", Manifest: "m", Table: "t.csv"}}}}
	if _, err := s.Report(nil); err == nil {
		t.Error("a report without tables")
	}
	err := s.Use(func(string, string) ([]byte, error) { return nil, errors.New("no luck") })
	if want := `evidence.1 of the claim it: table = "t.csv": no luck`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Every claim of the paper has evidence and a verdict, from the committed results, and
// these are the verdicts that are committed.
func TestPaperClaims(t *testing.T) {
	const results = "../../../results"
	m, err := manifest.Load("../../../experiments/claims.toml", Kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &claims{Claims: m.Claims}
	err = s.Use(func(experiment, table string) ([]byte, error) {
		p, err := store.OpenPublished(filepath.Join(results, experiment))
		if err != nil {
			return nil, err
		}
		return p.Read(table)
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Report(nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := records(t, report.Tables, "claims", nil)
	if len(rows) != len(m.Claims.Statements) || len(rows) < 12 {
		t.Errorf("%d verdicts on %d claims", len(rows), len(m.Claims.Statements))
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		v := r["verdict"]
		word, rest, _ := strings.Cut(v, " ")
		if line := strings.TrimSpace("| " + r["sentence"] + " | **" + word + "** " + rest); !strings.Contains(string(readme), line+" |") {
			t.Errorf("README.md does not say %q", line)
		}
		if v != holds && v != fails && !strings.HasPrefix(v, "holds with ") {
			t.Errorf("%s: %q is no verdict", r["claim"], v)
		}
		if r["manifests"] == "" {
			t.Errorf("%s: no manifest shows it", r["claim"])
		}
	}
	for _, r := range records(t, report.Tables, "evidence", nil) {
		if v := r["verdict"]; v != holds && v != fails && v != isOpen {
			t.Errorf("%s, %s: %q is no verdict", r["claim"], r["condition"], v)
		}
	}
	for _, table := range report.Tables {
		committed, err := os.ReadFile(filepath.Join(results, "claims", table.Name+".csv"))
		if err != nil || string(committed) != string(table.CSV()) {
			t.Errorf("%s.csv is not what the committed results give (%v)", table.Name, err)
		}
	}
}
