package classgaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func learned(t *testing.T, cfg Config, x [][]float64, class []int) *Model {
	t.Helper()
	m := check.Must(New(cfg, len(x[0]), slices.Max(class)+1, nil))
	for k := range x {
		check.OK(t, m.Observe(x[k], class[k]))
	}
	return m
}

func TestLearner(t *testing.T) {
	check.Online(t, 0.1, func(src rand.Source) (*Model, error) {
		return New(Config{}, 2, 3, src)
	})
}

// Distances and densities are those of gonum's normal distributions with the moments of all
// examples at once, whose numbers are no multiples of four.
func TestByHand(t *testing.T) {
	const d, classes, a = 5, 3, 0.2
	rnd := rand.New(random.Source("gaussian"))
	var x [][]float64
	var class []int
	var of [classes][]float64
	for k := range 41 {
		xi := make([]float64, d)
		for i := range xi {
			xi[i] = 1000 + float64(i+k%classes)*random.Normal(rnd) + float64(i*(k%classes))
		}
		x, class = append(x, xi), append(class, k%classes)
		of[k%classes] = append(of[k%classes], xi...)
	}
	at := x[7]
	m := learned(t, Config{Shrinkage: a}, x, class)
	tied := mat.NewSymDense(d, nil)
	for _, rows := range of {
		var part mat.SymDense
		stat.CovarianceMatrix(&part, mat.NewDense(len(rows)/d, d, rows), nil)
		part.ScaleSym((float64(len(rows)/d)-1)/float64(len(x)), &part)
		tied.AddSym(tied, &part)
	}
	shrunk := mat.NewSymDense(d, nil)
	shrunk.ScaleSym(1-a, tied)
	for i := range d {
		shrunk.SetSym(i, i, shrunk.At(i, i)+a*mat.Trace(tied)/d)
	}
	var density float64
	distance := make([]float64, classes)
	for c, rows := range of {
		n := len(rows) / d
		mean := make([]float64, d)
		for i := range mean {
			mean[i] = stat.Mean(mat.Col(nil, i, mat.NewDense(n, d, rows)), nil)
		}
		normal, ok := distmv.NewNormal(mean, shrunk, nil)
		check.True(t, ok, "not definite")
		density += float64(n+1) / float64(len(x)+classes) * normal.Prob(at)
		distance[c] = 2 * (normal.LogProb(mean) - normal.LogProb(at))
	}
	got := make([]float64, classes)
	check.OK(t, m.Distances(got, at))
	check.NearAll(t, "distances", got, distance, 1e-8)
	log := check.Must(m.LogDensity(at))
	check.Near(t, "log density", log, math.Log(density), 1e-9)
}

// What has seen nothing is the standard normal distribution.
func TestNothingSeen(t *testing.T) {
	m := check.Must(New(Config{}, 2, 2, nil))
	log := check.Must(m.LogDensity([]float64{1, 2}))
	check.Near(t, "log density", log, -math.Log(2*math.Pi)-2.5, 1e-12)
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{"shrinkage": {Shrinkage: 2}})
	check.Refuses(t, "no classes", check.Err(New(Config{}, 2, 0, nil)))
	m := learned(t, Config{}, [][]float64{{1}, {2}, {3}}, []int{0, 0, 1})
	check.Refuses(t, "an input of 1e200", check.Err(m.LogDensity([]float64{1e200})))
}
