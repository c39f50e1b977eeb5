package unknown

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
)

// inputs says which inputs are left to learn and to predict from. Foreign images light
// pixels that no digit does, which any model of the pixels sees: what is left of a score
// where they are taken away is what it has to say of shapes.
type inputs struct {
	Name    string   `toml:"name" allowed:"a text"`
	Lit     float64  `toml:"lit,omitempty"`     // not zero in more than this share of training examples
	Box     int      `toml:"box,omitempty"`     // in the middle of an image, so many pixels a side
	Methods []string `toml:"methods,omitempty"` // those that it is for; none: all
}

// all stands for every input.
const all = "all"

func (n *inputs) Validate() error { return field.Fraction("lit", n.Lit) }

// kept returns the numbers of the inputs that are left, by what the training part has.
func (n *inputs) kept(train *data.Examples) (kept []int) {
	side := side(train.Inputs())
	margin := (side - n.Box) / 2
	inside := func(j int) bool { return margin <= j && j < margin+n.Box }
	lit, x := make([]int, train.Inputs()), make([]float64, train.Inputs())
	for i := 0; n.Lit != 0 && i < train.Len(); i++ {
		train.Input(x, i)
		for j, level := range x {
			if level != 0 {
				lit[j]++
			}
		}
	}
	for j, times := range lit {
		if (n.Lit == 0 || float64(times) > n.Lit*float64(train.Len())) && (n.Box == 0 || inside(j/side) && inside(j%side)) {
			kept = append(kept, j)
		}
	}
	return kept
}

// restricted returns examples with those inputs.
func restricted(e *data.Examples, kept []int) *data.Examples {
	if len(kept) == e.Inputs() {
		return e
	}
	return e.Map(len(kept), func(dst, x []float64) {
		for k, j := range kept {
			dst[k] = x[j]
		}
	})
}

// side returns that of a square image of so many pixels, 0 if it is none.
func side(pixels int) int {
	s := int(math.Sqrt(float64(pixels)))
	if s*s != pixels {
		return 0
	}
	return s
}

// near says how test images are changed, by degrees.
type near struct {
	Kind     string    `toml:"kind" allowed:"contrast, noise, overlay, rotation"`
	Degrees  []float64 `toml:"degrees" allowed:"a list of numbers"`
	Examples int       `toml:"examples,omitempty"` // the first of the test part; 0: all
}

// degrees are the smallest and the largest degree of each kind of change.
var degrees = map[string][2]float64{"rotation": {-360, 360}, "noise": {0, 10}, "contrast": {0, 1}, "overlay": {0, 1}}

const white = 255

// change returns what sets dst to an image x of levels from 0 to 255, changed.
func change(kind string, degree float64, side int, rnd *rand.Rand) func(dst, x []float64) {
	switch kind {
	case "rotation": // by so many degrees, anticlockwise
		sin, cos := math.Sincos(degree * math.Pi / 180)
		middle := float64(side-1) / 2
		return func(dst, x []float64) {
			for i := range dst {
				v, u := float64(i/side)-middle, float64(i%side)-middle
				dst[i] = bilinear(x, side, middle+cos*v+sin*u, middle+cos*u-sin*v)
			}
		}
	case "noise": // normal, of that deviation, white being 1
		return func(dst, x []float64) {
			for i, level := range x {
				dst[i] = level + white*degree*random.Normal(rnd)
			}
		}
	case "contrast": // all levels go that share of the way to their mean
		return func(dst, x []float64) {
			mean := kernel.Sum(x) / float64(len(x))
			for i, level := range x {
				dst[i] = level + degree*(mean-level)
			}
		}
	case "overlay": // the image before shines through, by that share
		before := make([]float64, side*side)
		return func(dst, x []float64) {
			for i, level := range x {
				dst[i] = max(level, degree*before[i])
			}
			copy(before, x)
		}
	}
	panic("unknown: no change " + kind)
}

func (n *near) Validate() error {
	d, ok := degrees[n.Kind]
	switch {
	case !ok:
		return field.Errorf("kind", "%q is not allowed; allowed: %s", n.Kind, strings.Join(slices.Sorted(maps.Keys(degrees)), ", "))
	case n.Examples < 0:
		return field.Errorf("examples", "%d is not allowed; allowed: 0 for all, or more", n.Examples)
	}
	return field.AllWithin("degrees", n.Degrees, d[0], d[1])
}

// of returns the first test images, changed.
func (n *near) of(test *data.Examples, degree float64, src rand.Source) *data.Examples {
	return test.First(cmp.Or(n.Examples, test.Len())).Map(test.Inputs(), change(n.Kind, degree, side(test.Inputs()), rand.New(src)))
}

// bilinear returns the level of an image at a row and a column, 0 outside of it.
func bilinear(x []float64, side int, row, column float64) (level float64) {
	top, left := math.Floor(row), math.Floor(column)
	for i := range 2 {
		for j := range 2 {
			r, c := int(top)+i, int(left)+j
			if r < 0 || r >= side || c < 0 || c >= side {
				continue
			}
			level += (1 - math.Abs(row-float64(r))) * (1 - math.Abs(column-float64(c))) * x[r*side+c]
		}
	}
	return level
}

// enlarged returns images in the middle of dark ones of that side, themselves of the side
// size, whose largest level is white.
func enlarged(e *data.Examples, size, full int) *data.Examples {
	small := side(e.Inputs())
	var largest float64
	x := make([]float64, e.Inputs())
	for i := range e.Len() {
		e.Input(x, i)
		largest = max(largest, floats.Max(x))
	}
	step, margin := float64(small)/float64(size), (full-size)/2
	at := func(i int) float64 { // of the middle of a pixel; those at the edge go on beyond it
		return min(max((float64(i-margin)+0.5)*step-0.5, 0), float64(small-1))
	}
	return e.Map(full*full, func(dst, x []float64) {
		for i := margin; i < margin+size; i++ {
			for j := margin; j < margin+size; j++ {
				dst[i*full+j] = white / largest * bilinear(x, small, at(i), at(j))
			}
		}
	})
}
