package posterior

import (
	"fmt"
	"testing"

	"closedform/core/random"
)

// BenchmarkToy is one point of a stream of the paper's experiment: a posterior
// sample, and its predictive on a 20×20 grid.
func BenchmarkToy(b *testing.B) {
	for _, n := range []int{100, 400} {
		x, class := wedges(n, random.Source("bench"))
		b.Run(fmt.Sprintf("importance/%d", n), func(b *testing.B) { benchmarkToy(b, x, class, Importance{}) })
		b.Run(fmt.Sprintf("hamiltonian/%d", n), func(b *testing.B) { benchmarkToy(b, x, class, Hamiltonian{}) })
	}
}

func benchmarkToy(b *testing.B, x [][]float64, class []int, sampler Sampler) {
	grid := square(20)
	var ess, noise float64
	for k := 0; b.Loop(); k++ {
		p, err := NewProblem(Model{Layers: []int{2, 3}}, x, class)
		if err != nil {
			b.Fatal(err)
		}
		s, err := sampler.Sample(p, random.Source("bench", k))
		if err != nil {
			b.Fatal(err)
		}
		ess, noise = s.ESS, 0
		var dst Prediction
		for _, at := range grid {
			if err := s.Predict(&dst, at); err != nil {
				b.Fatal(err)
			}
			for _, e := range dst.Err {
				noise += e / 2 * 0.8 / float64(len(grid)) // E|N(0,1)| = 0.8
			}
		}
	}
	b.ReportMetric(ess, "ESS")
	b.ReportMetric(noise, "TV-noise")
}

func BenchmarkPredict(b *testing.B) {
	for _, layers := range [][]int{{2, 3}, {2, 8, 3}} {
		b.Run(fmt.Sprint(layers), func(b *testing.B) {
			x, class := wedges(10, random.Source("bench"))
			p, err := NewProblem(Model{Layers: layers, Bias: true}, x, class)
			if err != nil {
				b.Fatal(err)
			}
			s, err := Importance{MinESS: 1}.Sample(p, random.Source("bench"))
			if err != nil {
				b.Fatal(err)
			}
			var dst Prediction
			for b.Loop() {
				if err := s.Predict(&dst, x[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLogDensity(b *testing.B) {
	for _, layers := range [][]int{{2, 3}, {2, 8, 3}} {
		x, class := wedges(100, random.Source("bench"))
		p, err := NewProblem(Model{Layers: layers}, x, class)
		if err != nil {
			b.Fatal(err)
		}
		w, grad := make([]float64, len(p.Model().PriorVar)), make([]float64, len(p.Model().PriorVar))
		for i := range w {
			w[i] = float64(i%3) - 0.9
		}
		b.Run(fmt.Sprint(layers, "/value"), func(b *testing.B) {
			for b.Loop() {
				p.LogDensity(nil, w)
			}
		})
		b.Run(fmt.Sprint(layers, "/gradient"), func(b *testing.B) {
			for b.Loop() {
				p.LogDensity(grad, w)
			}
		})
	}
}
