package learner

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"closedform/core/features"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
)

// A method behind features learns and predicts as it does of features by hand, whose seed is the
// first number of its source, and is looked at with these.
func TestFeatures(t *testing.T) {
	x, class, _ := check.Clusters(24, 2, 3, "features")
	test := dataset.NewExamples(data.Set{X: x[16:], Class: class[16:]}, 3)
	src := rand.NewPCG(3, 4)
	relu := check.Must(features.New(features.Relu, 2, 8, src.Uint64()))
	mapped := make([][]float64, len(x))
	for i := range x {
		mapped[i] = make([]float64, 8)
		check.OK(t, relu.Standard(mapped[i], x[i]))
	}
	order := func(pass int) rand.Source { return rand.NewPCG(5, uint64(pass)) }
	learned := func(m Method, x [][]float64, src rand.Source) *Classifier {
		check.OK(t, m.Fits(len(x[0]), 3))
		return train(t, m, dataset.NewExamples(data.Set{X: x[:16], Class: class[:16]}, 3), src, order)
	}
	for _, keys := range []string{
		`members = 1; hidden_layers = [4]`, `members = 2; own_orders = true`, `output = "ridge"`, `passes = 2`,
		`kind = "kalman"`, `kind = "tagi"; members = 2`, `kind = "laplace"`,
	} {
		drawn := *src
		plain := learned(check.Must(decode(keys)), mapped, &drawn)
		l := learned(check.Must(decode(keys+`; features = "relu"; feature_size = 8`)), x, rand.NewPCG(3, 4))
		got, _ := l.Test(test)
		check.Equal(t, keys+" predicts", []any{l.Steps().Failed, got}, []any{false, plain.Probabilities(mapped[16:])})
		l.PredictEach(test, func(i int, x []float64, _ Prediction) error {
			check.Equal(t, fmt.Sprintf("%s: sees", keys), x, mapped[16+i])
			return nil
		})
		check.Equal(t, keys+" has an output layer", l.Readout() != nil, strings.Contains(keys, "output"))
	}
}

// What does not fit the data is refused before anything is computed, and what looks into networks refuses both.
func TestFeatureErrors(t *testing.T) {
	for keys, want := range map[string]string{
		`features = "relu"; feature_size = -1`:                        "feature_size: -1 is not allowed; allowed: 1 to ",
		`features = "conv"; feature_size = 9`:                         "feature_size: 9 is not allowed",
		`features = "relu"; layers = [64, 3]`:                         "layers: the data have 512 inputs and 3 classes",
		`kind = "kalman"; features = "relu"; feature_size = 4000`:     "kind: layers [4000 3]: the covariance of the weights has ",
		`output = "gaussian"; features = "relu"; feature_size = 9000`: "layers: the covariances of the inputs have 1.22e+08 numbers",
		`output = "ridge"; features = "relu"; feature_size = 9000`:    "",
	} {
		m := check.Must(decode(keys))
		err := m.Fits(64, 3)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: error %v does not say %q", keys, err, want)
		}
	}
	m := DefaultModel()
	m.Features.Kind = features.Relu
	check.OK(t, m.Validate())
	model := NewMethod("model", m)
	check.Equal(t, "feature_size of [model]", model.Features.Size, 512)
	check.OK(t, model.Fits(2, 3))
	check.Refuses(t, "features in a study of networks", check.Err((&Learners{Model: m}).Networks(2, 3, 1)), "model.features")
	m = DefaultModel()
	m.Readout = "ridge"
	check.Refuses(t, "an output layer in a study of networks", check.Err((&Learners{Model: m}).Networks(2, 3, 1)), "model.output")
}
