package familiar

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/core/random"
	"closedform/internal/check"
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
		`"seen":50`: `"seen":1`, `"step":1`: `"step":0`, `"low":[`: `"low":[1,`, `"mean":[`: `"mean":[1,`, `"fit":[`: `"fit":[-1e9,`, `"scatter":[`: `"scatter":["a",`,
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
