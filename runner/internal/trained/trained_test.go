package trained

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
)

// The familiarity of an output layer, behind features or not, is that of Bonferroni, of the inputs alone
// while there are few examples, and of the layer alone without a model of the inputs.
func TestFamiliarity(t *testing.T) {
	for _, of := range []func(l *readout.Layer) bnn.Model{
		func(l *readout.Layer) bnn.Model { return l },
		func(l *readout.Layer) bnn.Model {
			return features.Model{Map: check.Must(features.New(features.Relu, 2, 2, 1)), Model: l}
		},
	} {
		l := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 2}))
		n := &Network{Model: of(l), Classes: []string{"a", "b"}, Familiar: familiar.New(2)}
		n.Scaler.Features = []dataset.Feature{{Column: "x"}, {Column: "y"}}
		rnd := rand.New(random.Source("familiarity"))
		x := []float64{0.5, -0.25}
		rows, err := dataset.ParseTable([]byte("x,y\n0.5,-0.25\n"), "rows", dataset.Layout{})
		check.OK(t, err)
		familiarity := func() float64 {
			out, _, _, err := n.Predict(rows, Decision{})
			check.OK(t, err)
			return out.Nums("familiarity")[0]
		}
		for i := range 200 {
			if i == 12 {
				check.Near(t, "few examples", familiarity(), n.Familiar.P(x), 0)
			}
			learn := []float64{random.Normal(rnd) + float64(i%2), random.Normal(rnd)}
			_, err := n.Observe(learn, i%2)
			check.OK(t, err)
			check.OK(t, n.Familiar.Observe(learn))
		}
		z := x
		if f, ok := n.Model.(features.Model); ok {
			z = make([]float64, 2)
			check.OK(t, f.Standard(z, x))
		}
		var prediction bnn.Prediction
		check.OK(t, l.Predict(&prediction, z))
		all, _, err := l.Familiarity([][]float64{z}, []int{prediction.Class()})
		check.OK(t, err)
		p, q := n.Familiar.P(x), all[0]
		check.Near(t, "both", familiarity(), min(1, 2*p, 2*q), 0)
		for _, least := range []float64{0, 1} { // 0 decides without, 1 finds nothing familiar enough
			s := check.Must(NewStream(n, Decision{Familiarity: least}, *rows))
			class, _, _, err := s.Predict(rows)
			check.OK(t, err)
			if want := least == 1 && min(1, 2*p, 2*q) < 1; (class == Unknown) != want {
				t.Errorf("class %s with the least familiarity %g", class, least)
			}
		}
		n.Familiar = nil
		check.Near(t, "layer alone", familiarity(), q, 0)
		n.Model = check.Must(bnn.New(bnn.Default(2, 2), random.Source("network")))
		out, _, _, err := n.Predict(rows, Decision{})
		check.OK(t, err)
		check.Equal(t, "column", strings.Contains(fmt.Sprint(out.Columns), "familiarity"), false)
	}
}
