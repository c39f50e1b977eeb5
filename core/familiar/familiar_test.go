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

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// source draws inputs, and their classes 0 and 2, from two normal distributions with correlated inputs.
func source(d int, name ...any) func() (x []float64, class int) {
	rnd := rand.New(random.Source(append(name, d)...))
	return func() ([]float64, int) {
		x := make([]float64, d)
		common, class := random.Normal(rnd), 2*rnd.IntN(2)
		for j := range x {
			x[j] = common + random.Normal(rnd) + 1.5*float64(class*(j%2))
		}
		return x, class
	}
}

func learned(t *testing.T, n int, draw func() ([]float64, int)) *Inputs {
	t.Helper()
	var f *Inputs
	for range n {
		x, class := draw()
		if f == nil {
			f = New(len(x))
		}
		check.OK(t, f.Observe(x, class))
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
					x, _ := draw()
					p := f.P(x)
					if p < 0.01 {
						few++
					} else if !(p <= 1) {
						t.Fatalf("%s: P = %g", name, p)
					}
				}
				x, _ := draw()
				floats.Scale(1000, x)
				unlike := [][]float64{slices.Clone(x), slices.Repeat([]float64{20}, d)}
				for _, huge := range []float64{1e99, 1e300, math.Inf(1), math.NaN()} {
					x[0] = huge
					unlike = append(unlike, slices.Clone(x))
				}
				for _, x := range unlike {
					check.True(t, f.P(x) < 0.01, "%s: P = %g of %g, …", name, f.P(x), x[0])
				}
			}
			check.True(t, few <= fresh*replications/50, "%s: P of %d of the inputs is below 0.01", name, few)
		}
	}
}

// definition has the inputs learned so far, and computes from them.
type definition struct {
	directions [][]float64
	x, z       [][]float64 // z in all directions
	class      []int
	fitted     int // inputs of W and C
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

// mean returns the mean of the first n inputs that are of the class, or of all if it is negative.
func (d *definition) mean(n, class int) (m []float64, count float64) {
	m = make([]float64, len(d.z[0]))
	for i, z := range d.z[:n] {
		if class < 0 || d.class[i] == class {
			floats.Add(m, z)
			count++
		}
	}
	floats.Scale(1/max(1, count), m)
	return m, count
}

// distance is zᵀC⁻¹z/d with the covariance C of the first fitted inputs, within the classes or of all.
func (d *definition) distance(z []float64, within bool) float64 {
	dims, fitted := len(z), float64(d.fitted)
	c := mat.NewSymDense(dims, nil)
	for i, z := range d.z[:d.fitted] {
		class := -1
		if within {
			class = d.class[i]
		}
		mean, _ := d.mean(d.fitted, class)
		floats.SubTo(mean, z, mean)
		c.SymRankOne(c, 1/fitted, mat.NewVecDense(dims, mean))
	}
	variance := mat.Trace(c) / float64(dims)
	for i := range dims {
		for j := range i {
			c.SetSym(i, j, c.At(i, j)*fitted/(fitted+float64(dims)))
		}
		c.SetSym(i, i, c.At(i, i)+variance/fitted)
	}
	var root mat.Cholesky
	root.Factorize(c)
	var solved mat.VecDense
	if err := root.SolveVecTo(&solved, mat.NewVecDense(dims, z)); err != nil {
		panic(err)
	}
	return floats.Dot(z, solved.RawVector().Data) / float64(dims)
}

// score is the score of an input.
func (d *definition) score(x []float64) float64 {
	nearest, z := math.Inf(1), make([]float64, len(d.z[0]))
	for _, class := range []int{0, 2} {
		mean, n := d.mean(len(d.z), class)
		floats.SubTo(z, d.along(x), mean)
		nearest = min(nearest, d.distance(z, true)*n/(n+1))
	}
	mean, _ := d.mean(len(d.z), -1)
	floats.SubTo(z, d.along(x), mean)
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
	return math.Asinh(nearest - d.distance(z, false)/4 + 12*outside)
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
			x, class := draw()
			if i > c.n/2 && (c.n < 1000 || i%500 == 0) {
				want[i] = d.score(x)
			}
			check.OK(t, f.Observe(x, class))
			d.x, d.z, d.class = append(d.x, x), append(d.z, d.along(x)), append(d.class, class)
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
			x, _ := draw()
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
		x, _ := draw()
		state := func(f *Inputs) string { return string(check.Must(json.Marshal(f))) }
		check.NoAllocs(t, fmt.Sprint("P of ", d, " inputs"), func() { f.P(x) })
		var like, read Inputs // as the original and as the copy
		check.OK(t, json.Unmarshal([]byte(state(f)), &like))
		check.OK(t, json.Unmarshal([]byte(state(f)), &read))
		c := f.Clone()
		for range 1000 {
			x, class := draw()
			y, other := draw()
			check.OK(t, errors.Join(f.Observe(x, class), like.Observe(x, class)))
			check.OK(t, errors.Join(c.Observe(y, other), read.Observe(y, other)))
		}
		check.Equal(t, "the original", state(f), state(&like))
		check.Equal(t, "the copy", state(c), state(&read))
		check.Equal(t, "P", c.P(x), read.P(x))
	}
}

func TestRefuses(t *testing.T) {
	f := learned(t, 50, source(2, "refuses"))
	before, _ := json.Marshal(f)
	for _, x := range [][]float64{{1}, {1, math.NaN()}, {math.Inf(-1), 0}, {1e101, 0}} {
		check.Refuses(t, fmt.Sprint(x), f.Observe(x, 0), "familiar: ")
	}
	for old, replacement := range map[string]string{
		`"seen":50`: `"seen":1`, `"step":1`: `"step":0`, `"low":[`: `"low":[1,`,
		`"fit":[[`: `"fit":[[-1e9,`, `"scatter":[[`: `"scatter":[["a",`, `"counts":[50`: `"counts":[49`,
		`"means":[[`: `"means":[[1,`,
	} {
		text := strings.Replace(string(before), old, replacement, 1)
		check.True(t, json.Unmarshal([]byte(text), f) != nil && text != string(before), "%s is read", replacement)
	}
	check.Equal(t, "state after errors", string(check.Must(json.Marshal(f))), string(before))
}
