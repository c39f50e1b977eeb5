package manifest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const compareSrc = `name = "c"
study = "compare"
seed = 1
[compare]
budget = 2
reference = "ours"
[sweep]
seed = "1..3"
[[set]]
name = "moons"
generator = "moons"
train = 9
test = 5
splits = 2
[[set]]
name = "table"
file = "table.csv"
test_fraction = 0.25
[[method]]
name = "ours"
kind = "closed-form"
hidden_layers = [4]
covariance = ["diagonal", "full"]
tune = ["prior_var", "prior_mean_var"]
candidates = [[1, 0], [2, 3]]
[[method]]
name = "k"
kind = "kalman"
`

const unknownSrc = `name = "u"
study = "unknown"
seed = 1
[data]
file = "table.csv"
test_fraction = 0.25
[unknown]
wrong = [0.01, 0.1]
unseen = ["c"]
[[outside]]
name = "same"
file = "table.csv"
[[method]]
name = "ours"
kind = "closed-form"
passes = 2
`

func TestCompare(t *testing.T) {
	dir := dataFolder(t)
	c := mustParseIn(t, dir, compareSrc).Compare
	if c.Sets[0].Splits != 2 || c.Sets[1].Splits != 3 || c.Validation != 0.2 || c.Sets[1].Source.Scale != "standard" || c.Sets[0].Source.Scale != "none" {
		t.Errorf("%+v", c)
	}
	ours, kalman := c.Methods[0], c.Methods[1]
	if got, want := ours.With(ours.Candidates[1]), (map[string]float64{"prior_var": 2, "prior_mean_var": 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("candidate %v, want %v", got, want)
	}
	if want := (map[string]float64{"prior_var": 10, "prior_mean_var": 0}); !reflect.DeepEqual(ours.Hyper, want) {
		t.Errorf("hyper-parameters %v, want %v: those of a candidate stay out of them", ours.Hyper, want)
	}
	if want := (map[string]float64{"prior_var": 1, "prior_mean_var": 2, "process_noise": 0}); !reflect.DeepEqual(kalman.Hyper, want) || kalman.Covariance != "full" || kalman.Passes != 1 {
		t.Errorf("%+v", kalman)
	}
	// Fewer seeds than a set has splits are all that it has.
	if c := mustParseIn(t, dir, compareSrc, "sweep.seed=[1]").Compare; c.Sets[0].Splits != 1 || c.Sets[1].Splits != 1 {
		t.Errorf("splits %d and %d", c.Sets[0].Splits, c.Sets[1].Splits)
	}
	c = mustParseIn(t, dir, compareSrc, "method.k.covariance=diagonal", "set.table.train_rows=1-9", "set.table.test_fraction=0.5", "set.moons.noise=0.3", "method.ours.candidates=[[7, 7]]", "set.table.file=gone.csv").Compare
	if c.Methods[1].Covariance != "diagonal" || c.Sets[0].Source.Noise != 0.3 || c.Methods[0].Candidates[0][1] != 7 {
		t.Errorf("overrides: %+v", c)
	}
}

func TestOnline(t *testing.T) {
	for kind, want := range map[string]bool{
		"closed-form": true, "kalman": true, "tagi": true, "majority": true,
		"laplace": false, "variational": false, "backprop": false, "dropout": false, "neighbours": false,
	} {
		if got := (&Method{Kind: kind}).Online(); got != want {
			t.Errorf("%s: online %v", kind, got)
		}
	}
	if len(methodKinds) != 9 {
		t.Errorf("%d kinds", len(methodKinds))
	}
}

// The defaults of all hyper-parameters are values that they may have.
func TestHyperDefaults(t *testing.T) {
	for name, k := range methodKinds {
		for key, h := range k.hyper {
			if !accepts(h.kind, h.fallback) {
				t.Errorf("%s: %s = %g must be %s", name, key, h.fallback, h.kind.want)
			}
		}
	}
}

// checkIn checks errors of a manifest that lies beside the data.
func checkIn(t *testing.T, dir, src string, all []broken) {
	t.Helper()
	for _, c := range all {
		changed := src + c.new
		if c.old != "" {
			if strings.Count(src, c.old) != 1 {
				t.Fatalf("%q is not once in the manifest", c.old)
			}
			changed = strings.Replace(src, c.old, c.new, 1)
		}
		_, err := parseIn(dir, changed)
		want := filepath.Join(dir, "x.toml") + ":" + strings.ReplaceAll(c.want, "DIR", dir)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%q → %q\ngot  %s\nwant %s", c.old, c.new, got, want)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	checkIn(t, dataFolder(t), compareSrc, []broken{
		{`reference = "ours"`, `reference = "theirs"`, `6: compare.reference = "theirs": names no method; allowed: the name of a [[method]]`},
		{`budget = 2`, `budget = 1`, `25: method.ours.candidates = [[1, 0], [2, 3]]: 2 of them; allowed: at most 1, the budget of every method`},
		{`[[1, 0], [2, 3]]`, `[[1, 0], [2]]`, `25: method.ours.candidates = [[1, 0], [2]]: entry 2 has 1 values; allowed: 2, one for each of prior_var, prior_mean_var`},
		{`[[1, 0], [2, 3]]`, `[[1, 0], [2, -3]]`, `25: method.ours.candidates = [[1, 0], [2, -3]]: entry 2: prior_mean_var = -3.0 must be a finite number ≥ 0`},
		{`tune = ["prior_var", "prior_mean_var"]`, ``, `25: method.ours.candidates = [[1, 0], [2, 3]]: without tune; allowed: tune = [key, ...] and candidates = [[value of each], ...] together`},
		{`candidates = [[1, 0], [2, 3]]`, ``, `24: method.ours.tune = ["prior_var", "prior_mean_var"]: without candidates; allowed: tune = [key, ...] and candidates = [[value of each], ...] together`},
		{`"prior_mean_var"]`, `"step"]`, `24: method.ours.tune.2 = "step": must be "prior_mean_var" or "prior_var"`},
		{`["diagonal", "full"]`, `["diagonal", "full", "full"]`, `23: method.ours.covariance = ["diagonal", "full", "full"]: has 3 entries; allowed: 1, or 2, one for each layer of weights`},
		{`hidden_layers = [4]`, `hidden_layers = [20000, 20000]`, `23: method.ours.covariance = ["diagonal", "full"]: has 2 entries; allowed: 1, or 3, one for each layer of weights`},
		{`covariance = ["diagonal", "full"]`, "hidden = \"smooth\"\nrandom_features = true", `24: method.ours.random_features = true: hidden = "smooth" would move the features; allowed: only with hidden = "frozen"`},
		{`covariance = ["diagonal", "full"]`, "rule = \"adf\"\nrho = 0.3", `24: method.ours.rho = 0.3: rule = "adf" is for the probit with rho = 0.5; allowed: 0.5`},
		{"", "prior_mean_var = 0\n", `29: method.k.prior_mean_var = 0: must be a number ≥ 1e-12 and ≤ 1e+12`},
		{"", "epochs = 10\n", `29: method.k.epochs: unknown key; allowed: candidates, covariance, hidden_layers, kind, name, passes, prior_mean_var, prior_var, process_noise, tune`},
		{"", "[[method]]\nname = \"k\"\nkind = \"majority\"", `30: method.k.name = "k": a method before it has this name; allowed: names that differ`},
		{`name = "table"`, `name = "moons"`, `16: set.moons.name = "moons": a set before it has this name; allowed: names that differ`},
		{`test_fraction = 0.25`, ``, `17: set.table.file = "table.csv": needs a test part; allowed: one of train_rows = "1-100" and test_fraction = 0.2`},
		{`seed = 1`, `seed = 4`, `3: seed = 4: not one of sweep.seed; allowed: "1..3"`},
	})
	_, err := parseIn(".", "name = \"c\"\nstudy = \"compare\"\nseed = 1\n[compare]\nbudget = 1\nreference = \"a\"")
	if want := "x.toml:6: compare.reference = \"a\": names no method; allowed: the name of a [[method]]"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The covariances that a method keeps are counted before they are made.
func TestMethodTooLarge(t *testing.T) {
	for _, c := range []struct {
		method string
		inputs int
		want   string // the numbers; empty: not too many
	}{
		{"kind = \"kalman\"\nhidden_layers = [100]", 100, "1.23e+08"},
		{"kind = \"kalman\"\nhidden_layers = [100]\ncovariance = \"diagonal\"", 100, ""},
		{"kind = \"laplace\"", 1000, "1e+08"},
		{"kind = \"laplace\"\nhidden_layers = [100]\ncovariance = \"last-layer\"", 1000, ""},
		{"kind = \"laplace\"\nhidden_layers = [1000]\ncovariance = \"last-layer\"", 1000, "1.01e+08"},
		{"kind = \"laplace\"\nhidden_layers = [1000]\ncovariance = \"diagonal\"", 1000, ""},
		{"kind = \"variational\"", 1000, ""},
		{"kind = \"variational\"", 5000, "2.5e+08"},
		{"kind = \"variational\"\nbound = \"bohning-joint\"", 1000, "1e+08"},
		{"kind = \"tagi\"\nhidden_layers = [1000]", 10000, ""},
		{"kind = \"closed-form\"\nhidden_layers = [1000]", 1000, "1.01e+09"},
		{"kind = \"closed-form\"\nhidden_layers = [1000]\ncovariance = \"diagonal\"", 1000, ""},
	} {
		m := mustParseIn(t, t.TempDir(), "name = \"u\"\nstudy = \"unknown\"\nseed = 1\n[data]\nfile = \"gone.csv\"\ntest_fraction = 0.5\n[unknown]\nwrong = [0.1]\n[[method]]\nname = \"m\"\n"+c.method)
		r := &reader{file: "x.toml"}
		table := r.table(value{r: r, v: map[string]any{}})
		m.Unknown.Methods[0].fit(table, shape{"data", c.inputs, 10})
		got := ""
		if len(r.problems) > 0 {
			got = r.problems[0].text
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %d inputs: %q, want %q", c.method, c.inputs, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	dir := dataFolder(t)
	u := mustParseIn(t, dir, unknownSrc).Unknown
	if u.Validation != 1./6 || u.Methods[0].Passes != 2 || u.Outside[0].Class != "class" || u.Outside[0].Examples().Len() != 12 || len(u.Outside[0].Sums) != 1 {
		t.Errorf("%+v", u)
	}
	m := mustParseIn(t, dir, unknownSrc, "outside.same.file=gone.csv", "data.file=gone.csv")
	if want := []string{filepath.Join(dir, "gone.csv")}; !reflect.DeepEqual(m.Missing, want) {
		t.Errorf("missing %v, want %v", m.Missing, want)
	}
}

func TestUnknownErrors(t *testing.T) {
	checkIn(t, dataFolder(t), unknownSrc, []broken{
		{`wrong = [0.01, 0.1]`, ``, `7: unknown.wrong: missing; allowed: a list of 1 to 100 entries, each a number > 0 and < 1`},
		{`["c"]`, `["d"]`, `9: unknown.unseen = ["d"]: d is no class of the data; allowed: a, b, c`},
		{`["c"]`, `["c", "a"]`, `9: unknown.unseen = ["c", "a"]: leaves fewer than two classes; allowed: at least two`},
		{`name = "same"`, `name = "test"`, `11: outside.test.name = "test": allowed: names that differ from each other, test and unseen`},
		{"name = \"same\"\nfile = \"table.csv\"", "name = \"same\"\nfile = \"wide.csv\"", `12: outside.same.file = "wide.csv": has 3 inputs; allowed: 2, as [data] has`},
		{"name = \"same\"\nfile = \"table.csv\"", "name = \"same\"\nfile = \"ragged.csv\"", `12: outside.same.file = "ragged.csv": dataset: DIR/ragged.csv:3: 2 cells, need 3, as many as the header has`},
		{"name = \"same\"\nfile = \"table.csv\"", "name = \"same\"", `11: outside.same.name = "same": allowed: with images and labels, or with file and, if it is not called class, the column class`},
		{"name = \"same\"\nfile = \"table.csv\"", "name = \"same\"\nimages = \"images\"\nlabels = \"labels\"", `12: outside.same.images = "images": has 6 inputs; allowed: 2, as [data] has`},
		{"passes = 2", "tune = [\"prior_var\"]", `16: method.ours.tune: unknown key; did you mean "rule"? allowed: alpha, beta, bias, covariance, eigenvalue_floor, hidden, hidden_layers, kind, lambda, name, on_indefinite, ` +
			`output_covariance, passes, prior, prior_mean_var, prior_scale, prior_var, random_features, replications, rho, rule, variance_floor`},
	})
}
