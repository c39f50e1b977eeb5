package checkpoint

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
)

// entry is one of an archive, with its bytes.
type entry struct {
	name string
	data []byte
}

// array returns an entry that numpy reads.
func array(t testing.TB, name string, value any) entry {
	t.Helper()
	var data bytes.Buffer
	if err := npy.Write(&data, value); err != nil {
		t.Fatal(err)
	}
	return entry{name + ".npy", data.Bytes()}
}

// sealed returns an archive of the entries with a checksum that fits.
func sealed(t testing.TB, method uint16, entries []entry) []byte {
	t.Helper()
	var file bytes.Buffer
	s := newSealer(&file)
	z := zip.NewWriter(s)
	if err := z.SetComment(blank); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// smallConfig is that of a network with one full and one diagonal layer.
var smallConfig = bnn.Config{Layers: []int{1, 2, 2}, Bias: true, Covariance: []bnn.Covariance{bnn.Full, bnn.Diagonal}}

// small returns the entries of such a network.
func small(t testing.TB) []entry {
	t.Helper()
	s := trained(t, smallConfig).State()
	text, err := encode(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	return []entry{
		array(t, "format", int64(version)),
		array(t, "config", text),
		array(t, "mean0", s.Layers[0].Mean),
		array(t, "root0", s.Layers[0].Root),
		array(t, "mean1", s.Layers[1].Mean),
		array(t, "variance1", s.Layers[1].Variance),
	}
}

// What the tests below alter is what Write writes.
func TestSmall(t *testing.T) {
	if !bytes.Equal(sealed(t, zip.Store, small(t)), written(t, trained(t, smallConfig))) {
		t.Error("the entries make another file than Write")
	}
}

func TestAlteredByte(t *testing.T) {
	file := written(t, trained(t, smallConfig))
	for i := range file {
		for _, flip := range []byte{1, 0x20, 0x80} {
			file[i] ^= flip
			if _, err := readBytes(file); err == nil || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("byte %d of %d altered by %#x: error %v", i, len(file), flip, err)
			}
			file[i] ^= flip
		}
	}
}

func TestTruncated(t *testing.T) {
	file := written(t, trained(t, smallConfig))
	for size := range file {
		if _, err := readBytes(file[:size]); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("%d bytes of %d: error %v", size, len(file), err)
		}
	}
	for _, more := range []string{"\n", string(file)} {
		if _, err := readBytes([]byte(string(file) + more)); err == nil {
			t.Errorf("%d bytes more are read", len(more))
		}
	}
	if _, err := Read(bytes.NewReader(file), -1); err == nil {
		t.Error("a negative size is read")
	}
}

