package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var trainingStudies = []Study{{Name: "hidden"}, {Name: "order"}}

const (
	hiddenSrc = `name = "h"
study = "hidden"
seed = 3
[hidden]
test = 20
snapshots = [1, 5]
passes = [1, 4]
grid = 9
maps = ["b"]
[model]
bias = true
rule = "adf"
[[task]]
name = "three"
generator = "spirals"
train = 5
noise = 0.25
[[task]]
name = "two"
generator = "xor"
train = 7
[[variant]]
name = "a"
hidden_layers = []
[[variant]]
name = "b"
hidden_layers = [4, 6]
hidden = "smooth"
covariance = ["full", "diagonal", "full"]
[[variant]]
name = "c"
hidden_layers = [4]
random_features = true
`
	orderSrc = `name = "o"
study = "order"
seed = 3
[data]
generator = "moons"
train = 8
[model]
layers = [2, 2]
[order]
permutations = 3
samples = 2
sizes = [1, 8]
test = 10
mapped = 8
grid = 5
`
)

// Every key arrives in its field, and what is spelled out is the same manifest.
func TestTrainingStudies(t *testing.T) {
	linear := parse(t, small).Learn.Model // the defaults
	model := linear
	model.Layers, model.Rule, model.Bias = nil, "adf", true
	a, b, c := model, model, model
	a.Name, b.Name, c.Name = "a", "b", "c"
	b.HiddenLayers, c.HiddenLayers, c.RandomFeatures = []int{4, 6}, []int{4}, true
	b.Hidden, b.Covariance = "smooth", []string{"full", "diagonal", "full"}
	linear.Layers = []int{2, 2}
	variant := linear
	variant.Name = "model"
	for _, c := range []struct {
		src  string
		want section
	}{
		{hiddenSrc, &Hidden{
			Tasks: []Task{
				{"three", Data{Generator: "spirals", Train: 5, Noise: 0.25}},
				{"two", Data{Generator: "xor", Train: 7}},
			},
			Model:    model,
			Variants: []Model{a, b, c},
			Test:     20, Snapshots: []int{1, 5}, Passes: []int{1, 4}, Grid: 9, Maps: []string{"b"},
		}},
		{orderSrc, &Order{
			Training:     Training{Data: Data{Generator: "moons", Train: 8}, Networks: Networks{Model: linear, Variants: []Model{variant}}},
			Permutations: 3, Samples: 2, Sizes: []int{1, 8}, Test: 10, Mapped: 8, Grid: 5,
		}},
	} {
		m, err := Parse("x.toml", []byte(c.src), trainingStudies, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.section(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got  %+v\nwant %+v", got, c.want)
		}
		again, err := Parse("y.toml", m.Resolved(), trainingStudies, nil)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("spelled out: %v\n%s", err, m.Resolved())
		}
	}
}

