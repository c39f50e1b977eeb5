package learner

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/command"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/tagi"
	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
)

// decode returns the method with these keys, separated by semicolons.
func decode(keys string) (Method, error) { return decodeAfter("", keys) }

// decodeAfter has keys of [model], too.
func decodeAfter(model, keys string) (Method, error) {
	text := "name = \"x\"; study = \"x\"; " + model + "[[method]]; name = \"m\"; " + keys
	m, err := manifest.Parse("x.toml", []byte(strings.ReplaceAll(text, "; ", "\n")), nil)
	if err != nil {
		return Method{}, err
	}
	v := Learners{Model: DefaultModel()}
	if err := m.Decode(&v); err != nil {
		return Method{}, err
	}
	if _, err := m.Resolved(&v); err != nil {
		return Method{}, err
	}
	return v.Methods[0], nil
}

// byHand is a network or a bank by hand.
type byHand struct{ bnn.Model }

func (c byHand) Observe(x []float64, class int) error { return check.Err(c.Model.Observe(x, class)) }

func (c byHand) Predict(p, x []float64) error {
	var q bnn.Prediction
	err := c.Model.Snapshot().Predict(&q, x)
	floats.ScaleTo(p, 1/q.Sum(), q.P)
	return err
}

// Keys reach the configuration, and methods predict as the packages do that are called by hand.
func TestByHand(t *testing.T) {
	x, class, _ := check.Clusters(20, 2, 3, "methods")
	test := x[12:]
	x, class = x[:12], class[:12]
	src := func() rand.Source { return rand.NewPCG(3, 4) }
	linear, hidden := []int{2, 3}, []int{2, 4, 3}
	network := func(change func(*bnn.Config), layers ...int) predictor {
		c := bnn.Default(layers...)
		change(&c)
		return byHand{check.Must(bnn.New(c, src()))}
	}
	for keys, want := range map[string]predictor{ // not trained yet, if they are online
		`members = 1; hidden_layers = [4]; rule = "adf"; hidden = "smooth"; bias = true; prior_var = [2, 0.5]; ` +
			`prior_mean_var = 3; prior_draw = "independent"; covariance = ["diagonal", "full"]; lambda = 0.4`: network(
			func(c *bnn.Config) {
				c.SetCovariance(bnn.Diagonal, bnn.Full)
				c.Hidden, c.PriorVar, c.PriorMeanVar = bnn.Smooth, []float64{2, 0.5}, 3
				c.PriorDraw, c.Softmax = bnn.Independent, softmax.Probit{Lambda: 0.4, Rho: 0.5}
			}, hidden...),
		`members = 1; rule = "adf-exact"; covariance = "shared"; bias = false; alpha = 0.1; prior_var = 10; ` +
			`on_indefinite = "skip"; eigenvalue_floor = 0.01; variance_floor = 0.02`: network(func(c *bnn.Config) {
			c.Output, c.Softmax, c.Bias, c.Unit.Alpha = bnn.ADFExact, softmax.Exact{Fast: true}, false, 0.1
			c.SetCovariance(bnn.Shared)
			c.PriorVar = []float64{10}
			c.Paper = bnn.PaperRule{OnIndefinite: bnn.Skip, EigenvalueFloor: 0.01, VarianceFloor: 0.02}
		}, linear...),
		`hidden_layers = [4]`: byHand{check.Must(classifier.NewMixture(bnn.Default(hidden...), false, src()))},
		`kind = "tagi"; hidden_layers = [4]; sigma_v = 0.2`: check.Must(
			tagi.New(tagi.Config{SigmaV: 0.2}, hidden, src())),
		`kind = "laplace"; prior_var = 2; laplace_var = 0.3`: check.Must(
			laplace.Fit(laplace.Config{PriorVar: 2, LaplaceVar: 0.3}, linear, x, class, src())),
	} {
		m := check.Must(decode(keys))
		check.Must(json.Marshal(m))
		check.OK(t, m.Fits(2, 3))
		online, ok := want.(Learner)
		check.Equal(t, keys+": online", ok, m.Online())
		l := check.Must(m.Learner(2, 3, src()))
		for i, xi := range x {
			buffer := slices.Clone(xi) // there is one for all examples
			l.Observe(buffer, class[i])
			if clear(buffer); ok {
				check.OK(t, online.Observe(xi, class[i]))
			}
		}
		q := make([]float64, 3)
		for i, got := range l.Probabilities(test) {
			check.OK(t, want.Predict(q, test[i]))
			check.NearAll(t, keys, got, q, 1e-15)
		}
		check.OK(t, l.Err)
	}
}

