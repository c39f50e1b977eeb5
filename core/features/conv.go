package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

const (
	width   = 7 // pixels along an edge of a filter
	taps    = width * width
	windows = 4                     // pooling windows along an edge of an image
	pooled  = 2 * windows * windows // features of one filter
	typical = 0.3                   // share of the mean energy that is added to the energy of each place
)

type pooling struct {
	side   int
	places int                // places of a filter along an edge of the image
	weight [windows][]float64 // weight of each place in a window, 1 in total
}

func (m *Map) newConv(rnd *rand.Rand) error {
	side := int(math.Sqrt(float64(m.Inputs)))
	if side*side != m.Inputs || side <= width {
		return field.Refuse(true, "features", Conv, fmt.Sprintf("square images from 8×8, not %d inputs", m.Inputs))
	}
	if m.Size%pooled != 0 {
		return field.Refuse(true, "feature_size", m.Size, fmt.Sprintf("a multiple of %d for %q", pooled, Conv))
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
		floats.Scale(1/kernel.Sum(p.weight[a]), p.weight[a])
	}
	m.conv = p
	return nil
}

// filter draws a filter of mean 0 and norm 1: white noise blurred by a Gaussian (standard deviation 1 pixel,
// cut off beyond 3) and centred, under a Gaussian window of standard deviation 2.
func filter(rnd *rand.Rand) []float64 {
	const wide = 2*width - 1
	noise, blur, window := random.Normals(rnd, wide*wide), [width]float64{}, make([]float64, taps)
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
	for i := range window {
		window[i] = math.Sqrt(math.Sqrt(blur[i/width] * blur[i%width]))
	}
	floats.AddConst(-kernel.Dot(window, w)/kernel.Sum(window), w)
	floats.Mul(w, window)
	floats.Scale(1/kernel.Norm(w), w)
	return w
}

// applyConv sets dst to the features of x. The responses r_k of the filters at a place are divided by √(e +
// 0.3 ē), where e = Σ r_k² at the place and ē is its mean over the places (Heeger 1992).
func (m *Map) applyConv(dst, x []float64) {
	p, filters := m.conv, m.Size/pooled
	size := p.places * p.side
	image, responses, energy := slices.Clone(x), make([]float64, filters*size), make([]float64, size)
	floats.AddConst(-x[0], image) // an image of one grey becomes exactly zero
	for k := range filters {
		r := responses[k*size:][:size]
		p.filter(r, image, m.weights[k*taps:][:taps])
		for i, v := range r {
			energy[i] += float64(v * v)
		}
	}
	mean := 0.0
	for row := range slices.Chunk(energy, p.side) {
		mean += kernel.Sum(row[:p.places]) / float64(p.places*p.places)
	}
	if clear(dst); mean == 0 {
		return
	}
	for i, e := range energy {
		energy[i] = 1 / math.Sqrt(e+float64(typical*mean))
	}
	positive, negative, row := make([]float64, size), make([]float64, size), make([]float64, p.side)
	for k := range filters {
		for i, v := range responses[k*size:][:size] {
			v *= energy[i]
			positive[i], negative[i] = max(0, v), max(0, -v)
		}
		p.pool(dst[k*pooled:], positive, row)
		p.pool(dst[k*pooled+pooled/2:], negative, row)
	}
	mean = kernel.Sum(dst) / float64(m.Size)
	for i, v := range dst {
		dst[i] = math.Sqrt(v / mean)
	}
}

// filter sets dst to the responses of w at all places, in rows as long as those of the image. Values beyond
// the places, where the filter wraps into the next row, are meaningless.
func (p *pooling) filter(dst, image, w []float64) {
	sum := dst[:len(dst)-width+1]
	from := func(tap int) []float64 { return image[tap/width*p.side+tap%width:] }
	for t := 0; t < taps-1; t += 4 {
		kernel.AddScaled4(sum, (*[4]float64)(w[t:]), from(t), from(t+1), from(t+2), from(t+3))
	}
	kernel.AddScaled(sum, w[taps-1], from(taps-1))
}

func (p *pooling) pool(dst, responses, row []float64) {
	for a, vertical := range p.weight {
		clear(row)
		kernel.AddRows(row, vertical, responses)
		for b, horizontal := range p.weight {
			dst[a*windows+b] = kernel.Dot(horizontal, row)
		}
	}
}
