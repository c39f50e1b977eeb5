package manifest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Lines: 4 [data]  7 [model]  9 [posterior]  10 snapshots  11 grid  12 [[variant]]
// 14 [[variant]]  17 first after it
const posteriorSrc = `name = "p"
study = "posterior"
seed = 3
[data]
generator = "logistic"
train = 40
[model]
layers = [2, 2]
[posterior]
snapshots = [1, 40]
grid = 9
[[variant]]
name = "joint"
[[variant]]
name = "adf"
rule = "adf"
`

func parsePosterior(src string, overrides ...string) (*Manifest, error) {
	return Parse("x.toml", []byte(src), []Study{{Name: "posterior"}}, overrides)
}

func TestPosterior(t *testing.T) {
	model := parse(t, small).Learn.Model
	model.Layers = []int{2, 2}
	joint, adf := model, model
	joint.Name, adf.Name, adf.Rule = "joint", "adf", "adf"
	want := Posterior{
		Training:  Training{Data: Data{Generator: "logistic", Train: 40}, Networks: Networks{Model: model, Variants: []Model{joint, adf}}},
		Snapshots: []int{1, 40}, Grid: 9, Draws: 4000, MapGrid: 61,
	}
	check := func(overrides ...string) {
		t.Helper()
		m, err := parsePosterior(posteriorSrc, overrides...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*m.Posterior, want) {
			t.Errorf("%q\ngot  %+v\nwant %+v", overrides, *m.Posterior, want)
		}
		again, err := parsePosterior(string(m.Resolved()))
		if err != nil {
			t.Fatalf("%v\n%s", err, m.Resolved())
		}
		again.Overrides = m.Overrides
		if !reflect.DeepEqual(again, m) {
			t.Errorf("%q: got  %+v\nwant %+v", overrides, again, m)
		}
	}
	check()
	want.Draws, want.Perceptrons, want.MapGrid = 10, []string{"adf", "huber"}, 5
	want.Mapped, want.Maps = []int{40}, []string{"adf", "perceptron-huber"}
	check("posterior.draws=10", `posterior.perceptrons=["adf", "huber"]`, "posterior.map_grid=5", "posterior.mapped=[40]", `posterior.maps=["adf", "perceptron-huber"]`)
}

func TestPosteriorErrors(t *testing.T) {
	const snapshots = `must be a list of 1 to 1000 entries, each an integer from 1 to 1000000`
	for _, c := range []broken{
		{"snapshots = [1, 40]\n", "", `x.toml:9: posterior.snapshots: missing; allowed: ` + snapshots[8:]},
		{"[1, 40]", "[]", `x.toml:10: posterior.snapshots = []: ` + snapshots},
		{"[1, 40]", "[1, 41]", `x.toml:10: posterior.snapshots = [1, 41]: 41 is beyond data.train = 40; allowed: 1 to 40`},
		{"[1, 40]", "[9, 9]", `x.toml:10: posterior.snapshots = [9, 9]: 9 comes after 9; allowed: strictly increasing`},
		{"grid = 9", "", `x.toml:9: posterior.grid: missing; allowed: an integer from 2 to 2001`},
		{"grid = 9", "grid = 9\ndraws = 11", `x.toml:12: posterior.draws = 11: they come in pairs; allowed: an even number`},
		{"grid = 9", "grid = 9\nmapped = [2]", `x.toml:12: posterior.mapped = [2]: 2 is not one of posterior.snapshots; allowed: [1, 40]`},
		{"grid = 9", "grid = 9\nmaps = [\"exact\"]", `x.toml:12: posterior.maps = ["exact"]: exact names no variant; allowed: joint, adf`},
		{"grid = 9", "grid = 9\nmaps = [\"perceptron-adf\"]", `x.toml:12: posterior.maps = ["perceptron-adf"]: perceptron-adf names no variant; allowed: joint, adf`},
		{"grid = 9", "grid = 9\nperceptrons = [\"kalman\"]", `x.toml:12: posterior.perceptrons.1 = "kalman": must be "huber" or "adf"`},
		{
			"\"logistic\"\ntrain = 40\n[model]\nlayers = [2, 2]\n[posterior]", "\"wedges\"\ntrain = 40\n[model]\nlayers = [2, 3]\n[posterior]\nperceptrons = [\"adf\"]",
			`x.toml:10: posterior.perceptrons = ["adf"]: data.generator = "wedges" has 3 classes; allowed: only with two`,
		},
		{`"logistic"`, `"moons"`, `x.toml:5: data.generator = "moons": must be "logistic" or "wedges"`},
		{"[2, 2]", "[2, 4, 2]", `x.toml:8: model.layers = [2, 4, 2]: the exact posterior is for networks without hidden layers; allowed: two entries`},
		{`"joint"`, `"exact"`, `x.toml:13: variant.exact.name = "exact": not the name of a variant in the tables; allowed: all but exact, uniform`},
		{`"joint"`, `"uniform"`, `x.toml:13: variant.uniform.name = "uniform": not the name of a variant in the tables; allowed: all but exact, uniform`},
		{"grid = 9\n[[variant]]\nname = \"joint\"", "grid = 9\nperceptrons = [\"adf\"]\n[[variant]]\nname = \"perceptron-adf\"", `x.toml:14: variant.perceptron-adf.name = "perceptron-adf": not the name of a variant in the tables; allowed: all but exact, uniform, perceptron-adf`},
		{"", "bias = true", `x.toml:17: variant.adf.bias = true: all variants have one exact posterior; allowed: the value of model.bias`},
		{"", "prior = \"scaled\"", `x.toml:17: variant.adf.prior = "scaled": all variants have one exact posterior; allowed: the value of model.prior`},
		{"", "prior_mean = [[1, 0], [0, 1]]", `x.toml:17: variant.adf.prior_mean = [[1, 0], [0, 1]]: all variants have one exact posterior; allowed: the value of model.prior_mean`},
		{"", "prior_var = 2", `x.toml:17: variant.adf.prior_var = 2: all variants have one exact posterior; allowed: the value of model.prior_var`},
		{"", "prior_mean_var = 2", `x.toml:17: variant.adf.prior_mean_var = 2: all variants have one exact posterior; allowed: the value of model.prior_mean_var`},
		{"", "lambda = 0.3", `<nil>`},
		{"[[variant]]", "[evaluate]\n[[variant]]", `x.toml:12: evaluate: unknown key; allowed: data, effort, model, name, overrides, posterior, seed, study, sweep, variant`},
	} {
		src := posteriorSrc + c.new
		if c.old != "" {
			src = strings.Replace(posteriorSrc, c.old, c.new, 1)
		}
		_, err := parsePosterior(src)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q for %q\ngot  %s\nwant %s", c.new, c.old, got, c.want)
		}
	}
}
