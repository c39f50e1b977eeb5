package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// A restored network predicts and learns to the last bit as the original does.
func TestRestore(t *testing.T) {
	rnd := rand.New(random.Source("bnn", "state"))
	for _, cfg := range networks() {
		n := newNetwork(cfg)
		example := func() ([]float64, int) { return random.Normals(rnd, 13), rnd.IntN(3) }
		for range 50 {
			n.Observe(example())
		}
		s := n.State()
		restored, still := check.Must(Restore(s)), check.Must(Restore(s))
		for k := range 50 {
			x, class := example()
			want, errWant := n.Observe(x, class)
			got, errGot := restored.Observe(x, class)
			check.Equal(t, fmt.Sprint("step ", k), fmt.Sprint(got, errGot), fmt.Sprint(want, errWant))
		}
		check.Equal(t, "state of before", still.State(), s)
		check.True(t, !reflect.DeepEqual(n.State(), s), "nothing was learned")
		check.Equal(t, "restored, after learning", restored.State(), n.State())
		want := fmt.Sprint(n.State().Config)
		s.Config.Layers[0]++
		s.Config.Covariance[0], s.Config.Replications[0], s.Config.PriorVar[0] = "9", 9, 9
		if len(s.Config.ProcessNoise) > 0 {
			s.Config.ProcessNoise[0] = 0.9
		}
		check.Equal(t, "configuration after changes of the state's", fmt.Sprint(n.State().Config), want)
	}
}

func TestRestoreRefuses(t *testing.T) {
	for want, alter := range map[string]func(*State){
		"Layers: []":                          func(s *State) { s.Config.Layers = nil },
		"need 2":                              func(s *State) { s.Layers = s.Layers[:1] },
		"layer 0: need means of 3×3":          func(s *State) { s.Layers[0].Mean = nil },
		"need means of 2×4 and spread of 2×4": func(s *State) { s.Layers[1].Mean = mat.NewDense(2, 3, nil) },
		"layer 1: row 1 of the means":         func(s *State) { s.Layers[1].Mean.Set(1, 2, math.NaN()) },
		"and spread of 9×3":                   func(s *State) { s.Layers[0].Spread = mat.NewDense(3, 3, nil) },
		"layer 0: row 8 of the spread":        func(s *State) { s.Layers[0].Spread.Set(8, 0, math.Inf(1)) },
		"layer 0: row 7 of the spread":        func(s *State) { s.Layers[0].Spread.Set(7, 0, 1e200) },
		"and spread of 3×3":                   func(s *State) { s.Config.Covariance[0] = Shared },
		"layer 1: row 1 of the spread":        func(s *State) { s.Layers[1].Spread.Set(1, 0, -1e-300) },
		"state of -1 learned examples":        func(s *State) { s.Learned = -1 },
	} {
		s := newNetwork(spec{Layers: []int{2, 3, 2}, Bias: true, Covariance: []Covariance{Full, Diagonal}}).State()
		alter(&s)
		check.Refuses(t, want, check.Err(Restore(s)), want)
	}
}

// A new class leaves all weights as they were, and has means of zero and the prior covariance,
// where covariances are shared that of its layer. Predictions made into the same memory have it.
func TestAddClass(t *testing.T) {
	covariance, probit := []Covariance{Full, Shared}, softmax.Probit{Lambda: 0.3, Rho: 0.5}
	network := newNetwork(spec{Layers: []int{2, 4, 3}, Softmax: probit, Covariance: covariance})
	for _, m := range []Model{
		network,
		ensemble(members(spec{Layers: []int{2, 3}, Bias: true, Covariance: []Covariance{Diagonal}}, 2)...),
	} {
		x, class := twoRings(30, rand.New(random.Source("rings")))
		var p Prediction
		for i := range x {
			check.Must(m.Observe(x[i], class[i]))
		}
		check.OK(t, m.Predict(&p, x[0]))
		var before []*Network
		for _, n := range networksOf(m) {
			before = append(before, copied(n))
		}
		weights := slices.Clone(p.Weights)
		check.OK(t, m.AddClass())
		for k, n := range networksOf(m) {
			old, last := before[k], len(n.layers)-1
			check.Equal(t, "learned", n.State().Learned, len(x))
			now, former := n.Config(), old.Config()
			want := former.Softmax
			if n != network {
				want = softmax.Probit{Lambda: softmax.SlopeLambda(4, 0.5), Rho: 0.5}
			}
			check.Equal(t, "softmax", now.Softmax, want)
			former.Layers[last+1], former.Softmax = 4, now.Softmax
			check.Equal(t, "configuration", now, former)
			for l := range old.layers {
				want, cov := old.Weights(l)
				wantCov := addIdentity(cov, 1, 0)
				if l == last {
					added := wantCov[:1]
					if now.Covariance[l] != Shared {
						added = addIdentity(cov[:1], 0, now.PriorVar[l])
					}
					want, wantCov = want.Grow(1, 0).(*mat.Dense), append(wantCov, added...)
				}
				checkLayer(t, "one more class", n, l, want, wantCov, 1e-15)
			}
		}
		check.OK(t, m.Predict(&p, x[0]))
		check.Equal(t, "sizes", [3]int{len(p.P), p.Cov.SymmetricDim(), len(p.Mean)}, [3]int{4, 4, 4})
		check.NearAll(t, "weights", p.Weights, weights, 0)
		check.Near(t, "sum of probabilities", floats.Sum(p.P), p.Sum(), 1e-12)
		check.Must(m.Observe(x[0], 3))
	}
}

// A member that cannot have one more class leaves all as they were.
func TestAddClassRefuses(t *testing.T) {
	two := softmax.ProbitCorr{Lambda: 0.3, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})}
	fixed := newNetwork(spec{Layers: []int{2, 3}, Output: Joint, Softmax: two})
	for want, m := range map[string]Model{
		"2 to 4096 classes": check.Must(New(Default(1, MostClasses), random.Source("many"))),
		"3×3":               ensemble(newNetwork(spec{Layers: []int{2, 3}}), fixed),
	} {
		classes := networksOf(m)[0].cfg.classes()
		check.Refuses(t, want, m.AddClass(), want)
		check.Equal(t, "classes", networksOf(m)[0].cfg.classes(), classes)
	}
}
