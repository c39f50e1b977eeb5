// Package checkpoint stores trained networks: [Write] and [Read].
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
	"bufio"
	"fmt"
	"io"

	"codeberg.org/sbinet/npyio/npy"

	"closedform/core/bnn"
)

// version is that of the format. A change of bnn.Config or bnn.State that old
// files have no value for needs a new one.
const version = 2

// Write writes the network to w. It returns an error if w does, or if the softmax
// of the network is neither a softmax.Probit nor a softmax.Exact.
func Write(w io.Writer, n *bnn.Network) error {
	if err := write(w, n.State()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func write(w io.Writer, s bnn.State) error {
	config, err := encode(s.Config)
	if err != nil {
		return err
	}
	sealed := newSealer(w)
	archive := zip.NewWriter(sealed)
	err = archive.SetComment(blank)
	entry := func(name string, value any) {
		if err == nil {
			err = writeEntry(archive, name, value)
		}
	}
	entry("format", int64(version))
	entry("config", config)
	for l, layer := range s.Layers {
		entry(fmt.Sprint("mean", l), layer.Mean)
		if layer.Root != nil {
			entry(fmt.Sprint("root", l), layer.Root)
		} else {
			entry(fmt.Sprint("variance", l), layer.Variance)
		}
	}
	if err == nil {
		err = archive.Close()
	}
	if err == nil {
		err = sealed.Close()
	}
	return err
}

func writeEntry(archive *zip.Writer, name string, value any) error {
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(entry) // npy writes number by number
	if err := npy.Write(buffer, value); err != nil {
		return err
	}
	return buffer.Flush()
}

// Read reads a network from the size bytes of r. It returns an error if r is not a
// file that Write wrote: truncated, altered in any byte, of another format, or with
// contents that make no network.
func Read(r io.ReaderAt, size int64) (*bnn.Network, error) {
	n, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return n, nil
}

func read(r io.ReaderAt, size int64) (*bnn.Network, error) {
	if err := checkSeal(r, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	a := archive{files: z.File, size: size}
	format, err := a.integer("format")
	if err != nil {
		return nil, err
	}
	if format != version {
		return nil, fmt.Errorf("the file has format %d; this program reads format %d", format, version)
	}
	text, err := a.text("config")
	if err != nil {
		return nil, err
	}
	var s bnn.State
	if s.Config, err = decode(text); err != nil {
		return nil, err
	}
	for l := range s.Config.Layers[1:] {
		layer, err := a.layer(l, &s.Config)
		if err != nil {
			return nil, err
		}
		s.Layers = append(s.Layers, layer)
	}
	if len(a.files) > 0 {
		return nil, fmt.Errorf("entry %s is not part of the format", a.files[0].Name)
	}
	return bnn.Restore(s)
}

// layer returns the weights of layer l.
func (a *archive) layer(l int, cfg *bnn.Config) (s bnn.LayerState, err error) {
	out, in := cfg.WeightDims(l)
	if s.Mean, err = a.matrix(fmt.Sprint("mean", l), out, in); err != nil {
		return s, err
	}
	if root := fmt.Sprint("root", l); a.has(root) {
		rows, cols := cfg.RootDims(l)
		s.Root, err = a.matrix(root, rows, cols)
	} else {
		s.Variance, err = a.matrix(fmt.Sprint("variance", l), out, in)
	}
	return s, err
}
