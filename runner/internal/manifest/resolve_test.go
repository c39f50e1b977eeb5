package manifest

import (
	"reflect"
	"strings"
	"testing"
)

// full has every key, none with its default.
const full = `name = "full-1_x"
study = "learn"
seed = 9
effort = "quick"
overrides = ["data.train=30", "model.rule=\"total\""]
[data]
generator = "wedges"
train = 30
[model]
layers = [2, 3]
bias = true
alpha = 0.1
beta = 2.5
rule = "total"
hidden = "frozen"
lambda = 3e-7
rho = 0.125
covariance = "full"
output_covariance = "per-neuron"
prior = "paper"
prior_mean = [[1, 0, -0.25], [1e-300, 1, 1e30], [1, 1, 123456789.125]]
prior_var = 2.0
prior_mean_var = 0.5
on_indefinite = "skip"
eigenvalue_floor = 1e-9
variance_floor = 0.5
[evaluate]
snapshots = [2, 3, 30]
grid = 11
[monte_carlo]
samples = 77
stride = 5
[sweep]
seed = [9, 4, 5]
lambda = [0.1, "slope", 1e21, "minimax", "lsq"]
rho = [0.0, 0.3]
[[variant]]
name = "a"
lambda = "slope"
[[variant]]
name = "b"
on_indefinite = "project"
covariance = "full"
output_covariance = "per-neuron"
prior = "paper"
prior_mean = []
[[claim]]
claim = "It \"says\" \\ ≥ 3 things"
statistic = "boundary"
threshold = -0.75
[[figure]]
kind = "maps"
variant = "b"
[[figure]]
kind = "maps"
variant = "a"
single = true
`

func TestResolved(t *testing.T) {
	for _, c := range []struct {
		src       string
		overrides []string
	}{
		{src: small},
		{src: full},
		{src: full, overrides: []string{"sweep.seed=1..20", "variant.b.rho=0"}},
		{src: small, overrides: []string{"sweep.seed=[3]", "model.bias=true"}},
		{src: momentsSrc},
		{src: momentsSrc, overrides: []string{`moments.classes="2..4"`, "moments.samples=[10, 20]", "moments.montecarlo_draws=30"}},
		{src: ablationSrc},
		{src: ablationSrc, overrides: []string{"sweep.seed=3..5", "ablation.unequal=0", "effort=quick"}},
		{src: calibrateSrc},
		{src: calibrateSrc, overrides: []string{"calibrate.classes=[7]", "calibrate.rho=[0.0, 0.25]"}},
		{src: stabilitySrc},
		{src: stabilitySrc, overrides: []string{"stability.gap=[1.5, 1e30]", `stability.lambda=["lsq"]`, "stability.rho=0"}},
		{src: mcCheckSrc},
	} {
		m := parse(t, c.src, c.overrides...)
		resolved := m.Resolved()
		again, err := Parse("resolved.toml", resolved, studies, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, resolved)
			continue
		}
		if !reflect.DeepEqual(again, m) {
			t.Errorf("got  %+v\nwant %+v\n%s", again, m, resolved)
		}
		if twice := again.Resolved(); string(twice) != string(resolved) {
			t.Errorf("resolved twice:\n%s\nonce:\n%s", twice, resolved)
		}
	}
}

// What the study does not read is not there.
func TestResolvedMoments(t *testing.T) {
	const want = `name = "m"
study = "moments"
seed = 3
effort = "full"
overrides = []

[moments]
classes = [2, 3, 10]
spread = [0.0, 2.5]
variance = [0.01, 100.0]
unequal = 0.5
draws = 40
methods = ["exact", "probit"]
samples = []
montecarlo_draws = 10
montecarlo_pairs = 100000
`
	if got := string(parse(t, momentsSrc).Resolved()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The defaults are spelled out.
func TestResolvedText(t *testing.T) {
	got := string(parse(t, small, "sweep.seed=3..5").Resolved())
	keys := `layers = [2, 3]
bias = false
alpha = 0.0
beta = 1.0
rule = "joint"
hidden = "frozen"
lambda = "slope"
rho = 0.5
covariance = "full"
output_covariance = "per-neuron"
prior = "paper"
prior_mean = []
prior_var = 1.0
prior_mean_var = 0.0
on_indefinite = "fail"
eigenvalue_floor = 0.001
variance_floor = 0.001
`
	want := `name = "small"
study = "learn"
seed = 3
effort = "full"
overrides = ["sweep.seed=3..5"]

[data]
generator = "wedges"
train = 25

[model]
` + keys + `
[evaluate]
snapshots = [1, 25]
grid = 9

[monte_carlo]
samples = 10000
stride = 4

[sweep]
seed = "3..5"

[[variant]]
name = "model"
` + keys
	if got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("line %d: %q, want %q", i+1, g[i], w[i])
			}
		}
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}
