package checkpoint

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/readout"
)

// layerEntries returns those of an output layer.
func layerEntries(prefix string, l *readout.Layer) ([]entry, error) {
	s, c := l.State(), l.Config()
	text, err := json.Marshal(c)
	all := append([]entry{{prefix + "readout", string(text)}}, stateEntries(prefix, c, s)...)
	if s.Earlier != nil {
		all = append(all, stateEntries(prefix+"earlier_", c, *s.Earlier)...)
	}
	return all, err
}

func stateEntries(prefix string, c readout.Config, s readout.State) []entry {
	all := []entry{
		{prefix + "count", mat.NewDense(1, c.Classes, numbers(s.Count))},
		{prefix + "sum", mat.NewDense(c.Classes, c.Inputs, s.Sum)},
		{prefix + "scatter", mat.NewDense(scatters(c), triangle(c), s.Scatter)},
	}
	if kept := len(s.KeptClass); kept > 0 {
		all = append(all, entry{prefix + "kept_class", mat.NewDense(1, kept, numbers(s.KeptClass))}, entry{prefix + "kept", mat.NewDense(kept, c.Inputs, s.Kept)})
	}
	return all
}

// scatters returns how many triangles of sums of products a layer has, of triangle numbers each.
func scatters(c readout.Config) int {
	if c.Kind == readout.Gaussian {
		return c.Classes
	}
	return 1
}

func triangle(c readout.Config) int { return c.Inputs * (c.Inputs + 1) / 2 }

func numbers(of []int) []float64 {
	x := make([]float64, len(of))
	for i, n := range of {
		x[i] = float64(n)
	}
	return x
}

func (a *reader) layer(prefix string) (bnn.Model, error) {
	var c readout.Config
	if err := a.object(prefix, "readout", &c); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("readout: %w", err)
	}
	s, err := a.state(prefix, c)
	if err != nil {
		return nil, err
	}
	if earlier := prefix + "earlier_"; a.has(earlier + "count") {
		e, err := a.state(earlier, c)
		if err != nil {
			return nil, err
		}
		s.Earlier = &e
	}
	return readout.Restore(c, s)
}

func (a *reader) state(prefix string, c readout.Config) (s readout.State, err error) {
	matrix := func(name string, rows, cols int) (x []float64) {
		var m mat.Dense
		if err == nil {
			err = a.next(prefix+name, &m)
		}
		if r, n := m.Dims(); err == nil && (r != rows && rows > 0 || n != cols && cols > 0) {
			err = fmt.Errorf("entry %s: is %d×%d; need %d×%d", prefix+name, r, n, rows, cols)
		}
		return m.RawMatrix().Data
	}
	ints := func(x []float64) []int {
		of := make([]int, len(x))
		for i, v := range x {
			if of[i] = int(v); float64(of[i]) != v && err == nil {
				err = fmt.Errorf("readout: %g is no number of examples or classes", v)
			}
		}
		return of
	}
	s.Count, s.Sum = ints(matrix("count", 1, c.Classes)), matrix("sum", c.Classes, c.Inputs)
	s.Scatter = matrix("scatter", scatters(c), triangle(c))
	if a.has(prefix + "kept_class") {
		s.KeptClass = ints(matrix("kept_class", 1, 0))
		s.Kept = matrix("kept", len(s.KeptClass), c.Inputs)
	}
	return s, err
}
