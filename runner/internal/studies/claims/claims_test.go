package claims

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// published has a method that is one better than another, seed by seed.
const published = `method,seed,k,x,x_low,x_high,x_se,word
a,1,5,2,1,3,0.5,yes
a,2,5,4,1,5,,no
b,2,5,3,,3,,no
b,1,5,1,1,+Inf,0.5,no
a,3,5,6,,,,no
b,3,5,5,,,,no
a,1,9,,1,3,0.5,yes
a,2,9,7,1,3,0.5,yes
`

func read(t *testing.T, text string) *table.Table {
	return check.Must(table.Read("t", strings.NewReader(text)))
}

func TestMeasure(t *testing.T) {
	nan := math.NaN()
	t246 := table.NewEstimate([]float64{2, 4, 6}, 0).Interval()
	for _, c := range []struct {
		rows, minus string
		interval    string
		want        [3]float64
		n           int
	}{
		{"method=a k=5", "", "t", [3]float64(t246), 3},
		{"method=a k=5", "", "range", [3]float64{4, 2, 6}, 3},
		{"method=a k=5", "method=b", "t", [3]float64{1, 1, 1}, 3},
		{"method=a k=9", "", "t", [3]float64{nan, nan, nan}, 2},
		{"method=a k=5 seed=1", "", "t", [3]float64{2, nan, nan}, 1},
		{"method=a k=5 seed=1", "", "columns", [3]float64{2, 1, 3}, 1},
		{"method=b seed=2", "", "columns", [3]float64{3, nan, 3}, 1},
	} {
		e := evidence{Value: "x", Interval: c.interval}
		e.Rows, e.Minus = strings.Fields(c.rows), strings.Fields(c.minus)
		check.OK(t, e.measure(read(t, published)))
		got := fmt.Sprint([3]float64{e.number, e.low, e.high}, e.n) // in which NaN is equal to NaN
		check.Equal(t, fmt.Sprint(c.rows, c.minus, c.interval), got, fmt.Sprint(c.want, c.n))
	}
	for _, c := range []struct{ rows, minus, value, interval, err string }{
		{"method=c", "", "x", "", "no row has method=c; allowed: a, b"},
		{"rule=c", "", "x", "", "rule is not a column; there are: method, seed, k"},
		{"", "", "y", "", "y is not a column"},
		{"", "", "word", "", "word has words"},
		{"", "", "x", "t", "several rows have the same seed"},
		{"", "", "x", "columns", `8 rows; allowed with interval = "columns": one`},
		{"method=b seed=1", "", "k", "columns", "k_low is not a column"},
		{"method=a k=5", "method=c", "x", "t", "no row has method=c"},
		{"method=a k=5", "method=b seed=1", "x", "t", "minus: 1 rows from 3"},
		{"method=a k=5 seed=2", "method=b seed=1", "x", "t", "minus: 1 rows from 1, not the same seeds"},
	} {
		e := evidence{Value: c.value, Interval: c.interval}
		e.Rows, e.Minus = strings.Fields(c.rows), strings.Fields(c.minus)
		check.Refuses(t, fmt.Sprint(c), e.measure(read(t, published)), c.err)
	}
}

func TestVerdict(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		value, low, high float64
		above, below     string // verdicts for the threshold 1
	}{
		{2, 1.5, 3, holds, fails},
		{0, -1, 0.5, fails, holds},
		{1, 1, 1, fails, fails},
		{2, 1, 3, undecided, fails},
		{0, -1, 1, fails, undecided}, // ends at the threshold
		{1, 0, 2, undecided, undecided},
		{nan, nan, nan, undecided, undecided},
		{2, nan, 3, undecided, undecided},
		{nan, 2, 3, undecided, undecided},
	} {
		f := evidence{number: c.value, low: c.low, high: c.high, Threshold: 1}
		for sense, want := range map[string]string{"above": c.above, "below": c.below} {
			f.Sense = sense
			check.Equal(t, fmt.Sprintf("%g [%g, %g] %s 1", c.value, c.low, c.high, sense), f.verdict(), want)
		}
	}
}

// A condition holds if all its evidence does, and fails if one piece does.
func TestConditions(t *testing.T) {
	numbers := map[byte]evidence{'+': {number: 2, low: 2, high: 3}, '-': {high: 0.5}, '?': {high: 3}}
	for findings, want := range map[string]string{ // A to C hold | fail | are open
		"A+ B+": "A; B,,", "A+ B-": "A,B,", "B- A+ C+": "A; C,B,", "A+ B?": "A,,B", "A- B?": ",A,B",
		"A+ A-": ",A,", "A- A+": ",A,", "A+ A?": ",,A", "A? A+": ",,A", "A? A-": ",A,", "A+ A? B+": "B,,A",
	} {
		e := &experiment{Claims: []claim{{Name: "one"}}, Evidence: []evidence{{Claim: "other", Condition: "D"}}}
		for _, s := range strings.Fields(findings) {
			v := numbers[s[1]]
			v.Claim, v.Condition, v.Sense, v.Threshold = "one", s[:1], "above", 1
			e.Evidence = append(e.Evidence, v)
		}
		claims := e.Tables(nil)[0]
		var got []string
		for _, verdict := range []string{"holds_with", "fails_with", "open_with"} {
			got = append(got, measurements.ReplaceAllString(claims.Texts(verdict)[0], ""))
		}
		check.Equal(t, findings, strings.Join(got, ","), want)
	}
}

var measurements = regexp.MustCompile(` \([^)]*\)`)

const example = `
name = "c"; study = "claims"; seed = 3
[[claim]]; name = "one"; sentence = "It learns."
[[claim]]; name = "two"; sentence = "It needs no samples."; construction = "there are none"
[[evidence]]; claim = "one"; statistic = "error"; condition = "n = 3"
manifest = "m"; table = "t"; value = "x"; rows = ["method=a", "k=5"]; minus = ["method=b"]
sense = "above"; threshold = 0.5
[[evidence]]; claim = "one"; statistic = "error"; condition = "n = 4"
manifest = "m"; table = "t"; value = "x"; rows = ["method=b", "seed=1"]; interval = "columns"
sense = "below"; threshold = 2
`

// From the manifest to the tables.
func TestTables(t *testing.T) {
	e := studytest.New(t, Kind, example).(*experiment)
	check.Equal(t, "sources", e.Sources(), []string{"m"})
	failure := errors.New("no luck")
	err := e.Use(func(string) (*table.Table, error) { return nil, failure })
	check.Refuses(t, "a table that cannot be read", err, "evidence.1: m/t: no luck")
	check.OK(t, e.Use(func(name string) (*table.Table, error) {
		check.Equal(t, "reads", name, "m/t")
		return read(t, published), nil
	}))
	tables := e.Tables(nil)
	const claims = "one,It learns.,\"error, above 0.5; error, below 2\",n = 3 (1),,n = 4 (1)\n" +
		"two,It needs no samples.,,by construction: there are none,,\n"
	const evidence = "one,error,n = 3,m/t method=a k=5 x,method=b,3,1,1,1,t,above,0.5,holds\n" +
		"one,error,n = 4,m/t method=b seed=1 x,,1,1,1,+Inf,columns,below,2,open\n"
	for i, want := range []string{claims, evidence} {
		_, rows, _ := strings.Cut(string(tables[i].CSV()), "\n")
		check.Equal(t, tables[i].Name, rows, want)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, example, map[string]string{
		"evidence.1.claim=three": "evidence.1.claim", "evidence.1.interval=columns": "minus",
		"claim.2.construction=\"\"": "claim.2.construction",
	})
}
