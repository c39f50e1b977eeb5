package learner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/bayesbackprop"
	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/dropout"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/mlp"
	"closedform/baselines/learners/neighbours"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
	"closedform/baselines/learners/variational"
	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/internal/check"
	"closedform/runner/internal/config"
)

// decode returns the method with these keys, separated by semicolons.
func decode(keys string) (Method, error) { return decodeAfter("", keys) }

// decodeAfter has keys of [model], too.
func decodeAfter(model, keys string) (Method, error) {
	text := "name = \"x\"; study = \"x\"; " + model + "[[method]]; name = \"m\"; " + keys
	m, err := config.Parse("x.toml", []byte(strings.ReplaceAll(text, "; ", "\n")), nil)
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

func (c byHand) Observe(x []float64, class int) error {
	_, err := c.Model.Observe(x, class)
	return err
}

func (c byHand) Predict(p, x []float64) error {
	var q bnn.Prediction
	err := c.Model.Predict(&q, x)
	sum := q.Sum()
	for j := range p {
		p[j] = q.P[j] / sum
	}
	return err
}

// mean predicts the mean of what learners predict.
type mean []Learner

func (m mean) Observe(x []float64, class int) (err error) {
	for _, l := range m {
		err = cmp.Or(err, l.Observe(x, class))
	}
	return err
}

func (m mean) Predict(p, x []float64) (err error) {
	clear(p)
	q := make([]float64, len(p))
	for _, l := range m {
		err = cmp.Or(err, l.Predict(q, x))
		floats.AddScaled(p, 1/float64(len(m)), q)
	}
	return err
}

// Every key of every kind reaches its configuration, and is predicted with as the
// package predicts that is called by hand.
func TestByHand(t *testing.T) {
	x, class, _ := check.Clusters(20, 2, 3, "methods")
	test := x[12:]
	x, class = x[:12], class[:12]
	src := func() rand.Source { return rand.NewPCG(3, 4) }
	linear, hidden, descent := []int{2, 3}, []int{2, 4, 3}, mlp.Descent{Step: 0.02, Epochs: 7}
	network := func(change func(*bnn.Config), layers ...int) predictor {
		c := bnn.Default(layers...)
		change(&c)
		return byHand{check.Must(bnn.New(c, src()))}
	}
	for _, c := range []struct {
		keys string
		want predictor // not trained yet, if it is online
	}{
		{`kind = "closed-form"; members = 1; rule = "joint"; bias = false; prior_var = 10; on_indefinite = "project"`, network(func(c *bnn.Config) {
			c.Output, c.Bias, c.PriorVar, c.Paper.OnIndefinite = bnn.Joint, false, []float64{10}, bnn.Project
		}, linear...)},
		{
			`kind = "closed-form"; members = 1; hidden_layers = [4]; rule = "adf"; hidden = "smooth"; bias = true; prior_var = [2, 0.5]; prior_mean_var = 3; prior_draw = "independent"; covariance = ["diagonal", "full"]; lambda = 0.4`,
			network(func(c *bnn.Config) {
				c.SetCovariance(bnn.Diagonal, bnn.Full)
				c.Hidden, c.PriorVar, c.PriorMeanVar, c.PriorDraw = bnn.Smooth, []float64{2, 0.5}, 3, bnn.Independent
				c.Softmax = softmax.Probit{Lambda: 0.4, Rho: 0.5}
			}, hidden...),
		},
		{
			`kind = "closed-form"; members = 1; rule = "adf-exact"; covariance = "shared"; bias = false; alpha = 0.1; prior_var = 10; on_indefinite = "skip"; eigenvalue_floor = 0.01; variance_floor = 0.02`,
			network(func(c *bnn.Config) {
				c.Output, c.Softmax, c.Bias, c.Unit.Alpha = bnn.ADFExact, softmax.Exact{Fast: true}, false, 0.1
				c.SetCovariance(bnn.Shared)
				c.PriorVar, c.Paper = []float64{10}, bnn.PaperRule{OnIndefinite: bnn.Skip, EigenvalueFloor: 0.01, VarianceFloor: 0.02}
			}, linear...),
		},
		{`kind = "closed-form"; hidden_layers = [4]`, byHand{check.Must(bnn.NewDefaultBank(bnn.Default(hidden...), src()))}},
		{
			`kind = "kalman"; hidden_layers = [4]; covariance = "diagonal"; prior_var = 2; prior_mean_var = 3`,
			check.Must(kalman.New(kalman.Config{Layers: hidden, Covariance: kalman.Diagonal, PriorVar: 2, PriorMeanVar: 3}, src())),
		},
		{`kind = "kalman"; process_noise = 0.1`, check.Must(kalman.New(kalman.Config{Layers: linear, ProcessNoise: 0.1}, src()))},
		{
			`kind = "tagi"; hidden_layers = [4]; prior_var = 2; prior_mean_var = 3; sigma_v = 0.5`,
			check.Must(tagi.New(tagi.Config{Layers: hidden, SigmaV: 0.5, PriorVar: 2, PriorMeanVar: 3}, src())),
		},
		{
			`kind = "tagi"; hidden_layers = [4]; members = 3`,
			mean(check.Must(newMembers(3, src(), func(src rand.Source) (Learner, error) {
				return tagi.New(tagi.Config{Layers: hidden}, src)
			}))),
		},
		{
			`kind = "tagi"; hidden_layers = [4]; head = "remax"; sigma_v = 0.2`,
			check.Must(tagi.New(tagi.Config{Layers: hidden, Head: tagi.Remax, SigmaV: 0.2}, src())),
		},
		{
			`kind = "kalman"; hidden_layers = [4]; covariance = "low-rank"; rank = 3`,
			check.Must(kalman.New(kalman.Config{Layers: hidden, Covariance: kalman.LowRank, Rank: 3}, src())),
		},
		{
			`kind = "sgd"; hidden_layers = [4]; rule = "momentum"; learning_rate = 0.02`,
			check.Must(sgd.New(sgd.Config{Layers: hidden, Rule: sgd.Momentum, LearningRate: 0.02}, src())),
		},
		{
			`kind = "sgd"; hidden_layers = [4]; rule = "adam"`,
			check.Must(sgd.New(sgd.Config{Layers: hidden, Rule: sgd.Adam, LearningRate: 0.001}, src())),
		},
		{`kind = "majority"`, check.Must(majority.New(majority.Config{Classes: 3}, src()))},
		{
			`kind = "class-gaussian"; shrinkage = 0.01`,
			check.Must(classgaussian.New(classgaussian.Config{
				Inputs: 2, Classes: 3, Shrinkage: 0.01,
			}, src())),
		},
		{`kind = "neighbours"; neighbours = 4`, check.Must(neighbours.Fit(neighbours.Config{Classes: 3, Neighbours: 4}, x, class, src()))},
		{`kind = "neighbours"; neighbours = 400`, check.Must(neighbours.Fit(neighbours.Config{Classes: 3, Neighbours: 12}, x, class, src()))},
		{
			`kind = "laplace"; prior_var = 2; laplace_var = 0.3`,
			check.Must(laplace.Fit(laplace.Config{Layers: linear, PriorVar: 2, LaplaceVar: 0.3}, x, class, src())),
		},
		{
			`kind = "laplace"; hidden_layers = [4]; predictive = "monte-carlo"`,
			check.Must(laplace.Fit(laplace.Config{Layers: hidden, PriorVar: 1, Predictive: laplace.MonteCarlo}, x, class, src())),
		},
		{
			`kind = "variational"; prior_var = 6`,
			check.Must(variational.Fit(variational.Config{Inputs: 2, Classes: 3, PriorVar: 6}, x, class, src())),
		},
		{
			`kind = "backprop"; hidden_layers = [4]; prior_var = 2; step = 0.02; epochs = 7`,
			check.Must(bayesbackprop.Fit(bayesbackprop.Config{Layers: hidden, PriorVar: 2, Descent: descent}, x, class, src())),
		},
		{
			`kind = "dropout"; hidden_layers = [4]; rate = 0.4; decay = 0.01; step = 0.02; epochs = 7`,
			check.Must(dropout.Fit(dropout.Config{Layers: hidden, Rate: 0.4, Decay: 0.01, Descent: descent}, x, class, src())),
		},
	} {
		m := check.Must(decode(c.keys))
		check.Must(json.Marshal(m))
		check.OK(t, m.Fits(2, 3))
		online, ok := c.want.(Learner)
		check.Equal(t, fmt.Sprintf("%s: online", m.Kind), ok, m.Online())
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
			check.OK(t, c.want.Predict(q, test[i]))
			if !slices.Equal(got, q) {
				t.Errorf("%s\npredicts %v, by hand %v", c.keys, got, q)
				break
			}
		}
		if l.Steps().Failed {
			t.Errorf("%s: broke down", c.keys)
		}
	}
}

