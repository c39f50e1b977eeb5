package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var studies = []Study{
	{Name: "learn", Statistics: []string{"entropy_drop", "boundary"}},
	{Name: "moments", Methods: []string{"probit", "exact"}},
	{Name: "ablation"},
	{Name: "calibrate"},
	{Name: "stability"},
	{Name: "mc_check"},
}

// small has the required keys only.
const small = `name = "small"
study = "learn"
seed = 3
[data]
generator = "wedges"
train = 25
[model]
layers = [2, 3]
[evaluate]
snapshots = [1, 25]
grid = 9
`

func parse(t *testing.T, src string, overrides ...string) *Manifest {
	t.Helper()
	m, err := Parse("x.toml", []byte(src), studies, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDefaults(t *testing.T) {
	model := Model{
		Layers: []int{2, 3}, Alpha: 0, Beta: 1, Rule: "joint", Hidden: "frozen",
		Lambda: Lambda{Word: "slope"}, Rho: 0.5, Covariance: []string{"full"}, OutputCovariance: "per-neuron", Prior: "paper", PriorVar: 1, PriorMeanVar: 0,
		OnIndefinite: "fail", EigenvalueFloor: 0.001, VarianceFloor: 0.001,
	}
	variant := model
	variant.Name = "model"
	want := &Manifest{
		Name: "small", Study: "learn", Seed: 3, Effort: "full", Seeds: []int{3},
		Learn: &Learn{
			Training: Training{
				Data:     Data{Generator: "wedges", Train: 25},
				Networks: Networks{Model: model, Variants: []Model{variant}},
			},
			Evaluate:   Evaluate{Snapshots: []int{1, 25}, Grid: 9},
			MonteCarlo: MonteCarlo{Samples: 10000, Stride: 4},
		},
	}
	got := parse(t, small)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got.Learn, want.Learn)
	}
	variant.Variant = "model"
	if models := got.Learn.Models(); !reflect.DeepEqual(models, []Model{variant}) {
		t.Errorf("models %+v\nwant %+v", models, variant)
	}
}