// A network gets the classes of each task.
func TestNetworkFor(t *testing.T) {
	m, err := Parse("x.toml", []byte(hiddenSrc), trainingStudies, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := m.Hidden
	for v, want := range [][2][]int{{{2, 3}, {2, 2}}, {{2, 4, 6, 3}, {2, 4, 6, 2}}, {{2, 4, 3}, {2, 4, 2}}} {
		for task, layers := range want {
			if got := h.Variants[v].For(2, h.Tasks[task].Data.Task().Classes()).Layers; !slices.Equal(got, layers) {
				t.Errorf("%s for %s: layers %v, want %v", h.Variants[v].Name, h.Tasks[task].Name, got, layers)
			}
		}
	}
}

func TestTrainingStudiesErrors(t *testing.T) {
	for _, c := range []struct{ src, from, to, want string }{
		{hiddenSrc, "test = 20\n", "", `x.toml:4: hidden.test: missing; allowed: an integer from 1 to 1000000`},
		{hiddenSrc, "[1, 5]", "[5, 1]", `x.toml:6: hidden.snapshots = [5, 1]: 1 comes after 5; allowed: strictly increasing`},
		{hiddenSrc, "[1, 5]", "[1, 6]", `x.toml:16: task.three.train = 5: hidden.snapshots go to 6; allowed: at least that`},
		{hiddenSrc, "[1, 4]", "[1, 1]", `x.toml:7: hidden.passes = [1, 1]: 1 comes after 1; allowed: strictly increasing`},
		{hiddenSrc, "[1, 4]", "[0]", `x.toml:7: hidden.passes.1 = 0: must be an integer from 1 to 1000`},
		{hiddenSrc, `["b"]`, `["d"]`, `x.toml:9: hidden.maps = ["d"]: d names no variant; allowed: a, b, c`},
		{hiddenSrc, "bias = true", "layers = [2, 3]", `x.toml:11: model.layers: unknown key;`},
		{hiddenSrc, "spirals", "xor2", `x.toml:15: task.three.generator = "xor2": must be "logistic" or "moons" or "rings" or "spirals" or "wedges" or "xor"`},
		{hiddenSrc, `"two"`, `"three"`, `x.toml:19: task.three.name = "three": a task before it has this name; allowed: names that differ`},
		{hiddenSrc, "noise = 0.25", "rings = 3", `x.toml:15: task.three.generator = "spirals": task "spirals" with rings = 3; allowed: no rings`},
		{hiddenSrc, "hidden_layers = []\n", "", `x.toml:22: variant.a.hidden_layers: missing; allowed: a list of 0 to 98 entries, each an integer from 1 to 100000`},
		{hiddenSrc, `name = "c"`, `name = "a"`, `x.toml:31: variant.a.name = "a": a variant before it has this name; allowed: names that differ`},
		{hiddenSrc, `, "full"]`, `]`, `x.toml:29: variant.b.covariance = ["full", "diagonal"]: has 2 entries; allowed: 1, or 3, one for each layer of weights`},
		{hiddenSrc, `random_features = true`, "random_features = true\nhidden = \"smooth\"", `x.toml:33: variant.c.random_features = true: hidden = "smooth" would move the features; allowed: only with hidden = "frozen"`},
		{hiddenSrc, hiddenSrc[strings.Index(hiddenSrc, "[[variant]]"):], "", `x.toml: variant: missing; allowed: at least one table headed [[variant]]`},
		{hiddenSrc, "seed = 3", "seed = 3\nsweep = {seed = [4]}", `x.toml:3: seed = 3: not one of sweep.seed; allowed: [4]`},
		{hiddenSrc, "[[variant]]", variants(27), `x.toml:22: variant = {…}: asks for 30 curves of a chart; allowed: at most 28`},
		{orderSrc, "[model]", "[sweep]\nrho = " + many(29) + "\n[model]", `x.toml: variant: asks for 29 curves of a chart (variants × lambda × rho); allowed: at most 28`},
		{orderSrc, "permutations = 3", "permutations = 1", `x.toml:10: order.permutations = 1: must be an integer from 2 to 1000`},
		{orderSrc, "[1, 8]", "[1, 9]", `x.toml:12: order.sizes = [1, 9]: 9 is beyond data.train = 8; allowed: 1 to 8`},
		{orderSrc, "[1, 8]", "[8, 1]", `x.toml:12: order.sizes = [8, 1]: 1 comes after 8; allowed: strictly increasing`},
		{orderSrc, "mapped = 8", "mapped = 7", `x.toml:14: order.mapped = 7: not one of order.sizes; allowed: [1, 8]`},
		{orderSrc, "test = 10", "test = 100000000", `x.toml:13: order.test = 100000000: must be an integer from 1 to 1000000`},
		{strings.Replace(orderSrc, "permutations = 3", "permutations = 1000", 1), "test = 10", "test = 1000000", `x.toml:10: order.permutations = 1000: asks for 2000000000 probabilities (runs × inputs × classes); allowed: at most 100000000`},
	} {
		src := strings.Replace(c.src, c.from, c.to, 1)
		if src == c.src {
			t.Fatalf("%q is not there", c.from)
		}
		_, err := Parse("x.toml", []byte(src), trainingStudies, nil)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q\ngot  %s\nwant %s", c.to, got, c.want)
		}
	}
}

// variants returns n more variants and the head of the next.
func variants(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[variant]]\nname = \"v%d\"\nhidden_layers = []\n", i)
	}
	return b.String() + "[[variant]]"
}