// Every kind of baseline learns with its defaults, but for programs, which have none.
func TestEveryKind(t *testing.T) {
	x, class, _ := check.Clusters(20, 2, 3, "kinds")
	for kind := range baselines {
		if kind == "command" {
			continue
		}
		m := check.Must(decode(fmt.Sprintf("kind = %q", kind)))
		check.OK(t, m.Fits(2, 3))
		c := check.Must(m.Learner(2, 3, rand.NewPCG(3, 4)))
		for i := range x {
			c.Observe(x[i], class[i])
		}
		check.Near(t, kind, floats.Sum(c.Probabilities(x)[0]), 1, 1e-9)
		check.OK(t, c.Err)
		for _, keys := range []string{"features = \"relu\"", "passes = 2", "hidden_layers = [3]"} {
			if m, err := decode(fmt.Sprintf("kind = %q; %s", kind, keys)); err == nil {
				check.OK(t, m.Fits(2, 3))
			}
		}
	}
}

// A closed-form method, which need not say its kind, begins as a copy of [model].
func TestFromModel(t *testing.T) {
	want := DefaultModel()
	want.Bias, want.Alpha = false, 0.1
	m := check.Must(decodeAfter("[model]; bias = false; alpha = 0.2; ", "alpha = 0.1"))
	check.Equal(t, "kind and configuration", []any{m.Kind, m.Model}, []any{"closed-form", want})
	for keys, want := range map[string]Features{"": {"conv", 64}, "feature_size = 32": {"conv", 32}, `kind = "majority"`: {}, `kind = "majority"; features = "relu"`: {"relu", 512}} {
		check.Equal(t, keys, check.Must(decodeAfter(`[model]; features = "conv"; feature_size = 64; `, keys)).Features, want)
	}
}

