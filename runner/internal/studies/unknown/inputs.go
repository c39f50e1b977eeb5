package unknown

import (
	"math"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
)

// inputs says which inputs are left to learn and to predict from. Foreign images light
// pixels that no digit does, which any model of the pixels sees: what is left of a score
// where they are taken away is what it has to say of shapes.
type inputs struct {
	Name    string   `toml:"name" allowed:"a text"`
	Lit     float64  `toml:"lit,omitempty"`     // not zero in more than this share of training examples
	Box     int      `toml:"box,omitempty"`     // of an image the middle, so many pixels a side
	Methods []string `toml:"methods,omitempty"` // those that it is for; none: all

	Scale dataset.Scaling `toml:"scale,omitempty" json:",omitempty"` // how these inputs are scaled; empty: as [data] says
}

// all stands for every input.
const all = "all"

func (n *inputs) Validate() error {
	switch {
	case n.Name == "":
		return field.Errorf("name", "missing")
	case n.Lit != 0 && n.Box != 0:
		return field.Errorf("box", "allowed: one of lit and box")
	case n.Box < 0:
		return field.Errorf("box", "%d is not allowed; allowed: 1 or more pixels a side", n.Box)
	}
	if n.Scale != "" {
		if err := n.Scale.Validate(); err != nil {
			return err
		}
	}
	return field.Fraction("lit", n.Lit)
}

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

// only returns examples with those inputs.
func only(e *data.Examples, kept []int) *data.Examples {
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
