package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// text adds or reads an entry with a text. An empty text is left out.
func (f *file) text(name string, text *string) {
	if !f.saving {
		*text = string(content[byte](f, name))
	} else if len(*text) > 0 {
		f.add(name, fmt.Sprint("|S", len(*text)), "()", []byte(*text))
	}
}

func (f *file) object(name string, v any) {
	if f.saving {
		data, err := json.Marshal(v)
		text := string(data)
		f.fail(err)
		f.text(name, &text)
		return
	}
	var text string
	if f.text(name, &text); text == "" {
		f.fail(fmt.Errorf("entry %s is missing", name))
	} else if err := json.Unmarshal([]byte(text), v); err != nil {
		f.fail(fmt.Errorf("entry %s: %w", name, err))
	}
}

// numbers adds or reads an entry with a matrix of cols columns. An empty matrix is left out.
func (f *file) numbers(name string, cols int, x *[]float64) { matrix(f, name, "<f8", cols, x) }

func matrix[T int16 | float64](f *file, name, kind string, cols int, x *[]T) {
	if !f.saving {
		*x = content[T](f, name)
	} else if len(*x) > 0 {
		f.add(name, kind, fmt.Sprintf("(%d, %d)", len(*x)/cols, cols), *x)
	}
}

// planes adds or reads an entry with the bytes of 64-bit numbers in eight rows, that of the lowest bytes first,
// as similar bytes beside each other are compressed better.
func planes[T uint64 | float64](f *file, name string, x *[]T) {
	data, _ := binary.Append(nil, binary.LittleEndian, *x)
	if !f.saving {
		data = content[byte](f, name)
	}
	rows, n := make([]byte, len(data)/8*8), len(data)/8
	for i := range n {
		for k := range 8 {
			if f.saving {
				rows[k*n+i] = data[8*i+k]
			} else {
				rows[8*i+k] = data[k*n+i]
			}
		}
	}
	switch {
	case !f.saving:
		*x = make([]T, n)
		_, _ = binary.Decode(rows, binary.LittleEndian, *x)
	case n > 0:
		f.add(name, "|u1", fmt.Sprintf("(8, %d)", n), rows)
	}
}

// classes adds or reads an entry with the classes of examples.
func (f *file) classes(name string, classes *[]int) {
	x := convert[float64](*classes)
	f.numbers(name, 1, &x)
	*classes = convert[int](x)
}

func convert[T, S int | float64](numbers []S) (converted []T) {
	for _, n := range numbers {
		converted = append(converted, T(n))
	}
	return converted
}

func (f *file) matrix(name string, cols int, m **mat.Dense) {
	var x []float64
	if f.saving {
		x = (*m).RawMatrix().Data // the matrices of a state are contiguous
	}
	f.numbers(name, cols, &x)
	switch n := len(x); {
	case n == 0:
		f.fail(fmt.Errorf("entry %s is missing", name))
	case n%cols != 0:
		f.fail(fmt.Errorf("entry %s: %d numbers; need rows of %d", name, n, cols))
	default:
		*m = mat.NewDense(n/cols, cols, x)
	}
}

func (f *file) add(name, kind, shape string, v any) {
	f.entries = append(f.entries, entry{name, array(kind, shape, v)})
}

func array(kind, shape string, v any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	// NumPy would align the data; all files have this number of blanks.
	header += strings.Repeat(" ", (len(header)+13)%16) + "\n"
	data := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(header)))
	data, err := binary.Append(append(data, header...), binary.LittleEndian, v)
	if err != nil {
		panic("checkpoint: " + err.Error())
	}
	return data
}

func content[T byte | int16 | int64 | float64](f *file, name string) []T {
	_, data, _ := bytes.Cut(f.find(name), []byte("\n"))
	numbers := make([]T, len(data)/binary.Size(T(0)))
	_, _ = binary.Decode(data, binary.LittleEndian, numbers)
	return numbers
}
