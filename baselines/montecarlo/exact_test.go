package montecarlo

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"closedform/core/random"
	"closedform/core/softmax"
)

// exact is a problem with the exact moments of its softmax.
type exact struct {
	mean, variance, p []float64
	e                 []float64 // E_ij for i < j, row by row
}

func readExact(t testing.TB) []exact {
	t.Helper()
	file, err := os.Open("testdata/softmax_exact.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment, r.FieldsPerRecord = '#', -1
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%d reference values: %v", len(records), err)
	}
	var out []exact
	for _, record := range records {
		row := make([]float64, len(record))
		for i, s := range record {
			if row[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		n := int(row[0])
		row = row[1:]
		out = append(out, exact{row[:n], row[n : 2*n], row[2*n : 3*n], row[3*n:]})
	}
	return out
}

func TestSampleAgainstExactMoments(t *testing.T) {
	for k, c := range readExact(t) {
		e := NewEstimate(len(c.p))
		e.Sample(c.mean, c.variance, 5000, random.Source("exact", k))
		check := func(name string, got, err, want float64) {
			// Where a rare sample carries the mean, its own error is not known.
			if z := (got - want) / err; want > 1e-3 && !(math.Abs(z) < 5) {
				t.Errorf("case %d: %s = %g ± %g, exact %g", k, name, got, err, want)
			}
		}
		pairs := c.e
		for i := range c.p {
			check(fmt.Sprintf("p_%d", i), e.P[i], e.PErr[i], c.p[i])
			for j := i + 1; j < len(c.p); j++ {
				check(fmt.Sprintf("E_%d%d", i, j), e.E.At(i, j), e.EErr.At(i, j), pairs[0])
				pairs = pairs[1:]
			}
		}
	}
}

// BenchmarkSameAccuracy compares the probit at the slope-matched λ with Monte
// Carlo of the same accuracy, over the problems with known exact moments:
//
//	error       root mean square of the error of the probit's p
//	samples     whose standard error of p is that error
//	mc/probit   ratio of the times of these samples and of the probit
//	mc/probit@1e-6  the same for a standard error of 1e-6, extrapolated
func BenchmarkSameAccuracy(b *testing.B) {
	for _, n := range []int{3, 10} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var cases []exact
			for _, c := range readExact(b) {
				if len(c.p) == n {
					cases = append(cases, c)
				}
			}
			probit := softmax.Probit{Lambda: softmax.SlopeLambda(n, 0.5), Rho: 0.5}
			m, e := softmax.NewMoments(n), NewEstimate(n)
			var square, variance, terms float64
			var sampling time.Duration
			const samples = 5000
			for k, c := range cases {
				src := random.Source("same accuracy", k)
				begin := time.Now()
				e.Sample(c.mean, c.variance, samples, src)
				sampling += time.Since(begin)
				probit.Moments(m, c.mean, c.variance)
				for j := range n {
					square += (m.P[j] - c.p[j]) * (m.P[j] - c.p[j])
					variance += e.Var[j]
					terms++
				}
			}
			perSample := sampling.Seconds() / float64(samples*len(cases))
			for b.Loop() {
				for _, c := range cases {
					probit.Moments(m, c.mean, c.variance)
				}
			}
			perProbit := b.Elapsed().Seconds() / float64(b.N*len(cases))
			needed := variance / square // Var s / error²
			b.ReportMetric(math.Sqrt(square/terms), "error")
			b.ReportMetric(needed, "samples")
			b.ReportMetric(needed*perSample/perProbit, "mc/probit")
			b.ReportMetric(variance/terms*1e12*perSample/perProbit, "mc/probit@1e-6")
			b.ReportMetric(1e9*perProbit, "ns/probit")
		})
	}
}
