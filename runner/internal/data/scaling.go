package data

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/field"
)

// Scaling says how inputs are shifted and multiplied, x → (x − shift) · factor, by what
// a training part has. "" stands for Standard for CSV, Unit for images, None for tasks.
type Scaling string

const (
	// Standard: each input has the mean 0 and the variance 1, dividing by the number of
	// examples; constants become 0.
	Standard Scaling = "standard"
	// Unit: the largest absolute value of all becomes 1, that of images being 255; a 0
	// stays a 0.
	Unit Scaling = "unit"
	// Centred: Unit, and then each input has the mean 0: those that are rarely other than
	// 0 stay small.
	Centred Scaling = "centred"
	None    Scaling = "none" // as they are
)

// Validate returns an error unless there is such a scaling.
func (s Scaling) Validate() error {
	if !slices.Contains([]Scaling{"", Standard, Unit, Centred, None}, s) {
		return field.Errorf("scale", "%q is not allowed; allowed: standard, unit, centred, none", string(s))
	}
	return nil
}

// Scaler shifts and multiplies inputs. The zero value leaves them as they are.
type Scaler struct {
	shift, factor []float64 // by input; nil: nothing to do
}

// Scaler returns the scaler of that kind, fitted to e. Inputs that do not vary in e are
// multiplied by 0. It returns an error if there is no example, or if a shift or factor
// overflows, which it does not for values and deviations between 1e-300 and 1e300.
func (e *Examples) Scaler(kind Scaling) (Scaler, error) {
	if kind == None {
		return Scaler{}, nil
	}
	if e.Len() == 0 {
		return Scaler{}, fmt.Errorf("scaling %q has no examples to be fitted to", kind)
	}
	n := e.Inputs()
	s := Scaler{make([]float64, n), make([]float64, n)}
	var sd []float64
	if kind != Unit {
		s.shift, sd = e.moments()
	}
	if kind != Standard {
		sd = slices.Repeat([]float64{e.largest()}, n)
	}
	for j, v := range sd {
		if v != 0 {
			s.factor[j] = 1 / v
		}
		if sum := s.shift[j] + s.factor[j]; sum-sum != 0 {
			return Scaler{}, fmt.Errorf("scaling %q overflows: input %d has the shift %g and the factor %g", kind, j+1, s.shift[j], s.factor[j])
		}
	}
	return s, nil
}

// Apply returns e scaled, by Input. It panics if e has been scaled before, or has
// another number of inputs than the examples the scaler was fitted to.
func (s Scaler) Apply(e *Examples) *Examples {
	if s.factor == nil {
		return e
	}
	if e.Inputs() != len(s.factor) || e.scaler.factor != nil {
		panic(fmt.Sprintf("data: a scaler for %d inputs, applied to examples with %d, or scaled before", len(s.factor), e.Inputs()))
	}
	scaled := *e
	scaled.scaler = s
	return &scaled
}

// moments returns mean and standard deviation of each input. The mean is updated
// example by example (Welford 1962) and corrected by the mean deviation from it: it is
// right to its last digits, and that of equal numbers is the number. Deviations are
// divided by the largest before they are squared, so that none is lost.
func (e *Examples) moments() (mean, sd []float64) {
	n := e.Inputs()
	x := make([]float64, n)
	mean, sd = make([]float64, n), make([]float64, n)
	e.Input(x, 0)
	low, high := slices.Clone(x), slices.Clone(x)
	for i := range e.Len() {
		e.Input(x, i)
		weight := 1 / float64(i+1)
		for j, v := range x {
			mean[j] += (v - mean[j]) * weight
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	deviation, square := make([]float64, n), make([]float64, n)
	for i := range e.Len() {
		e.Input(x, i)
		for j, v := range x {
			if largest := max(high[j]-mean[j], mean[j]-low[j]); largest != 0 {
				d := (v - mean[j]) / largest
				deviation[j] += d
				square[j] += d * d
			}
		}
	}
	count := float64(e.Len())
	for j, m := range mean {
		largest, d := max(high[j]-m, m-low[j]), deviation[j]/count
		mean[j] += d * largest
		sd[j] = largest * math.Sqrt(square[j]/count-d*d)
	}
	return mean, sd
}

// largest returns the largest absolute value of all inputs, or that images can have.
func (e *Examples) largest() (largest float64) {
	if e.values.pixels != nil {
		return math.MaxUint8
	}
	x := make([]float64, e.Inputs())
	for i := range e.Len() {
		e.Input(x, i)
		largest = max(largest, floats.Norm(x, math.Inf(1)))
	}
	return largest
}
