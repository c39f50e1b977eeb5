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
	"closedform/core/features"
	"closedform/core/readout"
	check "closedform/internal/checktest"
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

// arrays are the entries of a file with these values.
func arrays(values []entry) (all []zipped) {
	for _, e := range values {
		all = append(all, zipped{e.name + ".npy", array(e.value)})
	}
	return all
}

// load returns the error of a file.
func load(file []byte) error {
	_, _, err := Load(bytes.NewReader(file))
	return err
}

// A file that is altered in one byte, truncated or longer.
func TestDamaged(t *testing.T) {
	file := written(t, trained(smallConfig))
	for i := range file {
		for _, flip := range []byte{1, 0x20, 0x80} {
			file[i] ^= flip
			check.Refuses(t, fmt.Sprintf("byte %d altered by %#x", i, flip), load(file), "checksum")
			file[i] ^= flip
		}
		check.Refuses(t, fmt.Sprint(i, " bytes"), load(file[:i]), "checksum")
	}
	for _, more := range []string{"\n", string(file)} {
		check.Refuses(t, "more bytes", load([]byte(string(file)+more)))
	}
}

// Files with a checksum that fits, and contents that do not.
func TestReadRefuses(t *testing.T) {
	good := arrays(check.Must(entries(trained(smallConfig), "")))
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
	text := check.Must(entries(trained(smallConfig), ""))[1].value.(string)
	config := func(old, replacement string) []zipped {
		if !strings.Contains(text, old) {
			t.Fatalf("the configuration has no %q: %s", old, text)
		}
		return with(1, strings.Replace(text, old, replacement, 1))
	}
	swapped := slices.Clone(good)
	swapped[2], swapped[3] = good[3], good[2]
	twins := arrays(check.Must(entries(ensemble(trained(smallConfig), trained(smallConfig)), "")))
	for i, e := range twins { // equal configurations of two members
		if e.name == "member1_config.npy" {
			j := slices.IndexFunc(twins, func(e zipped) bool { return e.name == "member0_config.npy" })
			twins[i], twins[j] = twins[j], twins[i]
			break
		}
	}
	for name, test := range map[string]struct {
		entries []zipped
		want    string
	}{
		"empty":    {nil, "entry format is missing"},
		"format 2": {with(0, int64(2)), "the file has format 2; this program reads formats 5 and 6 only"},
		"order":    {swapped, "entry root0.npy is not what Save writes"},
		"equals":   {twins, "is not what Save writes"},
		"missing":  {good[:5], "entry variance1 is missing"},
		"too many": {append(slices.Clone(good), good[0]), "entry format.npy is not what Save writes"},

		"no JSON":          {with(1, "hello"), "entry config: invalid character"},
		"unknown key":      {config(`{"layers"`, `{"depth":2,"layers"`), "entry config.npy is not what Save writes"},
		"missing key":      {config(`"bias":true,`, ""), "layer 0: has 2×2 means; need 2×1"},
		"twice":            {config(`"bias":true,`, `"bias":true,"bias":true,`), "entry config.npy is not what Save writes"},
		"word":             {config(`"output":"joint"`, `"output":"best"`), `"best" is not allowed; allowed: adf, adf-exact, adf-marginal, adf-exact-marginal, joint, total`},
		"softmax":          {config(`"kind":"probit"`, `"kind":"logit"`), `softmax of kind "logit"`},
		"no rho":           {config(`,"rho":0.5`, ``), `softmax of kind "probit": need probit with lambda and rho`},
		"many neurons":     {config(`[1,2,2]`, `[1,4611686018427387904,2]`), "layer 0: has 2×2 means; need 4611686018427387904×2"},
		"overflow of size": {config(`[1,2,2]`, `[3,4611686018427387905,2]`), "layer 0: has 2×2 means; need 4611686018427387905×4"},
		"other kinds":      {config(`["full","diagonal"]`, `["diagonal","diagonal"]`), "entry variance0 is missing"},

		"vector":      {edit(2, "(2, 2), ", "(4,),   "), "(4,)"},
		"big-endian":  {edit(2, "<f8", ">f8"), "entry mean0.npy is not what Save writes"},
		"long header": {edit(0, "\x02\x00\x3c\x00\x00\x00", "\x02\x00\xff\xff\xff\xff"), "entry format.npy is not what Save writes"},
		"short entry": {[]zipped{{"format.npy", good[0].data[:20]}}, "entry format: buffer too small"},
		"more data":   {append([]zipped{{"format.npy", append(slices.Clone(good[0].data), make([]byte, 8)...)}}, good[1:]...), "entry format.npy is not what Save writes"},
		"NaN":         {with(2, mat.NewDense(2, 2, []float64{0, 0, math.NaN(), 0})), "layer 0: row 1 of the means holds NaN"},
	} {
		check.Refuses(t, name, load(sealed(t, zip.Store, test.entries)), "checkpoint: ", test.want)
	}
}

