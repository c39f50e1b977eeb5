package checkpoint

import (
	"archive/zip"
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/internal/check"
)

// layer returns an output layer of three inputs that has seen some examples, none of its last class.
func layer(kind readout.Kind, examples int) *readout.Layer {
	l := check.Must(readout.New(readout.Config{Kind: kind, Inputs: 3, Classes: 3}))
	learn(l, 3, examples)
	return l
}

func learn(m bnn.Model, inputs, examples int) {
	rnd := rand.New(random.Source("checkpoint", "layer"))
	for i := range examples {
		x := make([]float64, inputs)
		for j := range x {
			x[j] = rnd.NormFloat64() + float64(i%2)
		}
		check.Must(m.Observe(x, i%2))
	}
}

// bank returns a bank of a network and output layers, the second one behind features, that has seen some examples.
func bank(w bnn.WeightRule, m *features.Map, examples int) *bnn.Bank {
	network := check.Must(bnn.New(bnn.Default(2, 2), random.Source("network")))
	behind := features.Model{Map: m, Model: check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: m.Size, Classes: 2}))}
	b := check.Must(bnn.NewBank(bnn.Weighing{Weights: w}, network, check.Must(readout.New(readout.Config{Kind: readout.Ridge, Inputs: 2, Classes: 2})), behind))
	learn(b, 2, examples)
	return b
}

// An output layer, and what is behind features, comes back to the bit and learns on in the same way.
func TestLayersAndFeatures(t *testing.T) {
	relu := check.Must(features.New(features.Relu, 2, 3, math.MaxUint64))
	conv := check.Must(features.New(features.Conv, 64, 32, 1))
	for i, m := range []bnn.Model{
		layer(readout.Ridge, 0), layer(readout.Ridge, 40), layer(readout.Gaussian, 40), layer(readout.Gaussian, 1),
		features.Model{Map: relu, Model: layer(readout.Ridge, 40)},
		features.Model{Map: relu, Model: check.Must(bnn.NewDefaultBank(bnn.Default(3, 2), random.Source("bank")))},
		features.Model{Map: conv, Model: check.Must(bnn.NewEnsemble(bnn.Default(32, 4, 3), 2, random.Source("ensemble")))},
		bank(bnn.Equal, relu, 7), bank(bnn.Evidence, relu, 0), bank(bnn.Evidence, relu, 7),
	} {
		var file, second bytes.Buffer
		check.OK(t, Save(&file, m, "a note"))
		again, note, err := Load(bytes.NewReader(file.Bytes()))
		if err != nil || note != "a note" || reflect.TypeOf(again) != reflect.TypeOf(m) {
			t.Fatalf("model %d: a %T, %v, note %q", i, again, err, note)
		}
		if err := Save(&second, again, note); err != nil || !bytes.Equal(second.Bytes(), file.Bytes()) {
			t.Errorf("model %d: %v, or written again it makes another file", i, err)
		}
		inputs, classes := m.Shape()
		if in, out := again.Shape(); in != inputs || out != classes {
			t.Errorf("model %d: %d inputs and %d classes", i, in, out)
		}
		for range 2 {
			var p, q bnn.Prediction
			x := slices.Repeat([]float64{0.3}, inputs)
			check.OK(t, m.Predict(&p, x))
			check.OK(t, again.Predict(&q, x))
			if !slices.Equal(p.P, q.P) {
				t.Errorf("model %d predicts %v, read back %v", i, p.P, q.P)
			}
			learn(m, inputs, 5)
			learn(again, inputs, 5)
			check.OK(t, m.AddClass())
			check.OK(t, again.AddClass())
		}
	}
}

// Files of output layers and features with contents that do not fit.
func TestLayerRefuses(t *testing.T) {
	relu := check.Must(features.New(features.Relu, 2, 3, 1))
	good := check.Must(entries("", features.Model{Map: relu, Model: layer(readout.Gaussian, 9)}))
	edit := func(i int, old, now string) func([]entry) []entry {
		return func(all []entry) []entry {
			text := strings.Replace(all[i].value.(string), old, now, 1)
			if all[i].value == text {
				t.Fatalf("%s has no %q", text, old)
			}
			all[i].value = text
			return all
		}
	}
	set := func(i int, value *mat.Dense) func([]entry) []entry {
		return func(all []entry) []entry { all[i].value = value; return all }
	}
	for want, edit := range map[string]func([]entry) []entry{
		"features: read": edit(0, `"seed"`, `"Seed"`),
		`"sine" is not allowed; allowed: relu, conv`:    edit(0, "relu", "sine"),
		"features: 4, and a model of 3 inputs":          edit(0, `"size":3`, `"size":4`),
		`features: "relu" is not allowed with 0 inputs`: edit(0, `"inputs":2`, `"inputs":0`),
		"readout: read":                                edit(1, `"kind"`, `"Kind"`),
		"readout: classes: 1 is not allowed":           edit(1, `"classes":3`, `"classes":1`),
		"entry count: is 1×3; need 1×4":                edit(1, `"classes":3`, `"classes":4`),
		"entry sum: is 3×3; need 3×9":                  edit(1, `"inputs":3`, `"inputs":9`),
		"entry scatter: is 3×6; need 1×6":              edit(1, "gaussian", "ridge"),
		"readout: 0.5 is no number of":                 set(2, mat.NewDense(1, 3, []float64{5, 4, 0.5})),
		"readout: NaN is no number of":                 set(5, mat.NewDense(1, 9, slices.Repeat([]float64{math.NaN()}, 9))),
		"entry kept: is 2×3; need 9×3":                 set(6, mat.NewDense(2, 3, nil)),
		"entry sum: is missing":                        func(all []entry) []entry { return all[:3] },
		"entry config: is missing or not in its place": func(all []entry) []entry { return all[:1] },
	} {
		all := []zipped{{"format.npy", array(version)}}
		for _, e := range edit(slices.Clone(good)) {
			all = append(all, zipped{e.name + ".npy", array(e.value)})
		}
		if _, _, err := Load(bytes.NewReader(sealed(t, zip.Store, all))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
}
