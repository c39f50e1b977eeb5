package features

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
)

// image draws an image of a blob and noise.
func image(side int) []float64 {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, side*side)
	for i := range x {
		d := math.Hypot(float64(i/side)-float64(side)/2, float64(i%side)-float64(side)/3)
		x[i] = math.Exp(-d*d/9) + 0.1*rnd.Float64()
	}
	return x
}

func applied(t *testing.T, kind Kind, size int, seed uint64, x []float64) []float64 {
	t.Helper()
	m := check.Must(New(kind, len(x), size, seed))
	dst := make([]float64, size)
	m.apply(dst, x)
	return dst
}

// A map follows from what JSON has of it, and from its seed.
func TestMap(t *testing.T) {
	x := image(28)
	for _, kind := range []Kind{Relu, Conv} {
		want := applied(t, kind, 64, 7, x)
		check.True(t, !slices.Equal(want, applied(t, kind, 64, 8, x)), "%s: the seed has no effect", kind)
		var read Map
		check.OK(t, json.Unmarshal(check.Must(json.Marshal(check.Must(New(kind, len(x), 64, 7)))), &read))
		check.Refuses(t, "a map that was read", read.Standard(make([]float64, 64), x), "not complete")
		check.NearAll(t, string(kind), applied(t, read.Kind, read.Size, read.Seed, x), want, 0)
	}
}

// Conv features are those of a direct computation.
func TestConv(t *testing.T) {
	for _, side := range []int{8, 9, 28} {
		x := image(side)
		m := check.Must(New(Conv, len(x), 96, 3))
		window := func(a, place int) float64 {
			z := (float64(place) + 3 - ((float64(a)+0.5)*float64(side)/4 - 0.5)) / (float64(side) / 8)
			return math.Exp(-z * z / 2)
		}
		response := func(k, i, j int) (sum float64) {
			for tap, v := range m.weights[k*49:][:49] {
				sum += v * x[(i+tap/7)*side+j+tap%7]
			}
			return sum
		}
		energy, mean := make([]float64, side*side), 0.0
		for i := range side - 6 {
			for j := range side - 6 {
				for k := range 3 {
					energy[i*side+j] += response(k, i, j) * response(k, i, j)
				}
				mean += energy[i*side+j] / float64((side-6)*(side-6))
			}
		}
		want := make([]float64, 96)
		for k := range 3 {
			w := m.weights[k*49:][:49]
			check.NearAll(t, "sum, norm", []float64{floats.Sum(w), floats.Norm(w, 2)}, []float64{0, 1}, 1e-14)
			for f := range 32 {
				var pooled, total float64
				for i := range side - 6 {
					for j := range side - 6 {
						r := response(k, i, j) / math.Sqrt(energy[i*side+j]+0.3*mean)
						if f >= 16 {
							r = -r
						}
						weight := window(f%16/4, i) * window(f%4, j)
						pooled, total = pooled+weight*max(0, r), total+weight
					}
				}
				want[k*32+f] = pooled / total
			}
		}
		mean = floats.Sum(want) / 96
		for i, v := range want {
			want[i] = math.Sqrt(v / mean)
		}
		check.NearAll(t, fmt.Sprint(side, " pixels"), applied(t, Conv, 96, 3, x), want, 1e-10)
	}
}

// The scale of the pixels does not matter, and images without contrast have no features.
func TestConvScale(t *testing.T) {
	x := image(28)
	want := applied(t, Conv, 64, 1, x)
	for _, scale := range [][2]float64{{255, 0}, {1, -0.13}, {1e-3, 5}, {1e100, 1}} {
		y := slices.Clone(x)
		for i, v := range x {
			y[i] = scale[0]*v + scale[1]
		}
		check.NearAll(t, fmt.Sprint("scale ", scale), applied(t, Conv, 64, 1, y), want, 1e-8)
	}
	for _, grey := range []float64{0, -0.1307, 0.3, 1e200} {
		got := applied(t, Conv, 64, 1, slices.Repeat([]float64{grey}, 784))
		check.NearAll(t, fmt.Sprint("grey ", grey), got, make([]float64, 64), 0)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		inputs, size int
		want         string
	}{
		{"cosine", 4, 8, "features: \"cosine\" is not allowed; allowed: \"relu\", "},
		{Relu, 0, 8, "features: \"relu\" is not allowed; allowed: 1 to"},
		{Relu, 4, 0, "feature_size: 0 is not allowed; allowed: 1 to"},
		{Conv, 783, 32, "features: \"conv\" is not allowed; allowed: square"},
		{Conv, 49, 32, "allowed: square images from 8×8"},
		{Conv, 784, 500, "feature_size: 500 is not allowed; allowed: a multiple of 32"},
	} {
		m, err := New(c.kind, c.inputs, c.size, 1)
		check.Refuses(t, fmt.Sprint(c), err, c.want)
		check.True(t, m == nil, "%v: a map beside the error", c)
	}
}

