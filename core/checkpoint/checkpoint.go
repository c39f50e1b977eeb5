// Package checkpoint stores trained networks, ensembles, mixtures and output layers: [Save] and [Load]. A
// loaded model predicts and learns as the original, to the bit, and equal models make equal files. The
// functions are safe for concurrent use with different models.
//
// A mixture, also the default one, keeps up to fifty inputs of each class as given, an output layer up to
// 2,000 of its inputs, or the inputs that these are features of. Do not give their files to anyone who must not
// see the examples. Networks and ensembles keep no inputs.
//
// # The file, format 11
//
// The file is a NumPy archive (.npz, NEP 1) for numpy.load, with these entries in order. A string is UTF-8
// bytes.
//
//	format      int64           11
//	config      string          the configuration of a network, a JSON object
//	mean<l>     float64 (o, d)  the means μ_j of layer l, which has o neurons and d inputs with the bias
//	root<l>     float64 (od, d) of full covariances: the d×d roots R_j of Σ_j = R_jR_jᵀ, all in one
//	root<l>     float64 (d, d)  of shared covariances: the root R of Σ = RRᵀ
//	variance<l> float64 (o, d)  of diagonal covariances: row j is the diagonal of Σ_j
//	note        string          last, if there is one: a text of the calling program, such as column names
//
// In place of the entries from config on, other models have
//
//	mixture     string          of an ensemble: the number of members; of a mixture its mixture.State, too
//	sample_class, sample, sample_log_p  the fields of mixture.Order.Kept; a row for each example
//	member<k>_config, …         the entries of members k = 0, 1, …
//	features    string          of a features.Model: the map, a JSON object
//	model_config, …             the entries of the model behind the features
//	readout     string          of a readout.Layer: its configuration, a JSON object
//	count, sum, kept_class, kept_count  float64, kept int16: the fields of readout.State
//	source      float64         in place of kept, if it is shorter: the inputs that kept are the features of
//	pending, w, evidence, output_class, output, fitted_class, fitted, fitted_count
//	            float64         the fields of readout.Sequence, if there is one, and p:
//	scatter, p  uint8 (8, n)    float64 and uint64: row k has byte k of all numbers, the lowest byte first
//
// Empty matrices are left out. Keys and words of the configuration are those of bnn.Config; learned is
// bnn.State.Learned; softmax is an object with kind "probit", lambda and rho, or kind "probit-corr", lambda
// and corr, or kind "exact" and fast. Numbers keep all their digits.
//
// Entries are compressed, unless they would then have more than 16 times the size of the file, and more than
// 16 MiB. Load rejects files with such entries, so that reading a file takes a multiple of its size at most.
// Load also rejects a file unless its SHA-256 is right (the comment of the archive has it in hexadecimal, of
// all bytes before it), and unless Save would write the same entries.
package checkpoint

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"closedform/core/bnn"
	"closedform/core/features"
)

// version is the number of the format. A change of the entries or of their keys needs a new one.
const version int64 = 11

// Save writes a model of core to w with a note, any text. An ensemble of one is saved as its member. It
// returns an error if w does, or if the model, a member or a softmax has a type that core does not have.
func Save(w io.Writer, m bnn.Model, note string) error {
	f := contents(m, note)
	if f.err == nil {
		_, f.err = w.Write(archive(version, f.entries))
	}
	if f.err != nil {
		return fmt.Errorf("checkpoint: %w", f.err)
	}
	return nil
}

func contents(m bnn.Model, note string) file {
	f := file{saving: true}
	f.save("", m)
	f.text("note", &note)
	return f
}

func archive(format int64, entries []entry) []byte {
	entries = formatted(format, entries)
	size := 0
	for _, e := range entries {
		size += len(e.data)
	}
	data := pack(entries, zip.Deflate)
	if size > largest(data) {
		data = pack(entries, zip.Store)
	}
	copy(data[len(data)-digits:], digest(data))
	return data
}

func formatted(format int64, entries []entry) []entry {
	return slices.Concat([]entry{{"format", array("<i8", "()", format)}}, entries)
}

// largest returns the largest size of the entries of a file.
func largest(file []byte) int { return 16 * max(1<<20, len(file)) }

const digits = 2 * sha256.Size // of the digest

func digest(file []byte) []byte {
	return fmt.Appendf(nil, "%x", sha256.Sum256(file[:len(file)-digits]))
}

// pack returns an archive with room for its digest.
func pack(entries []entry, method uint16) []byte {
	var data bytes.Buffer // no errors: a bytes.Buffer accepts all, and names are short
	z := zip.NewWriter(&data)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for _, e := range entries {
		w, _ := z.CreateHeader(&zip.FileHeader{Name: e.name + ".npy", Method: method})
		_, _ = w.Write(e.data)
	}
	_ = z.SetComment(strings.Repeat("0", digits))
	_ = z.Close()
	return data.Bytes()
}

// Load reads the model and the note that Save wrote: a *bnn.Network, a *bnn.Ensemble of several, a
// *mixture.Mixture, a *readout.Layer, or a features.Model of one of these. It returns an error if r does, or
// if the file is truncated, altered in any byte, of another format, or not a valid model.
func Load(r io.Reader) (m bnn.Model, note string, err error) {
	data, err := io.ReadAll(r)
	if err == nil {
		m, note, err = read(data)
	}
	if err != nil {
		return nil, "", fmt.Errorf("checkpoint: %w", err)
	}
	return m, note, nil
}

var errAltered = errors.New("the file is truncated, altered or no checkpoint")

func read(data []byte) (m bnn.Model, note string, err error) {
	f, err := unpack(data)
	if err != nil {
		return nil, "", err
	}
	if format := append(content[int64](&f, "format"), 0)[0]; format != version {
		return nil, "", fmt.Errorf("the file has format %d; this program reads format %d only; "+
			"train the network again, or use the program that wrote it", format, version)
	}
	if !bytes.HasSuffix(data, digest(data)) {
		return nil, "", errAltered
	}
	m = f.load("")
	f.text("note", &note)
	if f.err != nil {
		return nil, "", f.err
	}
	again := contents(m, note)
	same := func(a, b entry) bool { return a.name == b.name && bytes.Equal(a.data, b.data) }
	if again.err != nil || !slices.EqualFunc(f.entries, formatted(version, again.entries), same) {
		return nil, "", errAltered
	}
	return m, note, nil
}

// unpack returns the entries of a file.
func unpack(data []byte) (f file, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return f, errAltered
	}
	left := uint64(largest(data))
	for _, zipped := range z.File {
		if zipped.UncompressedSize64 > left { // checked before memory is allocated
			return f, errAltered
		}
		left -= zipped.UncompressedSize64
		data, err := fs.ReadFile(z, zipped.Name)
		if err != nil {
			return f, errAltered
		}
		f.entries = append(f.entries, entry{strings.TrimSuffix(zipped.Name, ".npy"), data})
	}
	return f, nil
}

// file has the entries of a file and the first error. Its methods take pointers to values: while saving they
// add entries with the values, while loading they set the values.
type file struct {
	saving  bool
	entries []entry
	weights float64       // number of the weights of all maps to features, which are not in the file
	from    *features.Map // the latest map
	err     error
}

type entry struct {
	name string
	data []byte
}

func (f *file) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *file) find(name string) []byte {
	if k := slices.IndexFunc(f.entries, func(e entry) bool { return e.name == name }); k >= 0 {
		return f.entries[k].data
	}
	return nil
}