// The members of an ensemble of baselines have different random numbers, the first those of a learner alone.
func TestMembersDiffer(t *testing.T) {
	predictions := func(members int) (p [][]float64) {
		m := check.Must(decode(fmt.Sprintf(`kind = "sgd"; hidden_layers = [4]; members = %d`, members)))
		for k, l := range check.Must(m.Learner(2, 3, rand.NewPCG(3, 4))).Learners {
			p = append(p, make([]float64, 3))
			check.OK(t, l.Predict(p[k], []float64{1, -2}))
		}
		return p
	}
	one, three := predictions(1), predictions(3)
	check.NearAll(t, "the first of three", three[0], one[0], 0)
	for k, other := range []int{1, 2, 0} {
		check.True(t, !slices.Equal(three[k], three[other]), "members %d and %d predict the same", k, other)
	}
}

// A closed-form method, which need not say its kind, begins as a copy of [model].
func TestFromModel(t *testing.T) {
	want := DefaultModel()
	want.Bias, want.Alpha = false, 0.1
	m := check.Must(decodeAfter("[model]; bias = false; alpha = 0.2; ", "alpha = 0.1"))
	check.Equal(t, "kind and configuration", []any{m.Kind, m.Model}, []any{"closed-form", want})
	for keys, want := range map[string]Features{
		"": {"conv", 64}, "feature_size = 32": {"conv", 32}, `kind = "majority"`: {},
		`kind = "majority"; features = "relu"`: {"relu", 512},
	} {
		got := check.Must(decodeAfter(`[model]; features = "conv"; feature_size = 64; `, keys)).Features
		check.Equal(t, keys, got, want)
	}
	_, err := decodeAfter(`[model]; features = "relu"; `, `features = ""`)
	check.Refuses(t, "what [model] has, taken away", err, "method.m.feature_size: 512 is not allowed")
}

// Each line has keys, and what their error says.
func TestErrors(t *testing.T) {
	for line := range strings.SplitSeq(`kind = "tagi"; members = -1 -> x.toml:6: method.m.members: -1 is
kind = "tagi"; own_orders = true -> x.toml:6: method.m.own_orders: true is not allowed; allowed: with m
kind = "oracle" -> x.toml:5: method.m.kind: "oracle" is not allowed; allowed: "closed-form"
kind = "majority"; epochs = 3 -> method.m.epochs: not a key
kind = "kalman"; prior_var = -1 -> x.toml:6: method.m.prior_var
kind = "class-gaussian"; hidden_layers = [3] -> method.m.hidden_layers
kind = "laplace"; passes = 2 -> method.m.passes
rule = "best" -> x.toml:5: method.m.rule: "best" is not allowed; allowed: "adf", "adf-exact"
hidden_layers = [3]; covariance = ["full", "round"] -> x.toml:6: method.m.covariance: "round" is not allowed
kind = "kalman"; tune = ["prior_var"] -> method.m.tune
kind = "kalman"; tune = ["prior_var"]; candidates = [[1], [1, 2]] -> 2 values
kind = "kalman"; tune = ["prior_var"]; candidates = [[1], [-2]] -> x.toml:7: method.m.candidates: [-2]: prior
kind = "kalman"; tune = ["step"]; candidates = [[1]] -> step: not a key
rule = "adf"; rho = 0.3 -> method.m.rho
random_features = true; hidden = "frozen"; tune = ["hidden"]; candidates = [["smooth"]] -> random_features
features = "sine" -> x.toml:5: method.m.features: "sine" is not allowed; allowed: "relu", "conv"
feature_size = 9 -> method.m.feature_size: 9 is not allowed; allowed: with features
output = "ridge"; hidden_layers = [3] -> x.toml:6: method.m.hidden_layers: [3] is not allowed; allowed:
output = "ridge"; layers = [2, 3, 2] -> method.m.layers: [2, 3, 2] is not allowed; allowed: without output
output = "ridge"; members = 2 -> method.m.members: 2 is not allowed; allowed: without output
random_features = true; hidden = "smooth" -> method.m.random_features
hidden_layers = [3]; layers = [2, 2] -> method.m.hidden_layers
prior_mean = [[1, 2]] -> method.m.prior_mean
hidden_layers = [20000, 20000] -> method.m.hidden_layers: the method keeps
layers = [2] -> method.m.layers: [2] is not allowed; allowed: inputs
hidden_layers = [0] -> method.m.hidden_layers: 0 is not allowed`, "\n") {
		keys, want, _ := strings.Cut(line, " -> ")
		check.Refuses(t, keys, check.Err(decode(keys)), want)
	}
}

