package familiar

import (
	"encoding/json"
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

// At most 2 % of the inputs of the same distribution are below 0.01, and those unlike any that
// were learned all are.
func TestFamiliarity(t *testing.T) {
	for _, d := range []int{1, 2, 8, 30, 100} {
		for _, n := range []int{40, 300, 3000} {
			t.Run(fmt.Sprint(d, " inputs, ", n, " examples"), func(t *testing.T) {
				const fresh, replications = 200, 10
				few := 0
				for k := range replications {
					draw := source(d, "familiarity", n, k)
					f := learned(t, n, draw)
					for i := range fresh {
						x := draw()
						if p := f.P(x); p < 0.01 {
							few++
						} else if !(p <= 1) {
							t.Fatalf("P = %g", p)
						}
						if i > 0 {
							continue
						}
						times, constant := slices.Clone(x), slices.Repeat([]float64{20}, d)
						for j := range times {
							times[j] *= 1000
						}
						if p, q := f.P(times), f.P(constant); !(p < 0.01) || !(q < 0.01) {
							t.Errorf("P of an input times 1000 is %g, of a constant one %g", p, q)
						}
						for _, huge := range []float64{1e99, 1e300, math.Inf(1), math.NaN()} {
							x[0] = huge
							if p := f.P(x); !(p < 0.01) {
								t.Errorf("P of a number %g is %g", huge, p)
							}
						}
					}
				}
				if share := float64(few) / (fresh * replications); share > 0.02 {
					t.Errorf("P of %g of the inputs is below 0.01", share)
				}
			})
		}
	}
}

// definition has the inputs learned so far, and computes from them.
type definition struct {
	x      [][]float64
	z      []*mat.VecDense // in all directions
	fitted int             // inputs of C
}

// score is the score of an input, z in all directions.
func (d *definition) score(x []float64, z *mat.VecDense) float64 {
	n, dims := float64(len(d.x)), z.Len()
	mean := func(of []*mat.VecDense) *mat.VecDense {
		m := mat.NewVecDense(dims, nil)
		for _, z := range of {
			m.AddScaledVec(m, 1/float64(len(of)), z)
		}
		return m
	}
	fitted := d.z[:d.fitted]
	c, m, r := mat.NewSymDense(dims, nil), mean(fitted), new(mat.VecDense)
	for _, z := range fitted {
		r.SubVec(z, m)
		c.SymRankOne(c, 1/float64(d.fitted), r)
	}
	enlarged := mat.Trace(c) / float64(dims*d.fitted)
	for i := range dims {
		for j := range i {
			c.SetSym(i, j, c.At(i, j)*float64(d.fitted)/float64(d.fitted+dims))
		}
		c.SetSym(i, i, c.At(i, i)+enlarged)
	}
	var root mat.Cholesky
	root.Factorize(c)
	r.SubVec(z, mean(d.z))
	var solved mat.VecDense
	if err := root.SolveVecTo(&solved, r); err != nil {
		panic(err)
	}
	width, widths, beyond := make([]float64, len(x)), 0.0, make([]float64, len(x))
	for j := range x {
		var column []float64
		for _, x := range d.x {
			column = append(column, x[j])
		}
		low, high := slices.Min(column), slices.Max(column)
		width[j], beyond[j] = high-low, max(0, low-x[j], x[j]-high)
		widths += width[j] / float64(len(x))
	}
	outside := 0.0
	for j, e := range beyond {
		outside += math.Pow(e/(width[j]+widths/n), 2) / float64(len(x))
	}
	return math.Log(mat.Dot(r, &solved)/float64(dims) + 12*outside)
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
		f, draw, d := New(c.inputs), source(c.inputs, "definition"), definition{}
		project := func(x []float64) *mat.VecDense {
			z := make([]float64, min(c.inputs, 64))
			for i := range z {
				if z[i] = x[i]; c.inputs > 64 {
					z[i] = floats.Dot(f.directions[i], x)
				}
			}
			return mat.NewVecDense(len(z), z)
		}
		want := map[int]float64{} // some scores of the second half
		for i := range c.n {
			x := draw()
			if i > c.n/2 && (c.n < 1000 || i%100 == 0) {
				want[i] = d.score(x, project(x))
			}
			check.OK(t, f.Observe(x))
			d.x, d.z = append(d.x, x), append(d.z, project(x))
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
			s := d.score(x, project(x))
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

// What is written and read again goes on to the bit.
func TestJSON(t *testing.T) {
	for _, d := range []int{3, 100} {
		draw := source(d, "json")
		f := learned(t, 1500, draw)
		text := check.Must(json.Marshal(f))
		var read Inputs
		check.OK(t, json.Unmarshal(text, &read))
		for i := range 1000 {
			x := draw()
			if i%100 == 0 && f.P(x) != read.P(x) {
				t.Fatalf("P = %g after reading, want %g", read.P(x), f.P(x))
			}
			if f.Observe(x) != nil || read.Observe(x) != nil {
				t.Fatal("refused")
			}
		}
		a, _ := json.Marshal(f)
		if b, _ := json.Marshal(&read); string(a) != string(b) {
			t.Errorf("%d inputs: another state", d)
		}
		if n := len(f.Scores); n < 400 || n > 1000 {
			t.Errorf("%d scores are kept", n)
		}
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
	if after, _ := json.Marshal(f); string(after) != string(before) {
		t.Error("an error leaves another state")
	}
}
