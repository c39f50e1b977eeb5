// Package checkpoint stores trained networks, ensembles, banks and output layers: [Save] and [Load].
//
// A model that was written and read again predicts and learns to the last bit
// as the original does, on the same instruction set. Equal models make equal
// files. The functions are safe for concurrent use with different models, and keep no
// reference to an argument.
//
// # The file, format 4
//
// It is an uncompressed NumPy archive (.npz, NEP 1), which numpy.load reads. Its
// entries are, in this order, for each layer l of weights from 0, of o neurons
// with d inputs (the bias counts as the last one):
//
//	format      int64           4
//	config      string          the configuration, a JSON object
//	mean<l>     float64 (o, d)  means: row j is μ_j
//	root<l>     float64 (od, d) where the covariances of the layer are full: one
//	                            below the other, the d × d roots R_j of Σ_j = R_jR_jᵀ
//	root<l>     float64 (d, d)  where they are shared: the root R of Σ = RRᵀ
//	variance<l> float64 (o, d)  where they are diagonal: row j is the diagonal of Σ_j
//	member<k>_mean<l>, …        of an ensemble, the same of members k = 1, 2, … in
//	                            their order; the above are those of member 0
//	bank        string          of a bank, in place of config: its rule and state, a JSON object
//	log         float64 (1, K)  the logarithms of the weights of its members
//	bank<k>_config, …           the entries from config on of its members k = 0, 1, …
//	features    string          before config or bank, of a features.Model: the map, a JSON object
//	readout     string          of a readout.Layer, in place of config: its configuration, a JSON object
//	count       float64 (1, C)  examples of each of its C classes
//	sum         float64 (C, d)  sums of their d inputs
//	scatter     float64 (S, ·)  upper triangles by rows, d(d+1)/2 numbers, of the sums of products of
//	                            inputs: of all examples, S = 1, or of those of each class, S = C
//	kept_class  float64 (1, K)  the classes of the examples that it keeps, if there are some
//	kept        float64 (K, d)  and their inputs
//	earlier_count, …            of one in a bank, the same from count on of the state of its Before
//	note        string          last, if there is one: what else its writer says, such
//	                            as how the inputs were scaled
//
// The keys and the words of the configuration are those of bnn.Config, and softmax
// is an object with kind "probit", lambda and rho, or with kind "exact" and fast.
// Numbers keep all their digits. Formats 1 to 3 had other keys; their files are refused.
//
// The last 64 bytes of the file, in the comment of the archive, are the SHA-256
// of all bytes before them, in hexadecimal. It finds what was altered by accident;
// it does not say who wrote the file.
package checkpoint

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
)

// version is that of the format. A change of the keys of bnn.Config or of bnn.State needs a
// new one.
const version int64 = 4

// sealSize is the length of the checksum at the end of a file, and blank the comment
// of an archive whose checksum is not known yet.
const sealSize = 2 * sha256.Size

var blank = "sha256:" + strings.Repeat("0", sealSize)

// entry is a value in an archive: a string, an int64 or a *mat.Dense.
type entry struct {
	name  string
	value any
}

