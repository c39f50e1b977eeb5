// Package checkpoint stores trained networks, ensembles, banks and output layers: [Save] and [Load].
//
// A model that was written and read again predicts and learns to the last bit as the original does, on
// the same instruction set. Equal models make equal files. The functions are safe for concurrent use
// with different models, and keep no reference to an argument.
//
// A file has more than weights where a model keeps examples to judge itself by. People may have reasons not
// to give these away. A bank, also the default one, keeps up to fifty inputs of each class, as they were given;
// an output layer up to 2,000 of its own inputs. Networks and ensembles keep none.
//
// # The file, format 6
//
// It is an uncompressed NumPy archive (.npz, NEP 1), which numpy.load reads. Its entries are, in this
// order, for each layer l of weights from 0, of o neurons with d inputs (the bias counts as the last):
//
//	format      int64           6
//	config      string          the configuration of a network, a JSON object
//	mean<l>     float64 (o, d)  means: row j is μ_j
//	root<l>     float64 (od, d) of full covariances: the d×d roots R_j of Σ_j = R_jR_jᵀ, one below the other
//	root<l>     float64 (d, d)  of shared covariances: the root R of Σ = RRᵀ
//	variance<l> float64 (o, d)  of diagonal covariances: row j is the diagonal of Σ_j
//	note        string          last, if there is one: what else its writer says, such as column names
//
// In place of those from config on, other models have
//
//	mixture     string          of an ensemble or a bank: the number of members, and the state of a bank
//	sample_class, sample, sample_log_p  the examples that a bank keeps: their classes, inputs, and log
//	                            probabilities by each member before they were learned; a row of each
//	member<k>_config, …         the entries of members k = 0, 1, …
//	features    string          of a features.Model: the map, a JSON object
//	model_config, …             the entries of the model behind the features
//	readout     string          of a readout.Layer: its configuration, a JSON object
//	count       float64 (1, C)  examples of each of its C classes
//	sum         float64 (C, d)  sums of their d inputs
//	scatter     float64 (S, ·)  upper triangles by rows, d(d+1)/2 numbers, of the sums of products of
//	                            inputs: of all examples, S = 1, or of those of each class, S = C
//	kept_class  float64 (K, 1)  the classes of the inputs that it keeps
//	kept_count  float64 (K, 1)  how many examples have each
//	kept        float64 (K, d)  the inputs
//	p, pending, w, evidence, output_class, output, fitted_class, fitted, fitted_count
//	                            the fields of readout.Sequence, if there is one
//
// Empty matrices are left out. The keys and the words of the configuration are those of bnn.Config, and
// softmax is an object with kind "probit", lambda and rho, with kind "probit-corr", lambda and corr, or with
// kind "exact" and fast. Numbers keep all their digits. Files of format 5, which lack the examples of banks,
// kept_count and the recursion, are read, too; those of other formats are refused.
//
// The last 64 bytes of the file, in the comment of the archive, are the SHA-256 of all bytes before
// them, in hexadecimal. It finds what was altered by accident; it does not say who wrote the file.
package checkpoint

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
)

// version is that of the format, and oldest of those that are read. A change of the entries or of their keys
// needs a new one.
const version, oldest int64 = 6, 5

// sealSize is the length of the checksum at the end of a file, and blank the comment
// of an archive whose checksum is not known yet.
const sealSize = 2 * sha256.Size

var blank = "sha256:" + strings.Repeat("0", sealSize)

// Save writes a model of core to w: a network, an ensemble, a bank or an output layer, or one of these
// behind features, with a note, a text of any kind. An ensemble of one is saved as its member. It returns an
// error if w does, or if the model, a member of it or a softmax is of a type that core does not have.
func Save(w io.Writer, m bnn.Model, note string) error {
	all, err := entries(m, note)
	if err == nil {
		_, err = w.Write(archive(all))
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// entries returns those of a file.
func entries(m bnn.Model, note string) (list, error) {
	all := list{{"format", version}}
	err := all.model("", m)
	if note != "" {
		all.add("note", note)
	}
	return all, err
}

// archive returns a file with its checksum.
func archive(entries list) []byte {
	var file bytes.Buffer // takes everything: there are no errors but of too long a comment or name
	z := zip.NewWriter(&file)
	_ = z.SetComment(blank)
	for _, e := range entries {
		w, _ := z.CreateHeader(&zip.FileHeader{Name: e.name + ".npy", Method: zip.Store})
		_, _ = w.Write(array(e.value))
	}
	_ = z.Close()
	content := file.Bytes()[:file.Len()-sealSize]
	return append(content, checksum(content)...)
}

func checksum(content []byte) []byte {
	sum := sha256.Sum256(content)
	return hex.AppendEncode(nil, sum[:])
}

// Load reads what Save wrote: a *bnn.Network, a *bnn.Ensemble of several, a *bnn.Bank, a
// *readout.Layer, or a features.Model of one of these, and the note. It returns an error if r does, or
// if its bytes are not a file that Save wrote: truncated, altered in any byte, of another format, or
// with contents that make no model.
func Load(r io.Reader) (m bnn.Model, note string, err error) {
	file, err := io.ReadAll(r)
	if err == nil {
		m, note, err = read(file)
	}
	if err != nil {
		return nil, "", fmt.Errorf("checkpoint: %w", err)
	}
	return m, note, nil
}

func read(file []byte) (m bnn.Model, note string, err error) {
	end := len(file) - sealSize
	if end < 0 || !bytes.Equal(checksum(file[:end]), file[end:]) {
		return nil, "", errors.New("the checksum at its end does not fit: " +
			"the file is truncated, altered or no checkpoint")
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, "", err
	}
	a := contents{}
	for _, f := range z.File {
		if a[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			return nil, "", err
		}
	}
	var format int64
	if err := a.read("format", &format); err != nil {
		return nil, "", err
	}
	if format < oldest || format > version {
		return nil, "", fmt.Errorf("the file has format %d; this program reads formats %d and %d only; "+
			"train the network again, or use the program that wrote it", format, oldest, version)
	}
	if m, err = a.model(""); err == nil && a.has("note") {
		err = a.read("note", &note)
	}
	if err != nil || format < version {
		return m, note, err
	}
	// Nothing was missing, unknown, said twice or out of its place if Save writes the same again.
	all, err := entries(m, note)
	if err != nil {
		return nil, "", err
	}
	for i, f := range z.File {
		if i >= len(all) || f.Name != all[i].name+".npy" || !bytes.Equal(a[f.Name], array(all[i].value)) {
			return nil, "", fmt.Errorf("entry %s is not what Save writes", f.Name)
		}
	}
	return m, note, nil
}

// contents has the bytes of each entry of an archive.
type contents map[string][]byte

func (a contents) has(name string) bool { return a[name+".npy"] != nil }

// read sets dst, a pointer to a value of an entry, to that of the entry with the name. A value of
// another type than those of [array] is a JSON object.
func (a contents) read(name string, dst any) error {
	if !a.has(name) {
		return fmt.Errorf("entry %s is missing", name)
	}
	known, err := readArray(dst, a[name+".npy"])
	if !known {
		var text string
		_, err = readArray(&text, a[name+".npy"])
		if err == nil {
			err = json.Unmarshal([]byte(text), dst)
		}
	}
	if err != nil {
		return fmt.Errorf("entry %s: %w", name, err)
	}
	return nil
}

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
