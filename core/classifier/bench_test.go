package classifier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// benchmark measures an operation on defaults of several sizes, each after some examples. The documentation says
// what its output was.
func benchmark(b *testing.B, operation func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func()) {
	for _, size := range []struct {
		classes, inputs, examples int
		images                    bool
	}{
		{2, 7, 3000, false},
		{10, 64, 3000, false},
		{10, 784, 1000, true},
		{100, 20, 3000, false},
		{1000, 800, 300, false},
	} {
		b.Run(fmt.Sprintf("classes=%d/inputs=%d", size.classes, size.inputs), func(b *testing.B) {
			o := Options{Inputs: size.inputs, Classes: size.classes, Images: size.images}
			c, rnd := check.Must(New(o, random.Source("benchmark"))), rand.New(random.Source("examples"))
			draw := func() ([]float64, int) {
				class := rnd.IntN(size.classes)
				x := random.Normals(rnd, size.inputs)
				for j := range x {
					x[j] = (x[j] + float64((class+j)%size.classes)*4/float64(size.classes)) / 2
				}
				return x, class
			}
			for range size.examples {
				check.OK(b, c.Learn(draw()))
			}
			run := operation(b, c, draw)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

func BenchmarkLearn(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func() {
		return func() { check.OK(b, c.Learn(draw())) }
	})
}

func BenchmarkSnapshot(b *testing.B) {
	benchmark(b, func(_ *testing.B, c *Classifier, _ func() ([]float64, int)) func() {
		return func() { check.Must(c.Snapshot()) }
	})
}

// The prediction of a snapshot.
func BenchmarkPredict(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func() {
		s, p := check.Must(c.Snapshot()), new(Prediction)
		x, _ := draw()
		return func() { check.OK(b, s.Predict(p, x)) }
	})
}

func BenchmarkSave(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, _ func() ([]float64, int)) func() {
		return func() {
			var file bytes.Buffer
			check.OK(b, c.Save(&file))
			b.ReportMetric(float64(file.Len())/1e6, "MB/file")
		}
	})
}
