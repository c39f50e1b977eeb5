// Performance measures what the moments of the softmax cost, by each method and
// to a given accuracy, and writes the table into README.md.
//
//	go run ./runner/internal/performance README.md
package main

import (
	"fmt"
	"io"
	"os"
	"testing"

	"closedform/baselines/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: performance README.md")
		os.Exit(2)
	}
	if err := run(os.Stderr, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// run measures and replaces the table in the file.
func run(progress io.Writer, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := replace(text, nil); err != nil {
		return fmt.Errorf("%s: %w", name, err) // before minutes are spent
	}
	var rows []row
	for _, n := range []int{2, 3, 10, 100, 1000} {
		fmt.Fprintf(progress, "n = %d\n", n)
		rows = append(rows, measure(n)...)
	}
	if text, err = replace(text, markdown(rows)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	temporary := name + ".new"
	if err := os.WriteFile(temporary, text, 0o666); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}

// row is what was measured of a method.
type row struct {
	classes int
	method  string
	seconds float64 // of one call; of Monte Carlo, of one sample
	// error is the root mean square error of p_j over the problems; of Monte
	// Carlo, the root mean square standard deviation of one sample.
	error    float64
	bound    string // "< " where error is not measured but bounded
	sampling bool
}

// reach returns the time to reach an error; ok tells whether the method does.
func (r row) reach(tolerance float64) (seconds float64, ok bool) {
	if r.sampling {
		return r.seconds * max(1, r.error*r.error/(tolerance*tolerance)), true
	}
	return r.seconds, r.error <= tolerance
}

// measure compares the methods on random problems of n classes, means N(0, 2²)
// and variances uniform on [0, 2].
func measure(n int) []row {
	const problems = 8
	exact := make([]*softmax.Moments, problems)
	mean, variance := make([][]float64, problems), make([][]float64, problems)
	for k := range problems {
		mean[k], variance[k] = problem(n, k)
		exact[k] = softmax.NewMoments(n)
		softmax.Exact{}.Moments(exact[k], mean[k], variance[k])
	}
	time := func(f func(k int)) float64 {
		result := testing.Benchmark(func(b *testing.B) {
			for i := range b.N {
				f(i % problems)
			}
		})
		return result.T.Seconds() / float64(result.N)
	}
	deterministic := func(method string, a softmax.Approximation) row {
		m := softmax.NewMoments(n)
		var squares float64
		for k := range problems {
			a.Moments(m, mean[k], variance[k])
			for j, p := range m.P {
				squares += (p - exact[k].P[j]) * (p - exact[k].P[j])
			}
		}
		return row{
			classes: n, method: method, error: rms(squares, n*problems),
			seconds: time(func(k int) { a.Moments(m, mean[k], variance[k]) }),
		}
	}
	const samples = 200
	e := montecarlo.NewEstimate(n)
	src := random.Source("performance", n)
	var squares float64
	for k := range problems {
		e.Sample(mean[k], variance[k], 10*samples, src)
		for _, v := range e.Var {
			squares += v
		}
	}
	fast, accurate := deterministic("Exact, fast", softmax.Exact{Fast: true}), deterministic("Exact", softmax.Exact{})
	for _, r := range []*row{&fast, &accurate} {
		if r.error == 0 { // It is the truth here, as the fast setting is for many classes; its doc comment states the bound.
			r.error, r.bound = 1e-11, "< "
		}
	}
	return []row{
		deterministic("Probit, slope-matched λ", softmax.Probit{Lambda: softmax.SlopeLambda(n, 0.5), Rho: 0.5}),
		fast,
		accurate,
		{
			classes: n, method: "Monte Carlo, a sample", error: rms(squares, n*problems), sampling: true,
			seconds: time(func(k int) { e.Sample(mean[k], variance[k], samples, src) }) / samples,
		},
	}
}
