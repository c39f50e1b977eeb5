// Package checkpoint stores trained networks: [Write] and [Read], or with a note
// [WriteNote] and [ReadNote].
//
// A network that was written and read again predicts and learns to the last bit
// as the original does, on the same instruction set. Equal networks make equal
// files.
//
// # The file, format 2
//
// It is an uncompressed NumPy archive (.npz, NEP 1), which numpy.load reads. Its
// entries are, in this order, for each layer l of weights from 0, of o neurons
// with d inputs (the bias counts as the last one):
//
//	format      int64           2
//	config      string          the configuration, a JSON object
//	mean<l>     float64 (o, d)  means: row j is μ_j
//	root<l>     float64 (od, d) where the covariances of the layer are full: one
//	                            below the other, the d × d roots R_j of Σ_j = R_jR_jᵀ
//	root<l>     float64 (d, d)  where they are shared: the root R of Σ = RRᵀ
//	root<l>     float64 (od, od) of a joint output layer: the root of the covariance
//	                            of all weights, neuron by neuron
//	variance<l> float64 (o, d)  where they are diagonal: row j is the diagonal of Σ_j
//	note        string          last, if there is one: what else its writer says, such
//	                            as how the inputs were scaled
//
// The keys and the words of the configuration are those of bnn.Config, and softmax
// is an object with kind "probit", lambda and rho, or with kind "exact" and fast.
// Numbers keep all their digits.
//
// The last 64 bytes of the file, in the comment of the archive, are the SHA-256
// of all bytes before them, in hexadecimal. It finds what was altered by accident;
// it does not say who wrote the file.
package checkpoint

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
)

// version is that of the format. A change of bnn.Config or bnn.State that old
// files have no value for needs a new one.
const version = 2

// sealSize is the length of the checksum at the end of a file, and blank the comment
// of an archive whose checksum is not known yet.
const sealSize = 2 * sha256.Size

var blank = "sha256:" + strings.Repeat("0", sealSize)

// entry is a value in an archive: a string, an int64 or a *mat.Dense.
type entry struct {
	name  string
	value any
}

// Write writes the network to w. It returns an error if w does, or if the softmax
// of the network is neither a softmax.Probit nor a softmax.Exact.
func Write(w io.Writer, n *bnn.Network) error { return WriteNote(w, n, "") }

// WriteNote is Write with a note, a text that ReadNote returns.
func WriteNote(w io.Writer, n *bnn.Network, note string) error {
	entries, err := entries(n.State())
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if note != "" {
		entries = append(entries, entry{"note", note})
	}
	if _, err := w.Write(archive(entries)); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func entries(s bnn.State) ([]entry, error) {
	config, err := encode(s.Config)
	all := []entry{{"format", int64(version)}, {"config", config}}
	for l, layer := range s.Layers {
		all = append(all, entry{fmt.Sprint("mean", l), layer.Mean})
		if layer.Root != nil {
			all = append(all, entry{fmt.Sprint("root", l), layer.Root})
		} else {
			all = append(all, entry{fmt.Sprint("variance", l), layer.Variance})
		}
	}
	return all, err
}

// archive returns a file with its checksum.
func archive(entries []entry) []byte {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	err := z.SetComment(blank)
	for _, e := range entries {
		w, failed := z.CreateHeader(&zip.FileHeader{Name: e.name + ".npy", Method: zip.Store})
		if err = errors.Join(err, failed); err == nil {
			_, err = w.Write(array(e.value))
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic("checkpoint: " + err.Error()) // A buffer in memory takes everything.
	}
	content := file.Bytes()[:file.Len()-sealSize]
	return append(content, checksum(content)...)
}

func checksum(content []byte) []byte {
	sum := sha256.Sum256(content)
	return hex.AppendEncode(nil, sum[:])
}

var errAltered = errors.New("the checksum at its end does not fit: the file is truncated, altered or no checkpoint")

// Read reads a network. It returns an error if r does, or if its bytes are not a file
// that Write wrote: truncated, altered in any byte, of another format, or with
// contents that make no network.
func Read(r io.Reader) (*bnn.Network, error) {
	n, _, err := ReadNote(r)
	return n, err
}

// ReadNote is Read, and returns the note, too, "" if there is none.
func ReadNote(r io.Reader) (*bnn.Network, string, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, "", fmt.Errorf("checkpoint: %w", err)
	}
	n, note, err := read(file)
	if err != nil {
		return nil, "", fmt.Errorf("checkpoint: %w", err)
	}
	return n, note, nil
}

func read(file []byte) (n *bnn.Network, note string, err error) {
	end := len(file) - sealSize
	if end < 0 || !bytes.Equal(checksum(file[:end]), file[end:]) {
		return nil, "", errAltered
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, "", err
	}
	a := reader(z.File)
	var format int64
	if err := a.next("format", &format); err != nil {
		return nil, "", err
	}
	if format != version {
		return nil, "", fmt.Errorf("the file has format %d; this program reads format %d", format, version)
	}
	var text string
	if err := a.next("config", &text); err != nil {
		return nil, "", err
	}
	var s bnn.State
	if s.Config, err = decode(text); err != nil {
		return nil, "", err
	}
	for l := range s.Config.Layers[1:] {
		layer, err := a.layer(l)
		if err != nil {
			return nil, "", err
		}
		s.Layers = append(s.Layers, layer)
	}
	if a.has("note") {
		if err := a.next("note", &note); err != nil {
			return nil, "", err
		}
	}
	if len(a) > 0 {
		return nil, "", fmt.Errorf("entry %s is not part of the format", a[0].Name)
	}
	n, err = bnn.Restore(s)
	return n, note, err
}

// reader hands out the entries of an archive in their order.
type reader []*zip.File

// has tells whether the next entry has the name.
func (a *reader) has(name string) bool { return len(*a) > 0 && (*a)[0].Name == name+".npy" }

// next reads the next entry into dst.
func (a *reader) next(name string, dst any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("entry %s: %w", name, err)
		}
	}()
	if !a.has(name) {
		return errors.New("is missing or not in its place")
	}
	f := (*a)[0]
	*a = (*a)[1:]
	if f.Method != zip.Store {
		return errors.New("is compressed")
	}
	content, err := f.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return readArray(dst, data)
}

// layer returns the weights of layer l.
func (a *reader) layer(l int) (s bnn.LayerState, err error) {
	s.Mean = new(mat.Dense)
	if err := a.next(fmt.Sprint("mean", l), s.Mean); err != nil {
		return s, err
	}
	if root := fmt.Sprint("root", l); a.has(root) {
		s.Root = new(mat.Dense)
		return s, a.next(root, s.Root)
	}
	s.Variance = new(mat.Dense)
	return s, a.next(fmt.Sprint("variance", l), s.Variance)
}
