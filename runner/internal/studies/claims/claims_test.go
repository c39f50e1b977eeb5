package claims

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// published has a method that is one better than another, seed by seed.
const published = `method,seed,k,x,x_low,x_high,x_se,word
a,1,5,2,1,3,0.5,yes
a,2,5,4,1,5,,no
b,2,5,3,,3,,no
b,1,5,1,1,+Inf,0.5,no
a,1,9,,1,3,0.5,yes
a,2,9,7,1,3,0.5,yes
`

func read(t *testing.T, text string) *table.Table {
	t.Helper()
	out := check.Must(table.Read("t", strings.NewReader(text)))
	return out
}

func TestMeasure(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	mean, low, high := table.Student([]float64{2, 4})
	for _, c := range []struct {
		rows, minus string
		e           evidence
		want        [3]float64
		n           int
		err         string
	}{
		{"method=a k=5", "", evidence{Interval: "t"}, [3]float64{mean, low, high}, 2, ""},
		{"method=a k=5", "", evidence{Interval: "range"}, [3]float64{3, 2, 4}, 2, ""},
		{"method=a k=5", "method=b", evidence{Interval: "t"}, [3]float64{1, 1, 1}, 2, ""},
		{"method=a k=5", "method=b", evidence{Interval: "range"}, [3]float64{1, 1, 1}, 2, ""},
		{"method=a k=9", "", evidence{Interval: "t"}, [3]float64{nan, nan, nan}, 2, ""},
		{"method=a k=9", "", evidence{Interval: "range"}, [3]float64{nan, nan, nan}, 2, ""},
		{"method=a k=5 seed=1", "", evidence{Interval: "t"}, [3]float64{2, -inf, inf}, 1, ""},
		{"method=a k=5 seed=1", "", evidence{Low: "x_low", High: "x_high"}, [3]float64{2, 1, 3}, 1, ""},
		{"method=b seed=2", "", evidence{Low: "x_low", High: "x_high"}, [3]float64{3, nan, 3}, 1, ""},

		{"method=c", "", evidence{}, [3]float64{}, 0, "no row has method=c; allowed: a, b"},
		{"rule=c", "", evidence{}, [3]float64{}, 0, "rule is not a column; there are: method, seed, k"},
		{"", "", evidence{Number: Number{Value: "y"}}, [3]float64{}, 0, "y is not a column"},
		{"", "", evidence{Number: Number{Value: "word"}}, [3]float64{}, 0, "word has words"},
		{"", "", evidence{Interval: "t"}, [3]float64{}, 0, "several rows have seed 2"},
		{"", "", evidence{Low: "x_low", High: "x_high"}, [3]float64{}, 0, "6 rows; allowed: some, and one"},
		{"method=b seed=1", "", evidence{Low: "x_low", High: "h"}, [3]float64{}, 0, "h is not a column"},
		{"method=a k=5", "method=c", evidence{Interval: "t"}, [3]float64{}, 0, "no row has method=c"},
		{"method=a k=5", "method=b seed=1", evidence{Interval: "t"}, [3]float64{}, 0, "minus: 1 rows from 2"},
		{"method=a k=5 seed=2", "method=b seed=1", evidence{Interval: "t"}, [3]float64{}, 0, "minus: 1 rows from 1, not the same seeds"},
	} {
		e := c.e
		e.Rows, e.Minus = strings.Fields(c.rows), strings.Fields(c.minus)
		if e.Value == "" {
			e.Value = "x"
		}
		f, err := e.measure(read(t, published))
		if c.err != "" {
			check.Refuses(t, fmt.Sprint(e), err, c.err)
			continue
		}
		// NaN is equal to NaN when printed.
		if got := [3]float64{f.value, f.low, f.high}; err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || f.n != c.n {
			t.Errorf("%+v: %v of %d, %v; want %v of %d", e, got, f.n, err, c.want, c.n)
		}
	}
}

func TestVerdict(t *testing.T) {
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
			check.Equal(t, fmt.Sprintf("%g [%g, %g] %s 1", c.value, c.low, c.high, sense), f.verdict(), want)
		}
	}
}

