package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Scaling says how inputs are shifted and multiplied, x → (x − shift) · factor,
// by numbers that depend on the examples of a training part.
type Scaling string

const (
	// Standard gives each input the mean 0 and the variance 1 (dividing by the
	// number of examples). An input that is the same in all examples becomes 0.
	Standard Scaling = "standard"

	// Global shifts and multiplies all inputs alike, so that all values together
	// have the mean 0 and the variance 1.
	Global Scaling = "global"

	// Unit divides bytes by 255, and other numbers by the largest absolute value
	// of any input. It does not shift: a 0 stays a 0.
	Unit Scaling = "unit"

	// Centred is Unit, and then each input has the mean 0. Inputs that are rarely
	// other than 0 stay small, as they do not by Standard.
	Centred Scaling = "centred"

	// None leaves the inputs as they are.
	None Scaling = "none"
)

// Scalings returns the names of all scalings, sorted.
func Scalings() []string {
	return []string{string(Centred), string(Global), string(None), string(Standard), string(Unit)}
}

// Scaler shifts and multiplies inputs. The zero value leaves them as they are.
type Scaler struct {
	shift, factor []float64 // by input; nil: nothing to do
}

// Scaler returns the scaler of that kind that has been fitted to e. Numbers that
// do not vary in e are multiplied by 0. It returns an error if there is no such
// kind, or no example, or if a shift or factor overflows, which it does not
// for values and deviations between 1e-300 and 1e300.
func (e *Examples) Scaler(kind Scaling) (Scaler, error) {
	if !slices.Contains(Scalings(), string(kind)) {
		return Scaler{}, fmt.Errorf("dataset: no scaling %q; allowed: %s", kind, strings.Join(Scalings(), ", "))
	}
	if kind == None {
		return Scaler{}, nil
	}
	if e.Len() == 0 {
		return Scaler{}, fmt.Errorf("dataset: scaling %q has no examples to be fitted to", kind)
	}
	n := e.Inputs()
	s := Scaler{make([]float64, n), make([]float64, n)}
	switch kind {
	case Standard:
		mean, sd := e.moments()
		copy(s.shift, mean)
		for j := range sd {
			s.factor[j] = reciprocal(sd[j])
		}
	case Global:
		mean, sd := global(e.moments())
		fill(s.shift, mean)
		fill(s.factor, reciprocal(sd))
	case Centred:
		mean, _ := e.moments()
		copy(s.shift, mean)
		fill(s.factor, reciprocal(e.largest()))
	case Unit:
		fill(s.factor, reciprocal(e.largest()))
	}
	for j := range n {
		if sum := s.shift[j] + s.factor[j]; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return Scaler{}, fmt.Errorf("dataset: scaling %q overflows: input %d has the shift %g and the factor %g", kind, j+1, s.shift[j], s.factor[j])
		}
	}
	return s, nil
}

// Apply returns e scaled. The values are not copied: Input scales them, and gives
// an infinite number where that overflows. Apply panics if e has another number
// of inputs than the examples the scaler was fitted to.
func (s Scaler) Apply(e *Examples) *Examples {
	if s.factor == nil {
		return e
	}
	if e.Inputs() != len(s.factor) {
		panic(fmt.Sprintf("dataset: a scaler for %d inputs, applied to examples with %d", len(s.factor), e.Inputs()))
	}
	return &Examples{table: scaled{e.table, s}, row: e.row, class: e.class, classes: e.classes}
}

// scaled is a table whose numbers are scaled when they are asked for.
type scaled struct {
	table
	s Scaler
}

func (t scaled) put(dst []float64, row int) {
	t.table.put(dst, row)
	for j, shift := range t.s.shift {
		dst[j] = (dst[j] - shift) * t.s.factor[j]
	}
}

// moments returns mean and standard deviation of each input. The mean is updated
// example by example (Welford 1962) and corrected by the mean deviation from it,
// so it is right to its last digits, and that of equal numbers is the number. The
// deviations are divided by the largest before they are squared, so that neither
// large nor small ones are lost.
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
	largest := make([]float64, n)
	for j, m := range mean {
		largest[j] = max(high[j]-m, m-low[j])
	}
	deviation, square := make([]float64, n), make([]float64, n)
	for i := range e.Len() {
		e.Input(x, i)
		for j, v := range x {
			if largest[j] == 0 {
				continue
			}
			d := (v - mean[j]) / largest[j]
			deviation[j] += d
			square[j] += d * d
		}
	}
	count := float64(e.Len())
	for j := range mean {
		d := deviation[j] / count
		mean[j] += d * largest[j]
		sd[j] = largest[j] * math.Sqrt(square[j]/count-d*d)
	}
	return mean, sd
}

// global returns mean and standard deviation of all inputs together from those of
// each, σ² = (1/n) Σ_j [σ_j² + (m_j − m)²].
func global(means, sds []float64) (mean, sd float64) {
	for j, m := range means {
		mean += (m - mean) / float64(j+1)
	}
	deviation := make([]float64, len(means))
	for j, m := range means {
		deviation[j] = math.Hypot(sds[j], m-mean)
	}
	return mean, floats.Norm(deviation, 2) / math.Sqrt(float64(len(means)))
}

// largest returns the largest absolute value that an input has, or can have if
// all are bytes.
func (e *Examples) largest() float64 {
	if _, ok := e.table.(*byteTable); ok {
		return math.MaxUint8
	}
	var largest float64
	x := make([]float64, e.Inputs())
	for i := range e.Len() {
		e.Input(x, i)
		largest = max(largest, floats.Norm(x, math.Inf(1)))
	}
	return largest
}

// reciprocal returns 1/v, or 0 for 0.
func reciprocal(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 1 / v
}

func fill(dst []float64, v float64) {
	for j := range dst {
		dst[j] = v
	}
}