// A key that is 0 has its default, as the resolved manifest says.
func TestDefaults(t *testing.T) {
	for keys, want := range map[string]any{
		`kind = "sgd"; learning_rate = 0`:          &sgd.Config{Rule: sgd.SGD, LearningRate: 0.01},
		`kind = "kalman"; covariance = "low-rank"`: &kalman.Config{Covariance: kalman.LowRank, Rank: 10, PriorVar: 1, PriorMeanVar: 2},
		`kind = "tagi"; sigma_v = 0; members = 2`:  &tagi.Config{Head: tagi.Tree, SigmaV: 1, PriorVar: 1, PriorMeanVar: 1, Members: 2},
		`kind = "neighbours"; neighbours = 0`:      &neighbours.Config{Neighbours: 5},
	} {
		check.Equal(t, keys, any(check.Must(decode(keys)).Config), want)
	}
}

func TestErrors(t *testing.T) {
	for keys, want := range map[string]string{
		`kind = "tagi"; members = -1`:      "x.toml:6: method.m.members: -1 is not allowed; allowed: 0 to 64",
		`kind = "tagi"; own_orders = true`: "x.toml:6: method.m.own_orders: true is not allowed; allowed: with members = 2 or more",
		`kind = "oracle"`:                  "x.toml:5: method.m.kind: oracle is not allowed; allowed: closed-form, backprop, class-gaussian, command, ",
		`kind = "majority"; epochs = 3`:    "method.m.epochs: not a key", `kind = "kalman"; prior_var = -1`: "x.toml:6: method.m.prior_var",
		`kind = "kalman"; hidden_layers = [0]`: "method.m.hidden_layers", `kind = "neighbours"; hidden_layers = [3]`: "method.m.hidden_layers",
		`kind = "neighbours"; passes = 2`: "method.m.passes", `kind = "kalman"; window = 2`: "method.m.window: not a key any more; process_noise",
		`kind = "variational"; bound = "bohning"`: "method.m.bound: not a key", `kind = "laplace"; predictive = "round"`: `x.toml:6: method.m.predictive: "round" is not allowed; allowed: probit, monte-carlo, plug-in`,
		`kind = "closed-form"; members = 1; rule = "best"`: `x.toml:7: method.m.rule: "best" is not allowed; allowed: adf, adf-exact, adf-marginal, adf-exact-marginal, joint, total`, `kind = "closed-form"; members = 1; on_indefinite = "go"`: "allowed: fail, skip, project",
		`kind = "closed-form"; members = 1; hidden_layers = [3]; covariance = ["full", "round"]`: `x.toml:8: method.m.covariance: "round" is not allowed; allowed: full, diagonal, shared`,
		`kind = "kalman"; tune = ["prior_var"]`:                                                  "method.m.tune", `kind = "kalman"; tune = ["prior_var"]; candidates = [[1], [1, 2]]`: "2 values",
		`kind = "kalman"; tune = ["prior_var"]; candidates = [[1], [-2]]`:                                         "x.toml:7: method.m.candidates: [-2]: prior_var",
		`kind = "kalman"; tune = ["step"]; candidates = [[1]]`:                                                    "step: not a key",
		`kind = "kalman"; tune = ["covariance"]; candidates = [[0.5]]`:                                            "covariance: 0.5 is not allowed",
		`kind = "closed-form"; members = 1; rule = "adf"; rho = 0.3`:                                              "method.m.rho",
		`kind = "closed-form"; members = 1; random_features = true; process_noise = 0.1`:                          "method.m.random_features",
		`kind = "closed-form"; members = 1; random_features = true; tune = ["process_noise"]; candidates = [[1]]`: "random_features",
		`features = "sine"`:                      `x.toml:5: method.m.features: "sine" is not allowed; allowed: relu, conv`,
		`feature_size = 9`:                       "method.m.feature_size: 9 is not allowed; allowed: with features",
		`output = "best"`:                        `method.m.output: "best" is not allowed; allowed: ridge, gaussian`,
		`output = "ridge"; hidden_layers = [3]`:  `x.toml:6: method.m.hidden_layers: [3] is not allowed with output = "ridge"; allowed: no hidden layers, but features`,
		`output = "ridge"; layers = [2, 3, 2]`:   "method.m.layers: [2 3 2] is not allowed with output",
		`output = "ridge"; members = 2`:          "method.m.members: 2 is not allowed with output",
		`output = "ridge"; process_noise = 0.1`:  "method.m.process_noise: 0.1 is not allowed with output",
		`tune = ["bias"]; candidates = [[true]]`: "method.m.candidates: [true] is not allowed; allowed: a list of numbers and words",
	} {
		_, err := decode(keys)
		check.Refuses(t, keys, err, want)
	}
	_, err := decodeAfter(`[model]; features = "relu"; `, `features = ""`)
	check.Refuses(t, "what [model] has, taken away", err, `method.m.features: "" `)
	for want, m := range map[string]Method{
		"method.a.candidates: 2 of them": {Name: "a", Tuning: Tuning{Candidates: []Candidate{{1.0}, {2.0}}}},
		"method.a.splits":                {Name: "a", Splits: 2},
	} {
		check.Refuses(t, want, Plain([]Method{{Name: "b"}, m}), want)
	}
}

