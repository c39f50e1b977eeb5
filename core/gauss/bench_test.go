package gauss

import "testing"

// bench evaluates f at 256 points of [−6, 6] in each iteration, as a
// quadrature does, and reports the time per point.
func bench(b *testing.B, f func(x float64) float64) {
	var x, y [256]float64
	for i := range x {
		x[i] = -6 + 12*float64(i)/float64(len(x)-1)
	}
	for b.Loop() {
		for i, xi := range x {
			y[i] = f(xi)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/point")
}

func BenchmarkPDF(b *testing.B)           { bench(b, PDF) }
func BenchmarkCDF(b *testing.B)           { bench(b, CDF) }
func BenchmarkLogCDF(b *testing.B)        { bench(b, LogCDF) }
func BenchmarkHazard(b *testing.B)        { bench(b, Hazard) }
func BenchmarkTruncatedMean(b *testing.B) { bench(b, TruncatedMean) }
func BenchmarkTruncatedVar(b *testing.B)  { bench(b, TruncatedVar) }

func BenchmarkPDFCDF(b *testing.B) {
	bench(b, func(x float64) float64 {
		pdf, cdf := PDFCDF(x)
		return pdf + cdf
	})
}

func BenchmarkRectified(b *testing.B) {
	bench(b, func(x float64) float64 {
		prob, gap, variance := Rectified(x)
		return prob + gap + variance
	})
}
