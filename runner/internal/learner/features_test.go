package learner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
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
	train := func(m Method, x [][]float64, src rand.Source) *Tolerant {
		check.OK(t, m.Fits(len(x[0]), 3))
		return check.Must(m.Train(context.Background(), dataset.NewExamples(data.Set{X: x[:16], Class: class[:16]}, 3), src, order))
	}
	for _, keys := range []string{
		`members = 1; hidden_layers = [4]`, `members = 2; own_orders = true`, `output = "ridge"`, `passes = 2`,
		`kind = "kalman"`, `kind = "tagi"; members = 2`, `kind = "laplace"`,
	} {
		drawn := *src
		plain := train(check.Must(decode(keys)), mapped, &drawn)
		l := train(check.Must(decode(keys+`; features = "relu"; feature_size = 8`)), x, rand.NewPCG(3, 4))
		got, _ := l.Test(test)
		check.Equal(t, keys+" predicts", []any{l.Steps().Failed, got}, []any{false, plain.Probabilities(mapped[16:])})
		l.Look(test, func(i int, x []float64, _ Answer) error {
			check.Equal(t, fmt.Sprintf("%s: sees", keys), x, mapped[16+i])
			return nil
		})
		check.Equal(t, keys+" has an output layer", l.Readout() != nil, strings.Contains(keys, "output"))
	}
}

// An ensemble of output layers is the mean of its members, each behind features of its own, and its first member is the
// layer by itself.
func TestMixedLayers(t *testing.T) {
	x, class, _ := check.Clusters(30, 2, 3, "layers")
	examples := dataset.NewExamples(data.Set{X: x, Class: class}, 3)
	train := func(keys string) *Tolerant {
		m := check.Must(decode(keys))
		check.OK(t, m.Fits(2, 3))
		of, _ := m.For(2, 3) // as of the study learn
		order := func(pass int) rand.Source { return rand.NewPCG(5, uint64(pass)) }
		return check.Must(of.Train(context.Background(), examples, rand.NewPCG(3, 4), order))
	}
	const layer = `output = "gaussian"; features = "relu"; feature_size = 20; `
	one, three := train(layer), train(layer+`members = 3`)
	models := three.Model().(*bnn.Ensemble).Models()
	seeds, want := map[uint64]bool{}, make([]float64, 3)
	var p bnn.Prediction
	for _, m := range models {
		seeds[m.(features.Model).Seed] = true
		check.OK(t, m.Predict(&p, x[0]))
		floats.AddScaled(want, 1./3, p.P)
	}
	check.NearAll(t, "mean", three.Probabilities(x[:1])[0], want, 1e-15)
	check.OK(t, models[0].Predict(&p, x[0]))
	information := 0.0
	three.Look(examples, func(_ int, _ []float64, a Answer) error { information += a.MutualInformation; return nil })
	first := normalised(&p)
	if alone := one.Probabilities(x[:1])[0]; !slices.Equal(first, alone) || len(seeds) != 3 || three.Chosen() != "" || !(information > 0) {
		t.Errorf("first member %v, alone %v; seeds %v; chosen %q", first, alone, seeds, three.Chosen())
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
	model := OfModel("model", m)
	check.Equal(t, "feature_size of [model]", model.Features.Size, 512)
	check.OK(t, model.Fits(2, 3))
	for key, model := range map[string]Model{"features": {Features: Features{Kind: features.Relu}}, "output": {Readout: "ridge"}} {
		_, err := (Sweep{}).Models(model, nil, 3)
		check.Refuses(t, fmt.Sprintf("%s in a study of networks", key), err, "model."+key)
	}
}
