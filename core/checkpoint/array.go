package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// entry is a value in an archive: a string, an int64 or a *mat.Dense.
type entry struct {
	name  string
	value any
}

// list is the entries of an archive in their order.
type list []entry

func (l *list) add(name string, value any) { *l = append(*l, entry{name, value}) }

// object adds a value as a JSON object.
func (l *list) object(name string, value any) error {
	text, err := json.Marshal(value)
	l.add(name, string(text))
	return err
}

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

// readArray sets dst, if it is a pointer to such a value, to that of an array.
func readArray(dst any, data []byte) (known bool, err error) {
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
			return true, fmt.Errorf("%d numbers, and shape %.40q", n, shape)
		}
		*dst = *mat.NewDense(rows, cols, make([]float64, n))
		_, err = binary.Decode(numbers, binary.LittleEndian, dst.RawMatrix().Data)
	default:
		return false, nil
	}
	return true, err
}
