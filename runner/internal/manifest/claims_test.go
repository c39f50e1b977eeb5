package manifest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var claimsStudies = []Study{{Name: "claims"}}

const claimsSrc = `name = "c"
study = "claims"
seed = 3
[[claim]]
name = "one"
sentence = "It learns."
where = "Section 1"
[[claim]]
name = "two"
sentence = "It sharpens."
where = "abstract"
[[evidence]]
claim = "two"
statistic = "accuracy"
condition = "λ = 0.3"
manifest = "fig1_12"
table = "summary.csv"
rows = ["variant=joint", "k=25"]
minus = ["k=1"]
value = "accuracy"
interval = "range"
sense = "above"
threshold = 0.5
[[evidence]]
claim = "one"
statistic = "error"
condition = "n = 3"
manifest = "moments"
table = "errors.csv"
value = "tv"
se = "tv_se"
sense = "below"
threshold = 1
[[evidence]]
claim = "one"
statistic = "error"
condition = "n = 3"
manifest = "posterior"
table = "summary.csv"
value = "tv"
low = "tv_low"
high = "tv_high"
sense = "below"
threshold = -1
`

// Every key arrives in its field, and what is spelled out is the same manifest.
func TestClaims(t *testing.T) {
	m, err := Parse("x.toml", []byte(claimsSrc), claimsStudies, []string{"evidence.2.threshold=0.25"})
	if err != nil {
		t.Fatal(err)
	}
	want := &Claims{
		Statements: []Statement{{"one", "It learns.", "Section 1"}, {"two", "It sharpens.", "abstract"}},
		Evidence: []Evidence{
			{
				Claim: "two", Statistic: "accuracy", Condition: "λ = 0.3", Manifest: "fig1_12", Table: "summary.csv",
				Rows: []Filter{{"variant", "joint"}, {"k", "25"}}, Minus: []Filter{{"k", "1"}}, Value: "accuracy",
				Interval: "range", Sense: "above", Threshold: 0.5,
			},
			{
				Claim: "one", Statistic: "error", Condition: "n = 3", Manifest: "moments", Table: "errors.csv",
				Value: "tv", SE: "tv_se", Interval: "t", Sense: "below", Threshold: 0.25,
			},
			{
				Claim: "one", Statistic: "error", Condition: "n = 3", Manifest: "posterior", Table: "summary.csv",
				Value: "tv", Low: "tv_low", High: "tv_high", Interval: "t", Sense: "below", Threshold: -1,
			},
		},
	}
	if !reflect.DeepEqual(m.Claims, want) {
		t.Errorf("got  %+v\nwant %+v", m.Claims, want)
	}
	again, err := Parse("y.toml", m.Resolved(), claimsStudies, nil)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("spelled out: %v\n%s", err, m.Resolved())
	}
}

func TestClaimsErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{claimsSrc[strings.Index(claimsSrc, "[[claim]]"):], "", `x.toml: claim: missing; allowed: at least one table headed [[claim]]`},
		{`claim = "two"`, `claim = "one"`, `x.toml:9: claim.two.name = "two": no evidence names this claim, so it would have no verdict; allowed: at least one [[evidence]] with claim = "two"`},
		{`claim = "two"`, `claim = "tow"`, `x.toml:9: claim.two.name = "two": no evidence names this claim`},
		{`claim = "one"` + "\nstatistic = \"error\"", `claim = "on"` + "\nstatistic = \"error\"", `x.toml:25: evidence.2.claim = "on": names no claim; allowed: one, two`},
		{`name = "two"`, `name = "one"`, `x.toml:9: claim.one.name = "one": a claim before it has this name; allowed: names that differ`},
		{`where = "abstract"`, ``, `x.toml:8: claim.two.where: missing; allowed: a line of 1 to 500 bytes of printable text`},
		{`condition = "n = 3"`, ``, `x.toml:24: evidence.2.condition: missing; allowed: a line of`},
		{`"moments"`, `"c"`, `x.toml:28: evidence.2.manifest = "c": is this manifest; allowed: the name of another`},
		{`"errors.csv"`, `"../errors.csv"`, `x.toml:29: evidence.2.table = "../errors.csv": must be the name of a table, such as "summary.csv"`},
		{`"errors.csv"`, `"errors"`, `x.toml:29: evidence.2.table = "errors": must be the name of a table`},
		{`"k=25"`, `"k"`, `x.toml:18: evidence.1.rows.2 = "k": must be "column=text", such as "variant=joint"`},
		{`"k=25"`, `25`, `x.toml:18: evidence.1.rows.2 = 25: must be "column=text"`},
		{`"k=25"`, `"variant=adf"`, `x.toml:18: evidence.1.rows = ["variant=joint", "variant=adf"]: variant is there twice; allowed: columns that differ`},
		{`value = "accuracy"`, `value = ""`, `x.toml:20: evidence.1.value = "": must be the name of a column`},
		{`low = "tv_low"`, ``, `x.toml:42: evidence.3.high = "tv_high": has one end of an interval; allowed: low and high together`},
		{`high = "tv_high"`, ``, `x.toml:41: evidence.3.low = "tv_low": has one end of an interval; allowed: low and high together`},
		{`high = "tv_high"`, "high = \"tv_high\"\nse = \"e\"", `x.toml:43: evidence.3.se = "e": low and high give the interval`},
		{`se = "tv_se"`, "se = \"tv_se\"\ninterval = \"range\"", `x.toml:32: evidence.2.interval = "range": low and high, or se, give the interval`},
		{`se = "tv_se"`, "se = \"tv_se\"\nminus = [\"k=1\"]", `x.toml:32: evidence.2.minus = ["k=1"]: differences have an interval over the seeds only`},
		{`interval = "range"`, `interval = "normal"`, `x.toml:21: evidence.1.interval = "normal": must be "t" or "range"`},
		{`sense = "above"`, `sense = "over"`, `x.toml:22: evidence.1.sense = "over": must be "above" or "below"`},
		{`threshold = 0.5`, `threshold = nan`, `x.toml:23: evidence.1.threshold = nan: must be a finite number`},
		{`threshold = 0.5`, `treshold = 0.5`, `x.toml:23: evidence.1.treshold: unknown key; did you mean "threshold"?`},
	} {
		src := strings.Replace(claimsSrc, c.from, c.to, 1)
		if src == claimsSrc {
			t.Fatalf("%q is not there", c.from)
		}
		_, err := Parse("x.toml", []byte(src), claimsStudies, nil)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q\ngot  %s\nwant %s", c.to, got, c.want)
		}
	}
}
