package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/core/softmax"
)

// array returns a value, which is a string, an int64 or a *mat.Dense without gaps
// between its rows, as an array in version 2.0 of the .npy format.
func array(value any) []byte {
	var kind, shape string
	switch v := value.(type) {
	case int64:
		kind, shape = "<i8", "()"
	case string:
		runes := []rune(v) // UTF-32
		kind, shape, value = fmt.Sprint("<U", len(runes)), "()", runes
	case *mat.Dense:
		rows, cols := v.Dims()
		kind, shape, value = "<f8", fmt.Sprintf("(%d, %d)", rows, cols), v.RawMatrix().Data
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	// NumPy would align the data; all files have this number of blanks.
	header += strings.Repeat(" ", (len(header)+13)%16) + "\n"
	data := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(header)))
	data, err := binary.Append(append(data, header...), binary.LittleEndian, value)
	if err != nil {
		panic("checkpoint: " + err.Error())
	}
	return data
}

// readArray sets dst, a pointer to such a value, to that of an array.
func readArray(dst any, data []byte) (err error) {
	header, numbers, _ := bytes.Cut(data, []byte("\n"))
	switch dst := dst.(type) {
	case *int64:
		_, err = binary.Decode(numbers, binary.LittleEndian, dst)
	case *string:
		runes := make([]rune, len(numbers)/4)
		_, err = binary.Decode(numbers, binary.LittleEndian, runes)
		*dst = string(runes)
	case *mat.Dense:
		var rows, cols int
		_, shape, _ := strings.Cut(string(header), "'shape': ")
		_, err = fmt.Sscanf(shape, "(%d, %d)", &rows, &cols)
		n := len(numbers) / 8
		if err != nil || rows < 1 || cols < 1 || n%cols != 0 || n/cols != rows {
			return fmt.Errorf("%d numbers, and shape %.40q", n, shape)
		}
		*dst = *mat.NewDense(rows, cols, make([]float64, n))
		_, err = binary.Decode(numbers, binary.LittleEndian, dst.RawMatrix().Data)
	}
	return err
}

// config is a configuration as it stands in the file.
type config struct {
	bnn.Config
	Softmax approximation `json:"softmax"`
}

// approximation is the softmax of a configuration; a kind has either λ and ρ or
// fast.
type approximation struct {
	Kind   string   `json:"kind"`
	Lambda *float64 `json:"lambda,omitempty"`
	Rho    *float64 `json:"rho,omitempty"`
	Fast   *bool    `json:"fast,omitempty"`
}

// encode returns the configuration as JSON.
func encode(cfg bnn.Config) (string, error) {
	c := config{Config: cfg}
	switch s := cfg.Softmax.(type) {
	case softmax.Probit:
		c.Softmax = approximation{Kind: "probit", Lambda: &s.Lambda, Rho: &s.Rho}
	case softmax.Exact:
		c.Softmax = approximation{Kind: "exact", Fast: &s.Fast}
	default:
		return "", fmt.Errorf("a network whose softmax is a %T cannot be stored; allowed: softmax.Probit, softmax.Exact", s)
	}
	text, err := json.Marshal(c)
	return string(text), err
}

// decode returns the configuration, which is valid.
func (c config) decode() (bnn.Config, error) {
	switch s := c.Softmax; {
	case s.Kind == "probit" && s.Lambda != nil && s.Rho != nil:
		c.Config.Softmax = softmax.Probit{Lambda: *s.Lambda, Rho: *s.Rho}
	case s.Kind == "exact" && s.Fast != nil:
		c.Config.Softmax = softmax.Exact{Fast: *s.Fast}
	default:
		return c.Config, fmt.Errorf("softmax of kind %q: need probit with lambda and rho, or exact with fast", s.Kind)
	}
	return c.Config, c.Validate()
}

// modelEntries returns those of a model, with names that begin with the prefix.
func modelEntries(prefix string, m bnn.Model) (all []entry, err error) {
	switch m := m.(type) {
	case *bnn.Bank:
		s := m.State()
		text, err := json.Marshal(s)
		all = append(all, entry{prefix + "bank", string(text)}, entry{prefix + "log", mat.NewDense(1, len(s.Log), s.Log)})
		for k, member := range m.Models() {
			of, failed := modelEntries(fmt.Sprintf("%sbank%d_", prefix, k), member)
			all, err = append(all, of...), cmp.Or(err, failed)
		}
		return all, err
	case features.Model:
		text, err := json.Marshal(m.Map)
		all, failed := modelEntries(prefix, m.Model)
		return append([]entry{{prefix + "features", string(text)}}, all...), cmp.Or(err, failed)
	case *readout.Layer:
		return layerEntries(prefix, m)
	case *bnn.Network, *bnn.Ensemble:
	default:
		return nil, fmt.Errorf("a %T cannot be stored; allowed: *bnn.Network, *bnn.Ensemble, *bnn.Bank, *readout.Layer, features.Model", m)
	}
	for k, n := range m.Members() {
		s := n.State()
		if k == 0 {
			config, err := encode(s.Config)
			if err != nil {
				return nil, err
			}
			all = append(all, entry{prefix + "config", config})
		}
		for l, layer := range s.Layers {
			all = append(all, entry{prefix + name(k, "mean", l), layer.Mean}, entry{prefix + spreadName(s.Config, k, l), layer.Spread})
		}
	}
	return all, nil
}

// name returns that of a matrix of member k.
func name(k int, of string, l int) string {
	if k > 0 {
		of = fmt.Sprintf("member%d_%s", k, of)
	}
	return fmt.Sprint(of, l)
}

// spreadName returns that of the roots or variances of a layer.
func spreadName(cfg bnn.Config, k, l int) string {
	if cfg.Covariance[l] == bnn.Diagonal {
		return name(k, "variance", l)
	}
	return name(k, "root", l)
}

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
	matrix := func(cols int, x []float64) *mat.Dense { return mat.NewDense(len(x)/cols, cols, x) }
	all := []entry{
		{prefix + "count", matrix(c.Classes, convert[float64](s.Count))},
		{prefix + "sum", matrix(c.Inputs, s.Sum)},
		{prefix + "scatter", matrix(c.Inputs*(c.Inputs+1)/2, s.Scatter)},
	}
	if kept := len(s.KeptClass); kept > 0 {
		all = append(all, entry{prefix + "kept_class", matrix(kept, convert[float64](s.KeptClass))}, entry{prefix + "kept", matrix(c.Inputs, s.Kept)})
	}
	return all
}

func convert[T, S int | float64](of []S) (x []T) {
	for _, n := range of {
		x = append(x, T(n))
	}
	return x
}

func (a contents) layer(prefix string) (bnn.Model, error) {
	var c readout.Config
	if err := a.object(prefix+"readout", &c); err != nil {
		return nil, err
	}
	s, err := a.state(prefix)
	if earlier := prefix + "earlier_"; err == nil && a.has(earlier+"count") {
		s.Earlier = new(readout.State)
		*s.Earlier, err = a.state(earlier)
	}
	if err != nil {
		return nil, err
	}
	return readout.Restore(c, s)
}

func (a contents) state(prefix string) (s readout.State, err error) {
	matrix := func(name string) []float64 {
		var m mat.Dense
		if err == nil {
			err = a.read(prefix+name, &m)
		}
		return m.RawMatrix().Data
	}
	s.Count, s.Sum, s.Scatter = convert[int](matrix("count")), matrix("sum"), matrix("scatter")
	if a.has(prefix + "kept_class") {
		s.KeptClass, s.Kept = convert[int](matrix("kept_class")), matrix("kept")
	}
	return s, err
}