func TestDecide(t *testing.T) {
	for findings, want := range map[string]string{
		"A+": "holds", "A+ B+": "holds", "A+ B-": "holds with A", "B- A+ C+": "holds with A; C", "A+ B?": "holds with A",
		"A- B?": "fails", "A? B?": "open",
		"A+ A-": "fails", "A- A+": "fails", "A+ A?": "open", "A? A+": "open", "A? A-": "fails", "A+ A? B+": "holds with B", // one condition stands or falls as a whole
	} {
		var all []finding
		for _, s := range strings.Fields(findings) {
			low, high := map[byte]float64{'+': 2, '-': 0, '?': 0}[s[1]], map[byte]float64{'+': 3, '-': 0.5, '?': 3}[s[1]]
			all = append(all, finding{evidence: evidence{Condition: s[:1], Sense: "above", Threshold: 1}, value: low, low: low, high: high})
		}
		got, _ := decide(all)
		check.Equal(t, findings, got, want)
	}
}

const manifest = `
name = "c"; study = "claims"; seed = 3
[[claim]]; name = "one"; sentence = "It learns."; where = "Section 1"
[[evidence]]; claim = "one"; statistic = "error"; condition = "n = 3"; manifest = "m"; table = "t"; rows = ["method=a", "k=5"]; minus = ["method=b"]; value = "x"; sense = "above"; threshold = 0.5
[[evidence]]; claim = "one"; statistic = "error"; condition = "n = 4"; manifest = "m"; table = "t"; rows = ["method=b", "seed=1"]; value = "x"; low = "x_low"; high = "x_high"; sense = "below"; threshold = 2
`

// From the manifest to the tables and the figure.
func TestTables(t *testing.T) {
	m := check.Must(config.Parse("c.toml", []byte(strings.ReplaceAll(manifest, "; ", "\n")), nil))
	e := studytest.New(t, Kind, manifest).(*experiment)
	if _, err := e.Tables(nil); err == nil {
		t.Error("tables of what was not read")
	}
	if err := e.Use(func(string, string) (*table.Table, error) { return nil, errors.New("no luck") }); err == nil {
		t.Error("what was not read was used")
	}
	err := e.Use(func(experiment, name string) (*table.Table, error) {
		check.Equal(t, fmt.Sprintf("reads %s of %s", name, experiment), experiment+"/"+name, "m/t")
		return read(t, published), nil
	})
	if err != nil || !reflect.DeepEqual(e.Sources(), []string{"m"}) {
		t.Fatalf("sources %v; %v", e.Sources(), err)
	}
	tables := check.Must(e.Tables(nil))
	const claims = "one,Section 1,It learns.,holds with n = 3,n = 3,,n = 4,m\n"
	const evidence = "one,error,n = 3,m,t,method=a k=5,method=b,x,2,1,1,1,t,above,0.5,holds\n" +
		"one,error,n = 4,m,t,method=b seed=1,,x,1,1,1,+Inf,x_low to x_high,below,2,open\n"
	for i, want := range []string{claims, evidence} {
		if _, rows, _ := strings.Cut(string(tables[i].CSV()), "\n"); rows != want {
			t.Errorf("%s:\n%swant\n%s", tables[i].Name, rows, want)
		}
	}
	resolved := check.Must(m.Resolved(e))
	if again := studytest.New(t, Kind, string(resolved)).(*experiment); !reflect.DeepEqual(again.Evidence, e.Evidence) {
		t.Errorf("spelled out\n%s", resolved)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"evidence.1.claim=two": "evidence.1.claim", "claim.one.where=": "claim.one", "evidence.2.manifest=c": "another manifest",
		`evidence.1.rows=["k"]`: "column=text", "evidence.1.low=x_low": "low and high together", "evidence.2.interval=range": "interval",
		`evidence.2.minus=["k=1"]`: "differences", "evidence.1.interval=normal": "interval", "evidence.1.sense=over": "sense",
		"evidence.1.threshold=nan": "threshold", "evidence.1.value=": "evidence.1.value", "evidence.1.treshold=1": "did you mean threshold?",
	})
}
