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

// near says how test images are changed, by degrees.
type near struct {
	Kind     string    `toml:"kind" allowed:"contrast, noise, overlay, rotation"`
	Degrees  []float64 `toml:"degrees" allowed:"a list of numbers"`
	Examples int       `toml:"examples,omitempty"` // the first of the test part; 0: all
}

// change sets dst to the image x of levels from 0 to 255, changed.
type change func(dst, x []float64, degree float64)

// changes are all kinds of changes of an image, with the smallest and the largest degree of each.
var changes = map[string]struct {
	least, most float64
	of          func(side int, rnd *rand.Rand) change
}{
	// A turn by so many degrees, anticlockwise.
	"rotation": {-360, 360, func(side int, _ *rand.Rand) change {
		return func(dst, x []float64, degree float64) {
			sin, cos := math.Sincos(degree * math.Pi / 180)
			middle := float64(side-1) / 2
			for i := range dst {
				v, u := float64(i/side)-middle, float64(i%side)-middle
				dst[i] = bilinear(x, side, middle+cos*v+sin*u, middle+cos*u-sin*v)
			}
		}
	}},
	// Normal noise of that deviation, white being 1.
	"noise": {0, 10, func(_ int, rnd *rand.Rand) change {
		return func(dst, x []float64, degree float64) {
			for i, level := range x {
				dst[i] = level + white*degree*random.Normal(rnd)
			}
		}
	}},
	// All levels go that share of the way to their mean.
	"contrast": {0, 1, func(int, *rand.Rand) change {
		return func(dst, x []float64, degree float64) {
			mean := kernel.Sum(x) / float64(len(x))
			for i, level := range x {
				dst[i] = level + degree*(mean-level)
			}
		}
	}},
	// The image before it shines through, by that share.
	"overlay": {0, 1, func(side int, _ *rand.Rand) change {
		before := make([]float64, side*side)
		return func(dst, x []float64, degree float64) {
			for i, level := range x {
				dst[i] = max(level, degree*before[i])
			}
			copy(before, x)
		}
	}},
}

const white = 255

func (n *near) Validate() error {
	c, ok := changes[n.Kind]
	switch {
	case !ok:
		return field.Errorf("kind", "%q is not allowed; allowed: %s", n.Kind, strings.Join(slices.Sorted(maps.Keys(changes)), ", "))
	case n.Examples < 0:
		return field.Errorf("examples", "%d is not allowed; allowed: 0 for all, or more", n.Examples)
	}
	return field.AllWithin("degrees", n.Degrees, c.least, c.most)
}

// of returns the first test images, changed.
func (n *near) of(test *data.Examples, degree float64, src rand.Source) *data.Examples {
	rows := make([]int, min(cmp.Or(n.Examples, test.Len()), test.Len()))
	for i := range rows {
		rows[i] = i
	}
	f := changes[n.Kind].of(side(test.Inputs()), rand.New(src))
	return test.Subset(rows).Map(test.Inputs(), func(dst, x []float64) { f(dst, x, degree) })
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
