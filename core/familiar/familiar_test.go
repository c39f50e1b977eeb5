package familiar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// source draws inputs from a mixture of two normal distributions with correlated inputs.
func source(d int, name ...any) func() []float64 {
	rnd := rand.New(random.Source(append(name, d)...))
	return func() []float64 {
		x := make([]float64, d)
		common, shift := random.Normal(rnd), 3*float64(rnd.IntN(2))
		for j := range x {
			x[j] = common + random.Normal(rnd) + shift*float64(j%2)
		}
		return x
	}
}

func learned(t *testing.T, n int, draw func() []float64) *Inputs {
	t.Helper()
	var f *Inputs
	for range n {
		x := draw()
		if f == nil {
			f = New(len(x))
		}
		check.OK(t, f.Observe(x))
	}
	return f
}

// At most 2 % of the inputs of the same distribution are below 0.01, and all others.
func TestFamiliarity(t *testing.T) {
	for _, d := range []int{1, 2, 8, 30, 100} {
		for _, n := range []int{40, 300, 3000} {
			const fresh, replications = 200, 10
			few, name := 0, fmt.Sprint(d, " inputs, ", n, " examples")
			for k := range replications {
				draw := source(d, "familiarity", n, k)
				f := learned(t, n, draw)
				for range fresh {
					p := f.P(draw())
					if p < 0.01 {
						few++
					} else if !(p <= 1) {
						t.Fatalf("%s: P = %g", name, p)
					}
				}
				x := draw()
				floats.Scale(1000, x)
				unlike := [][]float64{slices.Clone(x), slices.Repeat([]float64{20}, d)}
				for _, huge := range []float64{1e99, 1e300, math.Inf(1), math.NaN()} {
					x[0] = huge
					unlike = append(unlike, slices.Clone(x))
				}
				for _, x := range unlike {
					if p := f.P(x); !(p < 0.01) {
						t.Errorf("%s: P = %g of %g, …", name, p, x[0])
					}
				}
			}
			if share := float64(few) / (fresh * replications); share > 0.02 {
				t.Errorf("%s: P of %g of the inputs is below 0.01", name, share)
			}
		}
	}
}

// definition has the inputs learned so far, and computes from them.
type definition struct {
	directions [][]float64
	x, z       [][]float64 // z in all directions
	fitted     int         // inputs of C
}

// along returns x in all directions.
func (d *definition) along(x []float64) []float64 {
	if d.directions == nil {
		return x
	}
	var z []float64
	for _, direction := range d.directions {
		z = append(z, floats.Dot(direction, x))
	}
	return z
}