// Save writes a network, an ensemble, a bank or an output layer to w, or one of these behind
// features, with a note, a text of any kind. An ensemble of one is saved as its network. It returns an
// error if w does, if the softmax is neither a softmax.Probit nor a softmax.Exact, or if the model is of
// another type.
func Save(w io.Writer, m bnn.Model, note string) error {
	entries, err := entries("", m)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	entries = append([]entry{{"format", version}}, entries...)
	if note != "" {
		entries = append(entries, entry{"note", note})
	}
	if _, err := w.Write(archive(entries)); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// entries returns those of a model, with names that begin with the prefix.
func entries(prefix string, m bnn.Model) (all []entry, err error) {
	switch m := m.(type) {
	case *bnn.Bank:
		s := m.State()
		text, err := json.Marshal(s)
		all = append(all, entry{prefix + "bank", string(text)}, entry{prefix + "log", mat.NewDense(1, len(s.Log), s.Log)})
		for k, member := range m.Models() {
			of, failed := entries(fmt.Sprintf("%sbank%d_", prefix, k), member)
			all, err = append(all, of...), cmp.Or(err, failed)
		}
		return all, err
	case features.Model:
		text, err := json.Marshal(m.Map)
		all, failed := entries(prefix, m.Model)
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

// Load reads what Save wrote: a *bnn.Network, a *bnn.Ensemble of several, a *bnn.Bank, a
// *readout.Layer, or a features.Model of one of these, and the note. It returns an error if r does, or if its bytes are not a file that Save wrote: truncated,
// altered in any byte, of another format, or with contents that make no model.
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
		return nil, "", fmt.Errorf("the file has format %d; this program reads format %d only; train the network again, or use the program that wrote it",
			format, version)
	}
	if m, err = a.model(""); err != nil {
		return nil, "", err
	}
	if a.has("note") {
		if err := a.next("note", &note); err != nil {
			return nil, "", err
		}
	}
	if len(a) > 0 {
		return nil, "", fmt.Errorf("entry %s is not part of the format", a[0].Name)
	}
	return m, note, nil
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

// model returns the model whose entries have names that begin with the prefix.
func (a *reader) model(prefix string) (bnn.Model, error) {
	switch {
	case a.has(prefix + "features"):
		return a.features(prefix)
	case a.has(prefix + "bank"):
		return a.bank(prefix)
	case a.has(prefix + "readout"):
		return a.layer(prefix)
	}
	var text string
	if err := a.next(prefix+"config", &text); err != nil {
		return nil, err
	}
	config, err := decode(text)
	if err != nil {
		return nil, err
	}
	var members []*bnn.Network
	for k := 0; k == 0 || a.has(prefix+name(k, "mean", 0)); k++ {
		s := bnn.State{Config: config}
		for l := range config.Layers[1:] {
			layer := bnn.LayerState{Mean: new(mat.Dense), Spread: new(mat.Dense)}
			if err := a.next(prefix+name(k, "mean", l), layer.Mean); err != nil {
				return nil, err
			}
			if err := a.next(prefix+spreadName(config, k, l), layer.Spread); err != nil {
				return nil, err
			}
			s.Layers = append(s.Layers, layer)
		}
		n, err := bnn.Restore(s)
		if err != nil {
			return nil, err
		}
		members = append(members, n)
	}
	if len(members) == 1 {
		return members[0], nil
	}
	return bnn.Combine(members...)
}

// object reads the next entry, a JSON object, into dst.
func (a *reader) object(prefix, name string, dst any) error {
	var text string
	if err := a.next(prefix+name, &text); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), dst); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// Nothing was missing, unknown or said twice if it reads the same again.
	if again, err := json.Marshal(dst); err != nil || string(again) != text {
		return fmt.Errorf("%s: read %s as %s", name, text, again)
	}
	return nil
}

func (a *reader) features(prefix string) (bnn.Model, error) {
	var m features.Map
	if err := a.object(prefix, "features", &m); err != nil {
		return nil, err
	}
	of, err := a.model(prefix)
	if err != nil {
		return nil, err
	}
	if inputs, _ := of.Shape(); inputs != m.Size {
		return nil, fmt.Errorf("features: %d, and a model of %d inputs", m.Size, inputs)
	}
	again, err := features.New(m.Kind, m.Inputs, m.Size, m.Seed)
	return features.Model{Map: again, Model: of}, err
}

func (a *reader) bank(prefix string) (bnn.Model, error) {
	var w bnn.MixtureWeights
	var log mat.Dense
	if err := cmp.Or(a.object(prefix, "bank", &w), a.next(prefix+"log", &log)); err != nil {
		return nil, err
	}
	w.Log = log.RawMatrix().Data
	members := make([]bnn.Model, w.Members)
	for k := range members {
		var err error
		if members[k], err = a.model(fmt.Sprintf("%sbank%d_", prefix, k)); err != nil {
			return nil, err
		}
	}
	return bnn.RestoreBank(w, members...)
}
