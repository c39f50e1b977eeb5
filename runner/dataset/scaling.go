package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"closedform/internal/field"
)

// Scaling says how inputs are shifted and multiplied, x → (x − shift) · factor, by what
// a training part has. "" stands for Standard for CSV, Unit for images, None for tasks.
type Scaling string

const (
	// Standard: each number has the mean 0 and the variance 1, dividing by the number of examples; constants
	// become 0. The inputs of a column of words have the means 0, and variances whose sum is 1, so that a rare
	// word is no large input.
	Standard Scaling = "standard"
	// Unit: the largest absolute value of all becomes 1, that of images being 255; a 0 stays a 0.
	Unit Scaling = "unit"
	// Centred: Unit, and then each input has the mean 0: those that are rarely other than 0 stay small.
	Centred Scaling = "centred"
	None    Scaling = "none" // as they are
)

// Validate returns an error unless there is such a scaling.
func (s Scaling) Validate() error {
	return field.OneOf("scale", cmp.Or(s, None), Standard, Unit, Centred, None)
}

// Scaler fills in missing inputs, shifts and multiplies: (x − shift) · factor. The zero value leaves inputs
// as they are. It can be kept as JSON, for new rows of the table.
type Scaler struct {
	Features []Feature `json:"features,omitempty"` // by input; of tables only
	Fill     []float64 `json:"fill,omitempty"`     // what stands for a missing value; nil: there are none
	Shift    []float64 `json:"shift,omitempty"`    // nil: nothing to do
	Factor   []float64 `json:"factor,omitempty"`
}

// Scaler returns the scaler of that kind, fitted to e. Inputs that do not vary in e become 0. With
// MissingMean, it fills in the means of e before scaling. It returns an error without examples, or if a shift
// or factor overflows, which it does not for values and deviations between 1e-300 and 1e300.
func (e *Examples) Scaler(kind Scaling) (s Scaler, err error) {
	s.Features = e.values.features
	if e.values.impute {
		s.Fill, _, _ = e.moments()
		e = s.Apply(e)
	}
	if kind == None {
		return s, nil
	}
	if e.Len() == 0 {
		return Scaler{}, fmt.Errorf("scaling %q has no examples to be fitted to", kind)
	}
	shift, sd, largest := e.moments()
	switch kind {
	case Standard:
		shareDeviation(sd, s.Features)
	case Unit:
		clear(shift)
		fallthrough
	default:
		sd = slices.Repeat([]float64{largest}, len(shift))
	}
	factor := make([]float64, len(sd))
	for j, v := range sd {
		if v != 0 && !(kind == Standard && isConstant(shift[j], v)) {
			factor[j] = 1 / v
		}
		if sum := shift[j] + factor[j]; sum-sum != 0 {
			return Scaler{}, fmt.Errorf("scaling %q overflows: input %d has the shift %g and the factor %g",
				kind, j+1, shift[j], factor[j])
		}
	}
	s.Shift, s.Factor = shift, factor
	return s, nil
}

// shareDeviation gives all inputs of a column of words one deviation, the root of the sum of their variances.
func shareDeviation(sd []float64, features []Feature) {
	variance := map[string]float64{}
	for j, f := range features {
		variance[f.Column] += sd[j] * sd[j]
	}
	for j, f := range features {
		if f.Level != "" && sd[j] != 0 {
			sd[j] = math.Sqrt(variance[f.Column])
		}
	}
}

// Apply returns e scaled, by Input. It panics if e has been scaled before, or has another number of inputs
// than the examples the scaler was fitted to.
func (s Scaler) Apply(e *Examples) *Examples {
	n := max(len(s.Fill), len(s.Factor))
	if n == 0 {
		return e
	}
	if e.Inputs() != n || e.scaler.Fill != nil || e.scaler.Factor != nil {
		panic(fmt.Sprintf("dataset: a scaler for %d inputs, applied to examples with %d, or scaled before",
			n, e.Inputs()))
	}
	scaled := *e
	scaled.scaler = s
	return &scaled
}

// scale scales inputs.
func (s Scaler) scale(x []float64) {
	for j, fill := range s.Fill {
		if math.IsNaN(x[j]) {
			x[j] = fill
		}
	}
	for j, shift := range s.Shift {
		x[j] = (x[j] - shift) * s.Factor[j]
	}
}

// isConstant reports whether an input varies by no more than rounding errors, a billionth of its mean.
func isConstant(mean, sd float64) bool { return sd <= 1e-9*math.Abs(mean) }

// moments returns mean and standard deviation of each input where it has a value, 0 without any, and the
// largest absolute value of all. The mean is updated example by example (Welford 1962) and corrected by the
// mean deviation from it: it is right to its last digits, and that of equal numbers is the number. Deviations
// are divided by the largest before they are squared, so that none is lost.
func (e *Examples) moments() (mean, sd []float64, largest float64) {
	n := e.Inputs()
	x, count := make([]float64, n), make([]float64, n)
	mean, sd = make([]float64, n), make([]float64, n)
	low, high := slices.Repeat([]float64{math.Inf(1)}, n), slices.Repeat([]float64{math.Inf(-1)}, n)
	for i := range e.Len() {
		e.Input(x, i)
		for j, v := range x {
			if !math.IsNaN(v) {
				count[j]++
				mean[j] += (v - mean[j]) * (1 / count[j])
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	}
	spread, deviation, square := make([]float64, n), make([]float64, n), make([]float64, n)
	for j, m := range mean {
		spread[j] = max(high[j]-m, m-low[j])
		largest = max(largest, high[j], -low[j])
	}
	for i := range e.Len() {
		e.Input(x, i)
		for j, v := range x {
			if spread[j] != 0 && !math.IsNaN(v) {
				d := (v - mean[j]) / spread[j]
				deviation[j] += d
				square[j] += d * d
			}
		}
	}
	for j, n := range count {
		if n > 0 {
			d := deviation[j] / n
			mean[j] += d * spread[j]
			sd[j] = spread[j] * math.Sqrt(square[j]/n-d*d)
		}
	}
	if e.values.pixels != nil {
		largest = math.MaxUint8
	}
	return mean, sd, largest
}