// What does not fit the data, or needs too many covariances, is refused before anything is computed.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		keys   string
		inputs int
		want   string // in the error; empty: none
	}{
		{`kind = "kalman"; hidden_layers = [100]`, 100, "1.23e+08"},
		{`kind = "kalman"; hidden_layers = [100]; covariance = "diagonal"`, 100, ""},
		{`kind = "laplace"; hidden_layers = [1000]`, 1000, "1.01e+08"},
		{`kind = "class-gaussian"`, 20000, "4e+08"},
		{`kind = "tagi"; hidden_layers = [1000]`, 10000, ""},
		{`members = 1; hidden_layers = [1000]; covariance = "full"`, 1000, "1.01e+09"},
		{`members = 1; hidden_layers = [1000]; covariance = "diagonal"`, 1000, ""},
		{`features = "relu"; feature_size = -1`, 64, "feature_size: -1 is not allowed; allowed: 1 to "},
		{`features = "conv"; feature_size = 9`, 64, "feature_size: 9 is not allowed"},
		{`features = "relu"; layers = [64, 10]`, 64, "layers: [64, 10] is not allowed; allowed: [512, …, 10]"},
		{`kind = "kalman"; features = "relu"; feature_size = 4000`, 64, "kind: the method keeps 1.6e+09"},
		{`output = "gaussian"; features = "relu"; feature_size = 9000`, 64, "the method keeps 4.05e+08"},
		{`output = "ridge"; features = "relu"; feature_size = 9000`, 64, ""},
	} {
		m := check.Must(decode(c.keys))
		err := m.Fits(c.inputs, 10)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s, %d inputs: %q, want %q", c.keys, c.inputs, got, c.want)
		}
	}
}

// The method that is tried has the values of a candidate; the method itself stays as it is.
func TestCandidates(t *testing.T) {
	const keys = `kind = "kalman"; prior_var = 7; tune = ["prior_var", "prior_mean_var"]; candidates = [[3, 30]]`
	m := check.Must(decode(keys))
	with := check.Must(m.with(m.Candidates[0]))
	values := func(m Method) []float64 {
		c := m.Extension().(*kalman.Config)
		return []float64{c.PriorVar, c.PriorMeanVar}
	}
	check.Equal(t, "chosen, and before", [][]float64{values(with), values(m)}, [][]float64{{3, 30}, {7, 2}})
	check.Equal(t, "described", m.describe(m.Candidates[0]), "prior_var=3 prior_mean_var=30")
	// A number of the settings of a program is one, too.
	m = check.Must(decode(`kind = "command"; command = ["x"]; version = ["x"]; settings = {a = 1, c = "d"}; ` +
		`tune = ["settings.a", "settings.b"]; candidates = [[2, 3]]`))
	with = check.Must(m.with(m.Candidates[0]))
	settings := func(m Method) string { return fmt.Sprint(m.Extension().(*command.Config).Settings) }
	check.Equal(t, "settings", settings(with), "map[a:2 b:3 c:d]")
	check.Equal(t, "settings before", settings(m), "map[a:1 c:d]")
	// One of a key that has a value for each layer is one for all.
	m = check.Must(decode(`hidden_layers = [4]; tune = ["lambda", "replications"]; candidates = [[0.3, 2]]`))
	with = check.Must(m.with(m.Candidates[0]))
	lambda := with.Model.Lambda.Value(3, 0.5)
	check.Equal(t, "network", []any{lambda, with.Model.Replications}, []any{0.3, []float64{2}})
}
