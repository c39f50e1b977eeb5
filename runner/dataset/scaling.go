package dataset

import (
	"fmt"
	"math"
	"slices"

	"closedform/internal/field"
)

// Scaling says how inputs are scaled, x → (x − shift) · factor. Shifts and factors are fitted to the training
// part. "" stands for Standard for CSV files, Unit for images, None for generators.
type Scaling string

const (
	// Standard gives each number the mean 0 and the variance 1, by division by the number of examples;
	// constants become 0. It gives the inputs of a column of words the mean 0, and variances whose sum is 1, so
	// that a rare word does not become a large input.
	Standard Scaling = "standard"
	// Unit makes the largest absolute value of all inputs 1, for images the value 255. A 0 stays 0.
	Unit Scaling = "unit"
	// Centred is Unit, but gives each input the mean 0. Inputs that are rarely other than 0 stay small.
	Centred Scaling = "centred"
	None    Scaling = "none" // leaves inputs as they are
	// Stream scales each input by the mean and the deviation of the examples before, see [classifier.Scaling].
	// It is not for images, nor for classes that come one after another.
	Stream Scaling = "stream"
)

// Words returns the words of all scalings.
func (Scaling) Words() []string { return field.Words(Standard, Unit, Centred, None, Stream) }

// Input is where an input comes from and how it is scaled: (x − Shift) · Factor.
type Input struct {
	Column string   `json:"column"`          // column of the table; x1, x2, … for images and generators
	Level  string   `json:"level,omitempty"` // the input is 1 for this word and 0 for others; empty: a number
	Fill   *float64 `json:"fill,omitempty"`  // replaces a missing value; nil: a missing value is an error
	Shift  float64  `json:"shift"`
	Factor float64  `json:"factor"`
}

func (in Input) String() string {
	if in.Level == "" {
		return in.Column
	}
	return in.Column + "=" + in.Level
}

// Scaler fills in missing inputs, shifts and multiplies. As JSON it can be kept for other tables.
type Scaler []Input

// plain returns inputs x1, x2, … that are not scaled.
func plain(inputs int) (s Scaler) {
	for j := range inputs {
		s = append(s, Input{Column: fmt.Sprint("x", j+1), Factor: 1})
	}
	return s
}

// Scaler returns the scaler of the given kind, fitted to the unscaled examples e. Inputs that do not vary in
// e become 0. With MissingMean, the means replace missing values. It returns an error if a shift or factor
// overflows, which does not happen for values and deviations between 1e-300 and 1e300.
func (e *Examples) Scaler(kind Scaling) (Scaler, error) {
	s, largest, variance := slices.Clone(e.inputs), 0.0, map[string]float64{} // variance: sum by column
	mean, sd := make([]float64, len(s)), make([]float64, len(s))
	for j, in := range s {
		x := e.values(j)
		mean[j], sd[j] = moments(x)
		variance[in.Column] += sd[j] * sd[j]
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
	}
	if e.pixels {
		largest = math.MaxUint8
	}
	for j := range s {
		in, unit := &s[j], largest
		if in.Fill != nil {
			in.Fill = &mean[j]
		}
		switch kind {
		case None, Stream: // the classifier scales along the stream
			continue
		case Centred:
			in.Shift = mean[j]
		case Standard:
			in.Shift, unit = mean[j], sd[j]
			if in.Level != "" && unit != 0 {
				unit = math.Sqrt(variance[in.Column])
			}
			if isConstant(mean[j], unit) {
				unit = 0
			}
		}
		if in.Factor = 0; unit != 0 {
			in.Factor = 1 / unit
		}
		if sum := in.Shift + in.Factor; sum-sum != 0 {
			return nil, fmt.Errorf("scaling %q overflows: input %d has the shift %g and the factor %g",
				kind, j+1, in.Shift, in.Factor)
		}
	}
	return s, nil
}

// Apply returns the examples with their inputs scaled. It panics if they were scaled before, or have another
// number of inputs than the examples that the scaler was fitted to.
func (s Scaler) Apply(e *Examples) *Examples {
	if e.Inputs() != len(s) || e.scaler != nil {
		panic(fmt.Sprintf("dataset: a scaler for %d inputs, applied to examples with %d, or scaled before",
			len(s), e.Inputs()))
	}
	scaled := *e
	scaled.scaler = s
	return &scaled
}

func (s Scaler) scale(x []float64) {
	for j, in := range s {
		if in.Fill != nil && math.IsNaN(x[j]) {
			x[j] = *in.Fill
		}
		x[j] = (x[j] - in.Shift) * in.Factor
	}
}

// isConstant reports whether an input varies by no more than rounding errors: a billionth of its mean.
func isConstant(mean, sd float64) bool { return sd <= 1e-9*math.Abs(mean) }

// values returns the values of input j without the missing ones.
func (e *Examples) values(j int) []float64 {
	x := make([]float64, 0, e.Len())
	for _, r := range e.rows {
		if r.pixels != nil {
			x = append(x, float64(r.pixels[j]))
		} else if !math.IsNaN(r.number[j]) {
			x = append(x, r.number[j])
		}
	}
	return x
}

// moments returns the mean and standard deviation of x, 0 if x is empty. The mean is updated value by value
// (Welford 1962) and corrected by the mean deviation from it: it is right to its last digits, and the mean of
// equal numbers is that number. Deviations are divided by the largest before they are squared: none is lost.
func moments(x []float64) (mean, sd float64) {
	for i, v := range x {
		mean += (v - mean) * (1 / float64(i+1))
	}
	var largest, sum, squares float64
	for _, v := range x {
		largest = max(largest, math.Abs(v-mean))
	}
	if largest == 0 {
		return mean, 0
	}
	for _, v := range x {
		d := (v - mean) / largest
		sum += d
		squares += d * d
	}
	n := float64(len(x))
	d := sum / n
	return mean + d*largest, largest * math.Sqrt(squares/n-d*d)
}
