package bnn

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/field"
)

// What a configuration does not allow is refused by the word of its field.
func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		key string
		cfg Config
	}{
		{"layers", Config{}},
		{"layers", Config{Layers: []int{2}}},
		{"layers", Config{Layers: []int{2, 1}}},
		{"layers", Config{Layers: []int{0, 2}}},
		{"alpha", Config{Alpha: -0.5, Beta: 1}},
		{"alpha", Config{Alpha: nan, Beta: 1}},
		{"beta", Config{Alpha: 0.5, Beta: 0.1}},
		{"beta", Config{Beta: inf}},
		{"rule", Config{Output: 9}},
		{"hidden", Config{Hidden: -1}},
		{"covariance", Config{Covariance: []Covariance{9}}},
		{"covariance", Config{Covariance: []Covariance{Full, Full, Full}}},
		{"output_covariance", Config{OutputCovariance: 9}},
		{"output_covariance", Config{OutputCovariance: JointNeurons}},
		{"output_covariance", Config{Covariance: []Covariance{Shared}, Output: ADFExact, OutputCovariance: JointNeurons}},
		{"output_covariance", Config{Layers: []int{2, softmax.MostCorrelated + 1}, Output: ADFExact, OutputCovariance: JointNeurons}},
		{"on_indefinite", Config{OnIndefinite: 9}},
		{"prior", Config{Prior: 9}},
		{"prior_draw", Config{PriorDraw: 9}},
		{"prior_var", Config{PriorVar: -1}},
		{"prior_mean_var", Config{PriorMeanVar: inf}},
		{"prior_mean_var", Config{Layers: []int{2, 3, 2}, PriorDraw: Independent}},
		{"prior_scale", Config{PriorScale: []float64{0}}},
		{"prior_scale", Config{PriorScale: []float64{1, 1, 1}}},
		{"prior_scale", Config{PriorScale: []float64{1, 0}}},
		{"prior_scale", Config{PriorScale: []float64{nan, 1}}},
		{"replications", Config{Replications: []float64{-1, 1}}},
		{"replications", Config{Replications: []float64{1, inf}}},
		{"replications", Config{Replications: []float64{1, 1, 1}}},
		{"replications", Config{Output: ADFExact, OutputCovariance: JointNeurons, Replications: []float64{1, 2}}},
		{"variance_floor", Config{VarianceFloor: 1}},
		{"variance_floor", Config{VarianceFloor: nan}},
		{"eigenvalue_floor", Config{EigenvalueFloor: nan}},
		{"rho", Config{Output: ADF, Softmax: softmax.Probit{Lambda: 1, Rho: 0.4}}},
		{"rule", Config{Output: ADF, Softmax: softmax.Exact{}}},
		{"rule", Config{Output: ADFExact, Softmax: softmax.Probit{Lambda: 1, Rho: 0.5}}},
		{"rule", Config{Output: ADFExact, Softmax: softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})}}},
		{"", Config{Softmax: softmax.Probit{}}},
	} {
		if test.key != "layers" && test.cfg.Layers == nil {
			test.cfg.Layers = []int{2, 3, 2}
		}
		_, err := New(test.cfg, random.Source())
		var bad *field.Error
		if err == nil || test.key != "" && (!errors.As(err, &bad) || bad.Key != test.key) {
			t.Errorf("%+v: error %v; want one of %s", test.cfg, err, test.key)
		}
		if test.key != "" && test.key != "rho" && strings.Contains(err.Error(), test.key+":") {
			t.Errorf("error %q does not name the Go field", err)
		}
	}
}

func TestWithDefaults(t *testing.T) {
	got := Config{Layers: []int{2, 3}, Output: ADFExact}.WithDefaults()
	want := Config{
		Layers: []int{2, 3}, Beta: 1, Output: ADFExact, Covariance: Covariances{Full}, Softmax: softmax.Exact{Fast: true},
		EigenvalueFloor: 1e-3, VarianceFloor: 1e-3, Replications: []float64{1}, PriorVar: 1, PriorScale: []float64{3000}, PriorMeanVar: 2,
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(got.WithDefaults(), want) {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	probit := softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}
	if got := (Config{Layers: []int{2, 3}}).WithDefaults().Softmax; got != softmax.Approximation(probit) {
		t.Errorf("softmax %v, want %v", got, probit)
	}
	if got := (Config{}).WithDefaults(); got.Softmax != nil {
		t.Errorf("softmax %v of no classes", got.Softmax)
	}
}

// A word stands for its constant in every direction.
func TestWords(t *testing.T) {
	for word, x := range map[string]any{
		"joint": Joint, "total": Total, "adf": ADF, "adf-exact": ADFExact,
		"frozen": Frozen, "smooth": Smooth, "smooth-mean": SmoothMean,
		"full": Full, "diagonal": Diagonal, "shared": Shared,
		"per-neuron": PerNeuron, "joint ": JointNeurons,
		"paper": PaperPrior, "scaled": ScaledPrior,
		"orthogonal": Orthogonal, "independent": Independent,
		"fail": Fail, "skip": Skip, "project": Project,
	} {
		if word == "joint " {
			word = "joint"
		}
		text, err := x.(encoding.TextMarshaler).MarshalText()
		if err != nil || string(text) != word || fmt.Sprint(x) != word {
			t.Errorf("%T %v is %q, %v; want %q", x, x, text, err, word)
		}
		again := reflect.New(reflect.TypeOf(x))
		u := again.Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText(text); err != nil || again.Elem().Interface() != x {
			t.Errorf("%q is read as %v, %v", word, again.Elem(), err)
		}
		if err := u.UnmarshalText([]byte("other")); err == nil {
			t.Errorf("%T takes any word", x)
		}
		if _, err := reflect.ValueOf(-1).Convert(reflect.TypeOf(x)).Interface().(encoding.TextMarshaler).MarshalText(); err == nil {
			t.Errorf("%T −1 has a word", x)
		}
	}
}

// A configuration with its defaults comes back from TOML as it was, but for what
// has no word.
func TestConfigTOML(t *testing.T) {
	for _, cfg := range []Config{
		{Layers: []int{2, 3}},
		{
			Layers: []int{2, 4, 3}, Bias: true, Alpha: 0.1, Beta: 0.7, Output: ADFExact, Hidden: SmoothMean, Covariance: []Covariance{Diagonal, Full},
			OutputCovariance: JointNeurons, OnIndefinite: Project, EigenvalueFloor: 0.2, VarianceFloor: 0.3, Replications: []float64{1.0 / 3, 1},
			PriorVar: 5, Prior: ScaledPrior, PriorScale: []float64{6, 7}, PriorMeanVar: 8,
		},
	} {
		want := cfg.WithDefaults()
		text, err := toml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Config
		if _, err := toml.Decode(string(text), &got); err != nil {
			t.Fatal(err)
		}
		if want.Softmax = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v; want %+v", text, got, want)
		}
	}
	var one struct {
		Covariance Covariances `toml:"covariance"`
	}
	if _, err := toml.Decode(`covariance = "shared"`, &one); err != nil || !reflect.DeepEqual(one.Covariance, Covariances{Shared}) {
		t.Errorf("one word is read as %v, %v", one.Covariance, err)
	}
	for _, bad := range []string{`3`, `[3]`, `"block"`, `["full", "block"]`} {
		if _, err := toml.Decode("covariance = "+bad, &one); err == nil {
			t.Errorf("covariance = %s is read", bad)
		}
	}
}