func TestPaper(t *testing.T) {
	m, err := Load("testdata/paper.toml", studies, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "fig1_12" || m.Seed != 1 || len(m.Seeds) != 20 || m.Seeds[0] != 1 || m.Seeds[19] != 20 {
		t.Errorf("name %q, seed %d, seeds %v", m.Name, m.Seed, m.Seeds)
	}
	if want := [][]float64{{1, 0}, {0, 1}, {1, 1}}; !reflect.DeepEqual(m.Learn.Model.PriorMean, want) {
		t.Errorf("prior_mean = %v, want %v", m.Learn.Model.PriorMean, want)
	}
	if want := (Figure{Kind: "maps", Variant: "joint", Single: true}); len(m.Learn.Figures) != 1 || m.Learn.Figures[0] != want {
		t.Errorf("figures = %v, want %v", m.Learn.Figures, want)
	}
	if want := (Claim{"indifference gets continuously sharper", "entropy_drop", 0}); len(m.Learn.Claims) == 0 || m.Learn.Claims[0] != want {
		t.Errorf("claims = %v, want %v", m.Learn.Claims, want)
	}
	joint := m.Learn.Models()[0]
	if joint.Name != "joint" || joint.Lambda != (Lambda{Number: 0.3}) || joint.Rule != "joint" {
		t.Errorf("first model %+v", joint)
	}
}

func TestVariants(t *testing.T) {
	m := parse(t, small+`
[[variant]]
name = "plain"
[[variant]]
name = "other"
rule = "total"
layers = [2, 7, 3]
bias = true
lambda = 1
`)
	models := m.Learn.Models()
	if len(models) != 2 {
		t.Fatalf("%d models, want 2", len(models))
	}
	plain, other := m.Learn.Model, m.Learn.Model
	plain.Name, plain.Variant = "plain", "plain"
	other.Name, other.Variant = "other", "other"
	other.Rule, other.Layers, other.Bias, other.Lambda = "total", []int{2, 7, 3}, true, Lambda{Number: 1}
	if !reflect.DeepEqual(models[0], plain) {
		t.Errorf("plain: %+v", models[0])
	}
	if !reflect.DeepEqual(models[1], other) {
		t.Errorf("other: %+v", models[1])
	}
}

// An empty prior_mean takes the inherited one away.
func TestPriorMeanTakenAway(t *testing.T) {
	m := parse(t, strings.Replace(small, "layers = [2, 3]", "layers = [2, 3]\nprior_mean = [[1, 2], [3, 4], [5, 6]]", 1)+`
[[variant]]
name = "deep"
layers = [2, 4, 3]
prior_mean = []
`)
	if model := m.Learn.Models()[0]; len(m.Learn.Model.PriorMean) != 3 || len(model.PriorMean) != 0 {
		t.Errorf("prior means %v, %v", m.Learn.Model.PriorMean, model.PriorMean)
	}
}

func TestSweep(t *testing.T) {
	variants := "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nrule = \"total\"\n"
	for _, c := range []struct {
		sweep string
		names string
		seeds string
	}{
		{"", "a b", "[3]"},
		{"seed = [5, 3]", "a b", "[5 3]"},
		{`seed = "2..4"`, "a b", "[2 3 4]"},
		{`seed = "3..3"`, "a b", "[3]"},
		{`lambda = [0.1, "slope"]`, "a lambda=0.1 a lambda=slope b lambda=0.1 b lambda=slope", "[3]"},
		{"rho = [0, 0.5]", "a rho=0.0 a rho=0.5 b rho=0.0 b rho=0.5", "[3]"},
		{
			"lambda = [1, 2]\nrho = [0.5, 0.25]",
			"a lambda=1.0 rho=0.5 a lambda=1.0 rho=0.25 a lambda=2.0 rho=0.5 a lambda=2.0 rho=0.25 " +
				"b lambda=1.0 rho=0.5 b lambda=1.0 rho=0.25 b lambda=2.0 rho=0.5 b lambda=2.0 rho=0.25", "[3]",
		},
	} {
		m := parse(t, small+"[sweep]\n"+c.sweep+"\n"+variants)
		var names []string
		for _, model := range m.Learn.Models() {
			names = append(names, model.Name)
			if (model.Rule == "total") != (model.Variant == "b") {
				t.Errorf("%s: %q has rule %s", c.sweep, model.Name, model.Rule)
			}
			want := model.Variant
			if m.Learn.Lambda != nil {
				want += " lambda=" + model.Lambda.String()
			}
			if m.Learn.Rho != nil {
				want += " rho=" + shortest(model.Rho)
			}
			if model.Name != want {
				t.Errorf("%s: %q has the values of %q", c.sweep, model.Name, want)
			}
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%s: models %s\nwant %s", c.sweep, got, c.names)
		}
		if got := fmt.Sprint(m.Seeds); got != c.seeds {
			t.Errorf("%s: seeds %s, want %s", c.sweep, got, c.seeds)
		}
	}
}

func TestLambdaString(t *testing.T) {
	for want, l := range map[string]Lambda{"0.3": {Number: 0.3}, "2.0": {Number: 2}, "lsq": {Word: "lsq"}} {
		if got := l.String(); got != want {
			t.Errorf("%+v prints %s, want %s", l, got, want)
		}
	}
}

// A cell's fingerprint is a hash of the JSON of what it depends on.
func TestJSON(t *testing.T) {
	m := parse(t, full, "sweep.rho=[0.25]")
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got Manifest
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, m) {
		t.Errorf("got  %+v\nwant %+v", &got, m)
	}
}

// TOML has other forms for the same values.
func TestOtherSpellings(t *testing.T) {
	m := parse(t, `name = 'small'
study = """
learn"""
"seed" = 0x3
data = { generator = "wedges", train = 25 }
model.layers = [ # a comment
	2,
	3,
]
'evaluate'.snapshots = [1, 2_5]
evaluate."grid" = 9
`)
	if want := parse(t, small); !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
	m = parse(t, "variant = [{name = \"a\"}, {name = \"b\", rho = 0}]\n"+small)
	if models := m.Learn.Models(); len(models) != 2 || models[1].Name != "b" || models[1].Rho != 0 {
		t.Errorf("models %+v", models)
	}
	if m := parse(t, "\ufeff"+strings.ReplaceAll(small, "\n", "\r\n")); m.Name != "small" {
		t.Errorf("name %q", m.Name)
	}
}