// Files with a checksum that fits, and contents that do not.
func TestReadRefuses(t *testing.T) {
	good := small(t)
	with := func(i int, value any) []entry {
		entries := slices.Clone(good)
		entries[i] = array(t, strings.TrimSuffix(good[i].name, ".npy"), value)
		return entries
	}
	edit := func(i int, old, replacement string) []entry {
		entries := slices.Clone(good)
		if !bytes.Contains(good[i].data, []byte(old)) {
			t.Fatalf("%s has no %q", good[i].name, old)
		}
		entries[i].data = bytes.Replace(good[i].data, []byte(old), []byte(replacement), 1)
		return entries
	}
	text, err := encode(trained(t, smallConfig).State().Config)
	if err != nil {
		t.Fatal(err)
	}
	config := func(old, replacement string) []entry {
		if !strings.Contains(text, old) {
			t.Fatalf("the configuration has no %q: %s", old, text)
		}
		return with(1, strings.Replace(text, old, replacement, 1))
	}
	swapped := slices.Clone(good)
	swapped[2], swapped[3] = good[3], good[2]
	for name, test := range map[string]struct {
		entries []entry
		want    string
	}{
		"empty":     {nil, "entry format: is missing"},
		"version 1": {with(0, int64(1)), "the file has format 1; this program reads format 2"},
		"order":     {swapped, "entry mean0: is missing or not in its place"},
		"missing":   {good[:5], "entry variance1: is missing"},
		"too many":  {append(slices.Clone(good), good[0]), "entry format.npy is not part of the format"},

		"no JSON":          {with(1, "hello"), "configuration: invalid character"},
		"unknown key":      {config(`{"layers"`, `{"depth":2,"layers"`), "configuration: read"},
		"missing key":      {config(`"bias":true,`, ""), "configuration: read"},
		"twice":            {config(`"bias":true,`, `"bias":true,"bias":true,`), "configuration: read"},
		"word":             {config(`"rule":"joint"`, `"rule":"best"`), `"best" is not allowed; allowed: joint, total, adf, adf-exact`},
		"joint":            {config(`"per-neuron"`, `"joint"`), "configuration: output_covariance: "},
		"softmax":          {config(`"kind":"probit"`, `"kind":"logit"`), `softmax of kind "logit"`},
		"no rho":           {config(`,"rho":0.5`, ``), `softmax of kind "probit": need probit with lambda and rho`},
		"range":            {config(`"rho":0.5`, `"rho":1.5`), "configuration: softmax: probit"},
		"no neurons":       {config(`[1,2,2]`, `[1,0,2]`), "configuration: layers: "},
		"many neurons":     {config(`[1,2,2]`, `[1,4611686018427387904,2]`), "entry mean0: holds 4 numbers; need 4611686018427387904×2"},
		"overflow of size": {config(`[1,2,2]`, `[3,4611686018427387905,2]`), "entry mean0: holds 4 numbers; need 4611686018427387905×4"},
		"other layers":     {config(`[1,2,2]`, `[1,2,3]`), "entry mean1: holds 6 numbers; need 3×3"},
		"other kinds":      {config(`["full","diagonal"]`, `["diagonal"]`), "layer 0: has roots; the layer is diagonal"},

		"shape":        {with(2, mat.NewDense(1, 4, nil)), "(1, 4)"},
		"vector":       {edit(2, "(2, 2), ", "(4,),   "), "(4,)"},
		"big-endian":   {edit(2, "<f8", ">f8"), ">f8"},
		"magic":        {edit(2, "NUMPY", "NUMPI"), "no array in version 2.0 of the .npy format"},
		"long header":  {edit(0, "\x02\x00\x3c\x00\x00\x00", "\x02\x00\xff\xff\xff\xff"), "entry format: header of 4294967295 bytes"},
		"short entry":  {[]entry{{"format.npy", good[0].data[:20]}}, "entry format: EOF"},
		"short data":   {[]entry{{"format.npy", good[0].data[:len(good[0].data)-1]}}, "entry format: is"},
		"more data":    {[]entry{{"format.npy", append(slices.Clone(good[0].data), make([]byte, 8)...)}}, "8 bytes too many"},
		"NaN":          {with(2, mat.NewDense(2, 2, []float64{0, 0, math.NaN(), 0})), "layer 0: row 1 of the means holds NaN"},
		"overflow":     {with(3, mat.NewDense(4, 2, []float64{1e200, 0, 0, 0, 0, 0, 0, 0})), "covariance of neuron 0 overflows"},
		"not definite": {with(5, mat.NewDense(2, 3, []float64{1, 1, 1, 1, -1, 1})), "neuron 1 has the variance -1; need positive semi-definite"},
	} {
		_, err := readBytes(sealed(t, zip.Store, test.entries))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "checkpoint: ") {
			t.Errorf("%s: error %v; want one with %q", name, err, test.want)
		}
	}
	if _, err := readBytes(sealed(t, zip.Deflate, good)); err == nil || !strings.Contains(err.Error(), "entry format: is compressed") {
		t.Errorf("a compressed file: error %v", err)
	}
}

// Whatever is in a file, and in its entries behind checksums that fit, Read does not
// panic, and a network that it returns is one that can be written.
func FuzzRead(f *testing.F) {
	good := small(f)
	f.Add(good[0].data, good[1].data, good[2].data, good[3].data, good[4].data, good[5].data)
	tiny := sealed(f, zip.Store, good)
	f.Add(tiny, []byte{}, []byte{}, []byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, format, config, mean0, root0, mean1, variance1 []byte) {
		entries := slices.Clone(good)
		for i, data := range [][]byte{format, config, mean0, root0, mean1, variance1} {
			entries[i].data = data
		}
		for _, file := range [][]byte{
			sealed(t, zip.Store, entries),
			format,
			reseal(t, format), // a damaged archive
		} {
			n, err := readBytes(file)
			if err != nil {
				continue
			}
			if _, err := readBytes(written(t, n)); err != nil {
				t.Errorf("written again, it is refused: %v", err)
			}
			var p bnn.Prediction
			if err := n.Predict(&p, make([]float64, n.State().Config.Layers[0])); err != nil {
				t.Log(fmt.Sprint("overflow: ", err))
			}
		}
	})
}

// reseal puts a checksum that fits in place of the end of the file.
func reseal(t *testing.T, file []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	s := newSealer(&out)
	if _, err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
