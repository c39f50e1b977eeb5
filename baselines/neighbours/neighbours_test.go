package control

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/random"
)

// examples returns inputs on a coarse grid, so that distances tie, or normal ones.
func examples(count, inputs, classes int, coarse bool) (x [][]float64, class []int) {
	rnd := rand.New(random.Source("examples", count, inputs))
	for range count {
		xi := make([]float64, inputs)
		for a := range xi {
			xi[a] = rnd.NormFloat64()
			if coarse {
				xi[a] = math.Round(xi[a])
			}
		}
		x, class = append(x, xi), append(class, rnd.IntN(classes))
	}
	return x, class
}

func TestMajorityCounts(t *testing.T) {
	m, err := NewMajority(MajorityConfig{Classes: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 3)
	for _, c := range []struct {
		class int
		want  []float64 // times count
		count float64
	}{{-1, []float64{1, 1, 1}, 3}, {2, []float64{1, 1, 2}, 4}, {2, []float64{1, 1, 3}, 5}, {0, []float64{2, 1, 3}, 6}} {
		if c.class >= 0 {
			if err := m.Observe([]float64{1, 2}, c.class); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Predict(p, []float64{5}); err != nil {
			t.Fatal(err)
		}
		for j, want := range c.want {
			if !scalar.EqualWithinAbs(p[j], want/c.count, 1e-15) {
				t.Errorf("after class %d: p = %v, want %v/%g", c.class, p, c.want, c.count)
			}
		}
	}
	smooth, err := NewMajority(MajorityConfig{Classes: 2, Smoothing: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if err := smooth.Observe(nil, 1); err != nil {
		t.Fatal(err)
	}
	p = p[:2]
	if err := smooth.Predict(p, nil); err != nil || !scalar.EqualWithinAbs(p[1], 0.75, 1e-15) {
		t.Errorf("p = %v, error %v", p, err)
	}
}

// The neighbours are those of a stable sort of all distances, ties too.
func TestNeighboursAreThoseOfASort(t *testing.T) {
	for _, coarse := range []bool{false, true} {
		for _, inputs := range []int{1, 3, 15, 16, 17, 40} {
			const classes = 4
			x, class := examples(200, inputs, classes, coarse)
			queries, _ := examples(30, inputs, classes, coarse)
			for _, k := range []int{1, 2, 7, 200} {
				q, err := FitNeighbours(NeighboursConfig{Classes: classes, K: k}, x, class)
				if err != nil {
					t.Fatal(err)
				}
				p := make([]float64, classes)
				for _, at := range queries {
					order := make([]int, len(x))
					for i := range order {
						order[i] = i
					}
					distance := func(i int) float64 { return floats.Distance(at, x[i], 2) }
					// Distances are compared as rounded to nine digits: a tie
					// is one whatever the order of the sum.
					sort.SliceStable(order, func(a, b int) bool {
						return scalar.Round(distance(order[a]), 9) < scalar.Round(distance(order[b]), 9)
					})
					want := make([]float64, classes)
					for _, i := range order[:k] {
						want[class[i]]++
					}
					if err := q.Predict(p, at); err != nil {
						t.Fatal(err)
					}
					for c := range p {
						if !scalar.EqualWithinAbs(p[c], (want[c]+0.25)/float64(k+1), 1e-14) {
							t.Fatalf("coarse %t, %d inputs, k = %d: p = %v, counts %v", coarse, inputs, k, p, want)
						}
					}
					if !scalar.EqualWithinAbs(floats.Sum(p), 1, 1e-14) {
						t.Errorf("p adds up to %g", floats.Sum(p))
					}
				}
			}
		}
	}
}

func TestNeighboursByHand(t *testing.T) {
	x := [][]float64{{0}, {1}, {-1}, {10}}
	q, err := FitNeighbours(NeighboursConfig{Classes: 3, K: 2}, x, []int{0, 1, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 3)
	if err := q.Predict(p, []float64{0}); err != nil {
		t.Fatal(err)
	}
	for c, want := range []float64{4. / 9, 4. / 9, 1. / 9} { // of two at distance 1 the first
		if !scalar.EqualWithinAbs(p[c], want, 1e-15) {
			t.Errorf("p = %v", p)
		}
	}
}

func TestNeighboursFarAway(t *testing.T) {
	x := [][]float64{{1e200, 0}, {0, 0}, {-1e150, 1}}
	q, err := FitNeighbours(NeighboursConfig{Classes: 2, K: 2}, x, []int{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 2)
	if err := q.Predict(p, []float64{0, 1}); err != nil || !(p[1] > p[0]) {
		t.Errorf("p = %v, error %v", p, err)
	}
	if err := q.Predict(p, []float64{1e200, 0}); err == nil {
		t.Errorf("p = %v where distances overflow", p)
	}
}

func TestErrors(t *testing.T) {
	x, class := examples(10, 2, 2, false)
	bad := slices.Clone(x)
	bad[3] = []float64{1, math.NaN()}
	wrong := slices.Clone(class)
	wrong[4] = 2
	for name, f := range map[string]func() error{
		"Classes = 1":    func() error { _, err := NewMajority(MajorityConfig{Classes: 1}); return err },
		"Smoothing":      func() error { _, err := NewMajority(MajorityConfig{Classes: 2, Smoothing: -1}); return err },
		"Smoothing = +":  func() error { _, err := NewMajority(MajorityConfig{Classes: 2, Smoothing: math.Inf(1)}); return err },
		"Classes = 0":    func() error { _, err := FitNeighbours(NeighboursConfig{}, x, class); return err },
		"K = 11":         func() error { _, err := FitNeighbours(NeighboursConfig{Classes: 2, K: 11}, x, class); return err },
		"K = -1":         func() error { _, err := FitNeighbours(NeighboursConfig{Classes: 2, K: -1}, x, class); return err },
		"K = 5":          func() error { _, err := FitNeighbours(NeighboursConfig{Classes: 2}, nil, nil); return err },
		"example 3: inp": func() error { _, err := FitNeighbours(NeighboursConfig{Classes: 2}, bad, class); return err },
		"example 4: cla": func() error { _, err := FitNeighbours(NeighboursConfig{Classes: 2}, x, wrong); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	m, _ := NewMajority(MajorityConfig{Classes: 2})
	q, err := FitNeighbours(NeighboursConfig{Classes: 2}, x, class)
	if err != nil {
		t.Fatal(err)
	}
	p, infinite := make([]float64, 2), []float64{0, math.Inf(-1)}
	for _, err := range []error{
		m.Observe(x[0], 2), m.Observe(x[0], -1), m.Observe(infinite, 0), m.Predict(p, infinite), q.Predict(p, infinite),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "control: ") {
			t.Errorf("error %v", err)
		}
	}
	for name, f := range map[string]func(){
		"majority p":   func() { _ = m.Predict(make([]float64, 3), nil) },
		"neighbours p": func() { _ = q.Predict(make([]float64, 3), x[0]) },
		"input":        func() { _ = q.Predict(p, []float64{1}) },
		"classes":      func() { _, _ = FitNeighbours(NeighboursConfig{Classes: 2}, x, class[1:]) },
		"ragged": func() {
			_, _ = FitNeighbours(NeighboursConfig{Classes: 2, K: 1}, [][]float64{{1}, {1, 2}}, []int{0, 1})
		},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "control: ") {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestAllocatesNothing(t *testing.T) {
	x, class := examples(50, 20, 3, false)
	m, _ := NewMajority(MajorityConfig{Classes: 3})
	q, err := FitNeighbours(NeighboursConfig{Classes: 3}, x, class)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 3)
	if n := testing.AllocsPerRun(20, func() {
		_ = m.Observe(x[0], 1)
		_ = m.Predict(p, x[0])
		_ = q.Predict(p, x[1])
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkNeighbours(b *testing.B) {
	x, class := examples(10000, 784, 10, false)
	q, err := FitNeighbours(NeighboursConfig{Classes: 10}, x, class)
	if err != nil {
		b.Fatal(err)
	}
	p, at := make([]float64, 10), make([]float64, 784)
	for b.Loop() {
		if err := q.Predict(p, at); err != nil {
			b.Fatal(err)
		}
	}
}
