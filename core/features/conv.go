package features

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

const (
	width   = 7 // of a filter, in pixels
	taps    = width * width
	windows = 4                     // in a row
	pooled  = 2 * windows * windows // features of a filter
)

// pooling has the windows of an image, along one side.
type pooling struct {
	side   int
	places int                // of a filter
	weight [windows][]float64 // of each place, 1 in total
}

// responses are the responses of a filter at all places, in rows as long as those of the image; what is
// beyond the places has no meaning.
type responses struct {
	image              []float64
	positive, negative []float64
	row                []float64 // pooled over the rows
}

func (m *Map) newConv(rnd *rand.Rand) error {
	side := int(math.Sqrt(float64(m.Inputs)))
	if side*side != m.Inputs || side <= width {
		return field.Errorf("features", "%q is not allowed with %d inputs; allowed: square images from 8×8",
			Conv, m.Inputs)
	}
	if m.Size%pooled != 0 {
		return field.Errorf("feature_size", "%d is not allowed with features = %q; allowed: a multiple of %d",
			m.Size, Conv, pooled)
	}
	for range m.Size / pooled {
		m.weights = append(m.weights, filter(rnd)...)
	}
	p := &pooling{side: side, places: side - width + 1}
	for a := range p.weight {
		center := (float64(a)+0.5)*float64(side)/windows - 0.5
		for place := range p.places {
			z := (float64(place+width/2) - center) / (float64(side) / 8)
			p.weight[a] = append(p.weight[a], kernel.Exp(-0.5*z*z))
		}
		sum := kernel.Sum(p.weight[a])
		for place := range p.places {
			p.weight[a][place] /= sum
		}
	}
	m.conv = p
	return nil
}

// filter draws a filter of mean 0 and norm 1: white noise, blurred by a Gaussian of standard deviation
// 1 pixel that is cut off beyond 3.
func filter(rnd *rand.Rand) []float64 {
	const wide = 2*width - 1
	noise, blur := normal(rnd, wide*wide), [width]float64{}
	rows, w := make([]float64, wide*width), make([]float64, taps)
	for k := range width {
		d := float64(k - width/2)
		g := kernel.Exp(-0.5 * d * d)
		for i := range rows {
			rows[i] += float64(g * noise[i/width*wide+i%width+k])
		}
		blur[k] = g
	}
	for k, g := range blur {
		for i := range w {
			w[i] += float64(g * rows[i+k*width])
		}
	}
	floats.AddConst(-kernel.Sum(w)/taps, w)
	norm := kernel.Norm(w)
	for i := range w {
		w[i] /= norm
	}
	return w
}

func (m *Map) applyConv(dst, x []float64) {
	numbers, side := func(n int) []float64 { return make([]float64, n) }, m.conv.side
	long := m.conv.places * side
	r := &responses{slices.Clone(x), numbers(long), numbers(long), numbers(side)}
	floats.AddConst(-x[0], r.image) // nothing is left of one grey
	for k := range m.Size / pooled {
		r.filter(m.conv, m.weights[k*taps:][:taps])
		r.pool(dst[k*pooled:], m.conv, r.positive)
		r.pool(dst[k*pooled+pooled/2:], m.conv, r.negative)
	}
	mean := kernel.Sum(dst) / float64(m.Size)
	if mean == 0 {
		return
	}
	for i, v := range dst {
		dst[i] = math.Sqrt(v / mean)
	}
}

// filter sets the responses to those of the filter w, in one long row: at the end of each row of the
// image the filter reaches into the next.
func (r *responses) filter(p *pooling, w []float64) {
	long := len(r.positive) - width + 1
	sum := r.positive[:long]
	clear(sum)
	from := func(tap int) []float64 { return r.image[tap/width*p.side+tap%width:] }
	for t := 0; t < taps-1; t += 4 {
		kernel.AddScaled4(sum, (*[4]float64)(w[t:]), from(t), from(t+1), from(t+2), from(t+3))
	}
	kernel.AddScaled(sum, w[taps-1], from(taps-1))
	for i, v := range sum {
		r.positive[i], r.negative[i] = max(0, v), max(0, -v)
	}
}

// pool sets dst to the responses in each window.
func (r *responses) pool(dst []float64, p *pooling, responses []float64) {
	for a, down := range p.weight {
		clear(r.row)
		kernel.AddRows(r.row, down, responses)
		for b, along := range p.weight {
			dst[a*windows+b] = kernel.Dot(along, r.row)
		}
	}
}

// normal draws n numbers.
func normal(rnd *rand.Rand, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = random.Normal(rnd)
	}
	return all
}