// score is the score of an input.
func (d *definition) score(x []float64) float64 {
	z, m := slices.Clone(d.along(x)), make([]float64, len(d.z[0]))
	for _, z := range d.z {
		floats.AddScaled(m, 1/float64(len(d.z)), z)
	}
	floats.Sub(z, m)
	dims, fitted := len(z), float64(d.fitted)
	c, all := mat.NewSymDense(dims, nil), mat.NewDense(d.fitted, dims, slices.Concat(d.z[:d.fitted]...))
	stat.CovarianceMatrix(c, all, nil)
	variance := mat.Trace(c) * (fitted - 1) / fitted / float64(dims)
	for i := range dims {
		for j := range i {
			c.SetSym(i, j, c.At(i, j)*(fitted-1)/(fitted+float64(dims)))
		}
		c.SetSym(i, i, c.At(i, i)*(fitted-1)/fitted+variance/fitted)
	}
	var root mat.Cholesky
	root.Factorize(c)
	var solved mat.VecDense
	if err := root.SolveVecTo(&solved, mat.NewVecDense(dims, z)); err != nil {
		panic(err)
	}
	low, high := slices.Clone(d.x[0]), slices.Clone(d.x[0])
	for _, x := range d.x {
		for j, v := range x {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	outside, widths := 0.0, (floats.Sum(high)-floats.Sum(low))/float64(len(x))
	for j, v := range x {
		e := max(0, low[j]-v, v-high[j]) / (high[j] - low[j] + widths/float64(len(d.x)))
		outside += e * e / float64(len(x))
	}
	return math.Log(floats.Dot(z, solved.RawVector().Data)/float64(dims) + 12*outside)
}

// upper is the share of scores that are at least s, and the tail beyond.
func upper(scores []float64, s float64) float64 {
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	n := len(sorted)
	if s <= sorted[0] {
		above := slices.IndexFunc(append(sorted, math.Inf(-1)), func(v float64) bool { return v < s })
		return float64(above+1) / float64(n+1)
	}
	k, mean := int(math.Sqrt(float64(n))), 0.0
	for _, v := range sorted[:k] {
		mean += (v - sorted[k]) / float64(k)
	}
	return math.Exp((sorted[0]-s)/(mean*(1+2/math.Sqrt(float64(k))))) / float64(n+1)
}

// Scores, which of them are kept, and P are those of their definition.
func TestDefinition(t *testing.T) {
	for _, c := range []struct{ inputs, n, step int }{{2, 4500, 4}, {7, 90, 1}, {8, 90, 1}, {70, 120, 1}} {
		f, draw := New(c.inputs), source(c.inputs, "definition")
		d := definition{directions: f.directions()}
		want := map[int]float64{} // some scores of the second half
		for i := range c.n {
			x := draw()
			if i > c.n/2 && (c.n < 1000 || i%100 == 0) {
				want[i] = d.score(x)
			}
			check.OK(t, f.Observe(x))
			d.x, d.z = append(d.x, x), append(d.z, d.along(x))
			if n := i + 1; n >= 2 && 8*n >= 9*d.fitted {
				d.fitted = n
			}
		}
		name := fmt.Sprint(c.inputs, " inputs, ", c.n, " examples")
		check.Equal(t, name+": step", f.Step, c.step)
		last := (c.n - 1) / c.step
		check.Equal(t, name+": scores", len(f.Scores), last/2)
		for back := range f.Scores {
			if s, ok := want[(last-back)*c.step]; ok {
				check.Near(t, name+": score", f.Scores[len(f.Scores)-1-back], s, 1e-9)
			}
		}
		for _, times := range []float64{0, 0.5, 1, 2, 4} {
			x := draw()
			floats.Scale(times, x)
			s := d.score(x)
			p := upper(f.Scores, s)
			if c.inputs >= 8 {
				lower := slices.Clone(f.Scores)
				floats.Scale(-1, lower)
				p = min(1, p/0.9, upper(lower, -s)/0.1)
			}
			check.Near(t, name+": log P", math.Log(f.P(x)), math.Log(p), 1e-8)
		}
	}
}

// A copy and the original learn on, each by itself, and as what was read from JSON, to the bit. P of an input
// within the range allocates nothing.
func TestClone(t *testing.T) {
	for _, d := range []int{3, 20, 100} {
		draw := source(d, "clone")
		f := learned(t, 1500, draw)
		x, state := draw(), func(f *Inputs) string { return string(check.Must(json.Marshal(f))) }
		check.NoAllocs(t, fmt.Sprint("P of ", d, " inputs"), func() { f.P(x) })
		var like, other Inputs // as the original and as the copy
		check.OK(t, json.Unmarshal([]byte(state(f)), &like))
		check.OK(t, json.Unmarshal([]byte(state(f)), &other))
		c := f.Clone()
		for range 1000 {
			x, y := draw(), draw()
			check.OK(t, errors.Join(f.Observe(x), like.Observe(x), c.Observe(y), other.Observe(y)))
		}
		check.Equal(t, "the original", state(f), state(&like))
		check.Equal(t, "the copy", state(c), state(&other))
		check.Equal(t, "P", c.P(x), other.P(x))
	}
}

func TestRefuses(t *testing.T) {
	f := learned(t, 50, source(2, "refuses"))
	before, _ := json.Marshal(f)
	for _, x := range [][]float64{{1}, {1, math.NaN()}, {math.Inf(-1), 0}, {1e101, 0}} {
		check.Refuses(t, fmt.Sprint(x), f.Observe(x), "familiar: ")
	}
	for old, replacement := range map[string]string{
		`"seen":50`: `"seen":1`, `"step":1`: `"step":0`, `"low":[`: `"low":[1,`, `"mean":[`: `"mean":[1,`,
		`"fit":[`: `"fit":[-1e9,`, `"scatter":[`: `"scatter":["a",`,
	} {
		text := strings.Replace(string(before), old, replacement, 1)
		if err := json.Unmarshal([]byte(text), f); err == nil || text == string(before) {
			t.Errorf("%s is read", replacement)
		}
	}
	check.Equal(t, "state after errors", string(check.Must(json.Marshal(f))), string(before))
}