// Relu features have weights of 8 inputs, or of an eighth of all, of variance 1 in total, biases of variance
// 1, and for standardised inputs means around 0 and variances around 1.
func TestRelu(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for inputs, used := range map[int]int{3: 3, 10: 8, 70: 8, 96: 12} {
		const size = 600
		m := check.Must(New(Relu, inputs, size, 3))
		name := fmt.Sprint(inputs, " inputs")
		for row := range slices.Chunk(m.weights, inputs) {
			check.Equal(t, name+": unused", floats.Count(func(w float64) bool { return w == 0 }, row), inputs-used)
		}
		check.Near(t, name+": weights", floats.Dot(m.weights, m.weights)/size, 1, 0.1)
		check.Near(t, name+": biases", floats.Dot(m.bias, m.bias)/size, 1, 0.12)
		var sum, squares float64
		x, y, want := make([]float64, inputs), make([]float64, size), make([]float64, size)
		for range 200 {
			x = random.Normals(rnd, inputs)
			check.OK(t, m.Standard(y, x))
			sum, squares = sum+floats.Sum(y)/200/size, squares+floats.Dot(y, y)/200/size
		}
		check.Near(t, name+": mean", sum, 0, 0.06)
		check.Near(t, name+": mean square", squares, 1, 0.12)
		for i, b := range m.bias {
			want[i] = (max(0, b+floats.Dot(m.weights[i*inputs:][:inputs], x)) - 0.564) / 0.826
		}
		check.NearAll(t, name, y, want, 1e-12)
	}
	x, y := image(28), make([]float64, 64)
	check.OK(t, check.Must(New(Conv, len(x), 64, 3)).Standard(y, x))
	floats.Scale(0.2, y)
	floats.AddConst(0.95, y)
	check.NearAll(t, "convolutions", y, applied(t, Conv, 64, 3, x), 1e-12)
}

// A model behind a map is the model on the features, and refuses what is no input of the map.
func TestModel(t *testing.T) {
	network := func() *bnn.Network { return check.Must(bnn.New(bnn.Default(6, 2), random.Source("features"))) }
	m, want := Model{check.Must(New(Relu, 3, 6, 3)), network()}, network()
	x, y := []float64{1, -2, 0.5}, make([]float64, 6)
	check.OK(t, m.Standard(y, x))
	check.Must(m.Observe(x, 1))
	check.Must(want.Observe(y, 1))
	var p, q bnn.Prediction
	check.OK(t, m.Predict(&p, x))
	check.OK(t, want.Predict(&q, y))
	in, out := m.Shape()
	check.Equal(t, "shape", [2]int{in, out}, [2]int{3, 2})
	check.NearAll(t, "P", p.P, q.P, 0)
	for _, x := range [][]float64{{1, 2}, {1, 2, math.Inf(1)}, {1e308, 1e308, 1e308}, {-1e308, -1e308, 1e308}} {
		failed := m.Predict(&p, x)
		check.True(t, failed != nil && math.IsNaN(p.P[0]), "%v: error %v, prediction %v", x, failed, p.P)
		u, err := m.Observe(x, 1)
		check.Equal(t, fmt.Sprint(x), fmt.Sprint(u.Action, err), fmt.Sprint(bnn.Refused, failed))
	}
	check.OK(t, m.Predict(&p, []float64{1, -2, 0.5}))
	check.True(t, slices.Equal(p.P, q.P), "what was refused has changed the model: %v, want %v", p.P, q.P)
	x[0] = 7
	check.OK(t, m.Predict(&p, x))
	x[0] = 1
	check.True(t, !slices.Equal(p.P, q.P), "other numbers in the same slice are predicted as before")
	check.OK(t, m.Before(&p, x))
	check.True(t, slices.Equal(p.P, q.P), "before learning %v, want %v", p.P, q.P)
}

// A snapshot predicts as the model did, also while the model learns on and after it has got a class.
func TestSnapshot(t *testing.T) {
	cfg := readout.Config{Kind: readout.Ridge, Inputs: 16, Classes: 3, Sequential: true}
	m := Model{check.Must(New(Relu, 3, 16, 3)), check.Must(readout.New(cfg))}
	x, class, _ := check.Clusters(300, 3, 3, "snapshot")
	for k := range 100 {
		check.Must(m.Observe(x[k], class[k]))
	}
	s, want := m.Snapshot(), make([]bnn.Prediction, 100)
	for k := range want {
		check.OK(t, s.Predict(&want[k], x[k]))
	}
	same := func() {
		var p bnn.Prediction
		for k := range want {
			err := s.Predict(&p, x[k])
			check.True(t, err == nil && slices.Equal(p.P, want[k].P), "%v, want %v", p.P, want[k].P)
		}
	}
	var busy sync.WaitGroup
	busy.Go(same)
	busy.Go(same)
	check.OK(t, m.AddClass())
	for k, x := range x {
		check.Must(m.Observe(x, class[k]))
	}
	busy.Wait()
}
