package checkpoint

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/internal/check"
)

// zipped is the name of an entry with its bytes.
type zipped struct {
	name string
	data []byte
}

// sealed returns an archive of the entries with a checksum that fits.
func sealed(t testing.TB, method uint16, entries []zipped) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	check.OK(t, z.SetComment(blank))
	for _, e := range entries {
		w := check.Must(z.CreateHeader(&zip.FileHeader{Name: e.name, Method: method}))
		check.Must(w.Write(e.data))
	}
	check.OK(t, z.Close())
	return reseal(file.Bytes())
}

// smallConfig is that of a network with one full and one diagonal layer.
var smallConfig = changed(func(c *bnn.Config) {
	c.SetCovariance(bnn.Full, bnn.Diagonal)
	c.Output, c.Hidden = bnn.Joint, bnn.Frozen
}, 1, 2, 2)

// small returns the entries of such a network.
func small(t testing.TB) (all []zipped) {
	t.Helper()
	values := check.Must(entries("", trained(smallConfig)))
	for _, e := range append([]entry{{"format", version}}, values...) {
		all = append(all, zipped{e.name + ".npy", array(e.value)})
	}
	return all
}

func TestAlteredByte(t *testing.T) {
	file := written(t, trained(smallConfig))
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
	file := written(t, trained(smallConfig))
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
}

// Files with a checksum that fits, and contents that do not.
func TestReadRefuses(t *testing.T) {
	good := small(t)
	with := func(i int, value any) []zipped {
		entries := slices.Clone(good)
		entries[i].data = array(value)
		return entries
	}
	edit := func(i int, old, replacement string) []zipped {
		entries := slices.Clone(good)
		if !bytes.Contains(good[i].data, []byte(old)) {
			t.Fatalf("%s has no %q", good[i].name, old)
		}
		entries[i].data = bytes.Replace(good[i].data, []byte(old), []byte(replacement), 1)
		return entries
	}
	text := check.Must(encode(trained(smallConfig).State().Config))
	config := func(old, replacement string) []zipped {
		if !strings.Contains(text, old) {
			t.Fatalf("the configuration has no %q: %s", old, text)
		}
		return with(1, strings.Replace(text, old, replacement, 1))
	}
	swapped := slices.Clone(good)
	swapped[2], swapped[3] = good[3], good[2]
	for name, test := range map[string]struct {
		entries []zipped
		want    string
	}{
		"empty":    {nil, "entry format: is missing"},
		"format 2": {with(0, int64(2)), "the file has format 2; this program reads format 4 only"},
		"order":    {swapped, "entry mean0: is missing or not in its place"},
		"missing":  {good[:5], "entry variance1: is missing"},
		"too many": {append(slices.Clone(good), good[0]), "entry format.npy is not part of the format"},

		"no JSON":          {with(1, "hello"), "configuration: invalid character"},
		"unknown key":      {config(`{"layers"`, `{"depth":2,"layers"`), "configuration: read"},
		"missing key":      {config(`"bias":true,`, ""), "configuration: read"},
		"twice":            {config(`"bias":true,`, `"bias":true,"bias":true,`), "configuration: read"},
		"word":             {config(`"output":"joint"`, `"output":"best"`), `"best" is not allowed; allowed: adf, adf-exact, adf-marginal, adf-exact-marginal, joint, total`},
		"softmax":          {config(`"kind":"probit"`, `"kind":"logit"`), `softmax of kind "logit"`},
		"no rho":           {config(`,"rho":0.5`, ``), `softmax of kind "probit": need probit with lambda and rho`},
		"range":            {config(`"rho":0.5`, `"rho":1.5`), "configuration: softmax: probit"},
		"no neurons":       {config(`[1,2,2]`, `[1,0,2]`), "configuration: layers: "},
		"many classes":     {config(`[1,2,2]`, `[1,2,100000]`), "configuration: layers: "},
		"many neurons":     {config(`[1,2,2]`, `[1,4611686018427387904,2]`), "layer 0: has 2×2 means; need 4611686018427387904×2"},
		"overflow of size": {config(`[1,2,2]`, `[3,4611686018427387905,2]`), "layer 0: has 2×2 means; need 4611686018427387905×4"},
		"other layers":     {config(`[1,2,2]`, `[1,2,3]`), "layer 1: has 2×3 means; need 3×3"},
		"other kinds":      {config(`["full","diagonal"]`, `["diagonal","diagonal"]`), "entry variance0: is missing or not in its place"},

		"shape":        {with(2, mat.NewDense(1, 4, nil)), "layer 0: has 1×4 means; need 2×2"},
		"vector":       {edit(2, "(2, 2), ", "(4,),   "), "(4,)"},
		"big-endian":   {edit(2, "<f8", ">f8"), ">f8"},
		"magic":        {edit(2, "NUMPY", "NUMPI"), "entry mean0: is not what Write writes"},
		"long header":  {edit(0, "\x02\x00\x3c\x00\x00\x00", "\x02\x00\xff\xff\xff\xff"), "entry format: is not what Write writes"},
		"short entry":  {[]zipped{{"format.npy", good[0].data[:20]}}, "entry format: is not what Write writes"},
		"short data":   {[]zipped{{"format.npy", good[0].data[:len(good[0].data)-1]}}, "entry format: is not what Write writes"},
		"more data":    {[]zipped{{"format.npy", append(slices.Clone(good[0].data), make([]byte, 8)...)}}, "16 bytes"},
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

// Files of banks with contents that do not fit.
func TestBankRefuses(t *testing.T) {
	values := check.Must(entries("", banks(t)[0]))
	text := values[0].value.(string)
	for want, edit := range map[string]func(all []entry) []entry{
		"entry log: is missing":                        func(all []entry) []entry { return all[:1] },
		"entry bank2_config: is missing":               func(all []entry) []entry { return all[:len(all)-3] },
		"bank: invalid character":                      func(all []entry) []entry { all[0].value = "hello"; return all },
		"bank: read":                                   func(all []entry) []entry { all[0].value = strings.Replace(text, `"seen"`, `"saw"`, 1); return all },
		`Weighing.Weights: "odds" is not allowed`:      func(all []entry) []entry { all[0].value = strings.Replace(text, "universal", "odds", 1); return all },
		"Log = [NaN 0 0]":                              func(all []entry) []entry { all[1].value = mat.NewDense(1, 3, []float64{math.NaN(), 0, 0}); return all },
		"need 15 numbers, one above −∞, for 3 members": func(all []entry) []entry { all[1].value = mat.NewDense(1, 2, nil); return all },
	} {
		all := []zipped{{"format.npy", array(version)}}
		for _, e := range edit(slices.Clone(values)) {
			all = append(all, zipped{e.name + ".npy", array(e.value)})
		}
		if _, _, err := Load(bytes.NewReader(sealed(t, zip.Store, all))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
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
			reseal(format), // a damaged archive
		} {
			check.Frugal(t, func() {
				n, err := readBytes(file)
				if err != nil {
					return
				}
				if _, err := readBytes(written(t, n)); err != nil {
					t.Errorf("written again, it is refused: %v", err)
				}
				var p bnn.Prediction
				if err := n.Predict(&p, make([]float64, n.State().Config.Layers[0])); err != nil {
					t.Log(fmt.Sprint("overflow: ", err))
				}
			})
		}
	})
}

// reseal puts a checksum that fits in place of the end of the file.
func reseal(file []byte) []byte {
	content := file[:max(0, len(file)-sealSize)]
	return append(slices.Clone(content), checksum(content)...)
}