// Files of banks, and of output layers and features, with contents that do not fit.
func TestModelsRefused(t *testing.T) {
	edit := func(i int, old, now string) func([]entry) []entry {
		return func(all []entry) []entry {
			text := strings.Replace(all[i].value.(string), old, now, 1)
			if all[i].value == text {
				t.Fatalf("%s has no %q", text, old)
			}
			all[i].value = text
			return all
		}
	}
	set := func(i int, value any) func([]entry) []entry {
		return func(all []entry) []entry { all[i].value = value; return all }
	}
	matrix := func(i, r, c int, x ...float64) func([]entry) []entry { return set(i, mat.NewDense(r, c, x)) }
	first := func(n int) func([]entry) []entry { return func(all []entry) []entry { return all[:n] } }
	relu := check.Must(features.New(features.Relu, 2, 3, 1))
	ofBank, ofLayer := bnn.Model(banks(t)[0]), bnn.Model(features.Model{Map: relu, Model: layer(readout.Gaussian, 9)})
	for m, edits := range map[bnn.Model]map[string]func([]entry) []entry{
		ofBank: {
			"entry member0_config is missing":           first(2),
			"entry member2_config is missing":           func(all []entry) []entry { return all[:len(all)-3] },
			"mixture: invalid character":                set(1, "hello"),
			"entry mixture.npy is not what Save writes": edit(1, `"fixed"`, `"firm"`),
			"need 15 and 6 finite ones for 3 members":   edit(1, `"mixtures":[`, `"mixtures":[0,`),
		},
		ofLayer: {
			"entry features.npy is not what Save writes":                    edit(1, `"seed"`, `"Seed"`),
			`"sine" is not allowed; allowed: relu, conv`:                    edit(1, "relu", "sine"),
			"features: 4, and a model of 3 inputs":                          edit(1, `"size":3`, `"size":4`),
			`features: "relu" is not allowed with 0 inputs`:                 edit(1, `"inputs":2`, `"inputs":0`),
			"entry model_readout.npy is not what Save writes":               edit(2, `"kind"`, `"Kind"`),
			"classes: 1 is not allowed":                                     edit(2, `"classes":3`, `"classes":1`),
			"9 counts of kept examples and 27 numbers of 9 kept examples; the layer has 3 inputs and 4 classes": edit(2, `"classes":3`, `"classes":4`),
			"the layer has 9 inputs and 3 classes":                          edit(2, `"inputs":3`, `"inputs":9`),
			"18 products":                                                   edit(2, "gaussian", "ridge"),
			"entry model_count.npy is not what Save writes":                 matrix(3, 1, 3, 5, 4, 0.5),
			"readout: a kept example of class":                                matrix(6, 1, 9, 7, 7, 7, 7, 7, 7, 7, 7, 7),
			"6 counts of kept examples and 27 numbers of 9":                         matrix(7, 2, 3),
			"a state of 3 counts, 0 sums":                                   first(4),
			"entry model_config is missing":                                 first(2),
		},
	} {
		good := check.Must(entries(m, ""))
		for want, edit := range edits {
			check.Refuses(t, "a file", load(sealed(t, zip.Store, arrays(edit(slices.Clone(good))))), want)
		}
	}
}

// Whatever is in a file, and in its entries behind checksums that fit, Read does not
// panic, and a network that it returns is one that can be written.
func FuzzRead(f *testing.F) {
	good := arrays(check.Must(entries(trained(smallConfig), "")))
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
				m, _, err := Load(bytes.NewReader(file))
				if err != nil {
					return
				}
				check.OK(t, load(written(t, m)))
				inputs, _ := m.Shape()
				_ = m.Predict(new(bnn.Prediction), make([]float64, inputs)) // may overflow
			})
		}
	})
}

// reseal puts a checksum that fits in place of the end of the file.
func reseal(file []byte) []byte {
	content := file[:max(0, len(file)-sealSize)]
	return append(slices.Clone(content), checksum(content)...)
}