// The covariances that a method keeps are counted before they are made.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		keys   string
		inputs int
		want   string // the numbers; empty: not too many
	}{
		{`kind = "kalman"; hidden_layers = [100]`, 100, "1.23e+08"},
		{`kind = "kalman"; hidden_layers = [100]; covariance = "diagonal"`, 100, ""},
		{`kind = "closed-form"; members = 1; hidden_layers = [800]; covariance = "full"; tune = ["lambda"]; candidates = [[1], [2]]`, 300, ""},
		{`kind = "kalman"; hidden_layers = [100]; covariance = "low-rank"; rank = 150`, 10000, "1.51e+08"},
		{`kind = "laplace"`, 1000, "1e+08"},
		{`kind = "laplace"; hidden_layers = [1000]`, 1000, "1.01e+08"},
		{`kind = "variational"`, 5000, "2.5e+08"},
		{`kind = "tagi"; hidden_layers = [1000]`, 10000, ""},
		{`kind = "class-gaussian"`, 20000, "4e+08"},
		{`kind = "closed-form"; members = 1; hidden_layers = [1000]; covariance = "full"`, 1000, "1.01e+09"},
		{`kind = "closed-form"; members = 1; hidden_layers = [1000]; covariance = "diagonal"`, 1000, ""},
	} {
		m := check.Must(decode(c.keys))
		got := ""
		if err := m.Fits(c.inputs, 10); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %d inputs: %q, want %q", c.keys, c.inputs, got, c.want)
		}
	}
}
