package classifier

import (
	"math"
	"slices"

	"closedform/internal/field"
	"closedform/internal/kernel"
)

const (
	mostScaled = 10    // largest scaled input
	mostLearnt = 1e100 // largest input that the scales follow, whose square does not overflow
)

// Scaling scales each input to z = (x − m)/s, limited to ±10, with the mean m and the standard deviation s of
// that input in the examples before; z is 0 where s is 0. The JSON value is the complete state.
type Scaling struct {
	Seen    int       `json:"seen"`    // number of examples
	Mean    []float64 `json:"mean"`    // means m
	Squares []float64 `json:"squares"` // Σ(x − m)² = Seen s²
}

// NewScaling returns the scaling of inputs without examples, which makes all inputs 0.
func NewScaling(inputs int) *Scaling {
	return &Scaling{Mean: make([]float64, inputs), Squares: make([]float64, inputs)}
}

// Scale sets dst to the scaled x. The error of a bad x is an ExampleError.
func (s *Scaling) Scale(dst, x []float64) error {
	if err := field.Input(x, len(s.Mean)); err != nil {
		return err
	}
	for i, x := range x {
		dst[i] = 0
		if sd := math.Sqrt(s.Squares[i] / float64(s.Seen)); sd > 0 {
			dst[i] = max(-mostScaled, min(mostScaled, (x-s.Mean[i])/sd))
		}
	}
	return nil
}

// Observe learns the inputs of an example (Welford, "Note on a method for calculating corrected sums of squares
// and products", Technometrics 1962). An input beyond ±1e100 counts as this number.
func (s *Scaling) Observe(x []float64) {
	s.Seen++
	for i, x := range x {
		x = max(-mostLearnt, min(mostLearnt, x))
		d := x - s.Mean[i]
		s.Mean[i] += d / float64(s.Seen)
		s.Squares[i] += float64(d * (x - s.Mean[i]))
	}
}

// apply returns the scaled x, which dst is enlarged for. It returns x itself for nil, and a bad x, which the
// model is to refuse.
func (s *Scaling) apply(dst *[]float64, x []float64) []float64 {
	if s == nil {
		return x
	}
	if len(*dst) != len(s.Mean) {
		*dst = make([]float64, len(s.Mean))
	}
	if s.Scale(*dst, x) != nil {
		return x
	}
	return *dst
}

func (s *Scaling) clone() *Scaling {
	if s == nil {
		return nil
	}
	return &Scaling{s.Seen, slices.Clone(s.Mean), slices.Clone(s.Squares)}
}

// fits reports whether the scaling can be that of examples with this number of inputs.
func (s *Scaling) fits(inputs int) bool {
	good := s.Seen >= 0 && len(s.Mean) == inputs && len(s.Squares) == inputs
	for _, square := range s.Squares {
		good = good && square >= 0 && (square == 0 || s.Seen > 0)
	}
	return good && kernel.Finite(s.Mean...) && kernel.Finite(s.Squares...)
}
