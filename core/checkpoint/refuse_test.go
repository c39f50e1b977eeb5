package checkpoint

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
)

// load returns the error of a file.
func load(file []byte) error {
	_, _, err := Load(bytes.NewReader(file))
	return err
}

// parts returns the entries of a model.
func parts(t testing.TB, m bnn.Model) []entry {
	t.Helper()
	f := file{saving: true}
	f.save("", m)
	check.OK(t, f.err)
	return f.entries
}

// A file that is altered in one byte, truncated or longer.
func TestDamaged(t *testing.T) {
	file := saved(t, trained(small))
	for i := 0; i < len(file); i += 19 {
		file[i] ^= 0x20
		check.Refuses(t, fmt.Sprintf("byte %d altered", i), load(file), "checkpoint: ")
		file[i] ^= 0x20
		if i%4 == 0 {
			check.Refuses(t, fmt.Sprint(i, " bytes"), load(file[:i]), "truncated, altered or no checkpoint")
		}
	}
	check.Refuses(t, "more bytes", load(append(file, '\n')))
	check.Refuses(t, "twice", load(slices.Concat(file[:len(file)-1], file)))
}

var damaged = flag.Int("damaged", 100, "damaged files in TestDamagedEntries")

// A file with damaged entries and the right digest is refused, or is a valid model that is saved as the same
// entries: a number may be another one.
func TestDamagedEntries(t *testing.T) {
	rnd, saved := rand.New(random.Source("damaged")), models(t)
	refused := 0
	for i := range *damaged {
		entries := parts(t, saved[i%len(saved)])
		for range 1 + rnd.IntN(3) {
			e := &entries[rnd.IntN(len(entries))]
			switch place := rnd.IntN(max(1, len(e.data))); {
			case len(e.data) == 0 || rnd.IntN(3) == 0:
				e.data = e.data[:min(place, len(e.data))]
			case rnd.IntN(2) == 0:
				e.data[place] ^= 1 << rnd.IntN(8)
			default:
				e.data = slices.Insert(e.data, place, e.data[place/2:place]...)
			}
		}
		file := archive(version, entries)
		m, note, err := Load(bytes.NewReader(file))
		if err != nil {
			check.True(t, strings.HasPrefix(err.Error(), "checkpoint: "), "file %d: %v", i, err)
			refused++
			continue
		}
		var again bytes.Buffer
		check.OK(t, Save(&again, m, note))
		check.True(t, bytes.Equal(again.Bytes(), file), "file %d is loaded, but not saved as it was", i)
	}
	t.Logf("%d of %d files refused", refused, *damaged)
}

// Files whose contents do not fit.
func TestReadRefuses(t *testing.T) {
	type edit = func(all []entry) []entry
	set := func(name, kind string, v any) edit {
		return func(all []entry) []entry {
			k := slices.IndexFunc(all, func(e entry) bool { return e.name == name })
			all[k].data = array(kind, "()", v)
			return all
		}
	}
	replace := func(name, old, now string) edit {
		return func(all []entry) []entry {
			f, text := file{entries: all}, ""
			if f.text(name, &text); !strings.Contains(text, old) {
				t.Fatalf("%s has no %q", text, old)
			}
			text = strings.Replace(text, old, now, 1)
			return set(name, fmt.Sprint("|S", len(text)), []byte(text))(all)
		}
	}
	first := func(n int) edit { return func(all []entry) []entry { return all[:n] } }
	relu := check.Must(features.New(features.Relu, 2, 3, 1))
	const altered = "the file is truncated, altered or no checkpoint"
	const misfit = "readout: a state of another configuration"
	for _, c := range []struct {
		m     bnn.Model
		edits map[string]edit // by the error
	}{
		{trained(small), map[string]edit{
			"entry config is missing":                    first(0),
			"entry variance1 is missing":                 first(4),
			altered + "\x00order":                        func(all []entry) []entry { all[1], all[2] = all[2], all[1]; return all },
			altered + "\x00twice":                        func(all []entry) []entry { return append(all, all[0]) },
			altered + "\x00unknown key":                  replace("config", `{"layers"`, `{"depth":2,"layers"`),
			altered + "\x00big-endian":                   set("mean0", ">f8", []float64{1, 2, 3, 4}),
			"entry config: invalid character":            set("config", "|S2", []byte("no")),
			"layer 0: need means of 2×1":                 replace("config", `"bias":true,`, ""),
			`"best" is not allowed; allowed: "adf"`:      replace("config", `"output":"joint"`, `"output":"best"`),
			`softmax of kind "logit"`:                    replace("config", `"kind":"probit"`, `"kind":"logit"`),
			"6 numbers; need rows of 461168601842738790": replace("config", `[1,2,2]`, `[1,4611686018427387904,2]`),
			"entry variance0 is missing":                 replace("config", `["full",`, `["diagonal",`),
			"entry mean0: 3 numbers; need rows of 2":     set("mean0", "<f8", []float64{0, 0, 0}),
		}},
		{mixtures(t)[0], map[string]edit{
			"entry member0_config is missing":     first(4),
			"mixture: invalid character":          set("mixture", "|S2", []byte("no")),
			"not those of a mixture of 3 members": replace("mixture", `"quartets":[`, `"quartets":[0,`),
			"one of class -1":                     set("sample_class", "<f8", slices.Repeat([]float64{-1}, 21)),
			"the kept examples are not those":     func(all []entry) []entry { all[3].name = "x"; return all },
		}},
		{features.Model{Map: relu, Model: layer(readout.Gaussian, 9)}, map[string]edit{
			`"sine" is not allowed; allowed: "relu"`: replace("features", "relu", "sine"),
			"features: 4, and a model of 3 inputs":   replace("features", `"size":3`, `"size":4`),
			`"relu" is not allowed; allowed: 1 to`:   replace("features", `"inputs":2`, `"inputs":0`),
			"Classes: 1 is not allowed":              replace("model_readout", `"classes":3`, `"classes":1`),
			misfit + "\x00inputs":                    replace("model_readout", `"inputs":3`, `"inputs":9`),
			misfit + "\x00half":                      set("model_count", "<f8", []float64{5.5, 4, 0}),
			misfit + "\x00none":                      first(3),
			"entry model_config is missing":          first(1),
		}},
		{wide(), map[string]edit{
			misfit + "\x00sources":  set("model_source", "<f8", make([]float64, 78)),
			misfit + "\x00another":  set("model_source", "<f8", random.Normals(rand.New(random.Source("x")), 80)),
			misfit + "\x00size":     replace("features", `"size":8`, `"size":9`),
			misfit + "\x00infinite": set("model_source", "<f8", slices.Repeat([]float64{math.Inf(1)}, 80)),
			altered: func(all []entry) []entry {
				return append(all, entry{"model_kept", array("<i2", "(40, 8)", make([]int16, 320))})
			},
		}},
	} {
		for want, edit := range c.edits {
			want, name, _ := strings.Cut(want, "\x00")
			check.Refuses(t, want+name, load(archive(version, edit(parts(t, c.m)))), "checkpoint: ", want)
		}
	}
	former := archive(10, parts(t, trained(small)))
	check.Refuses(t, "format 10", load(former), "the file has format 10; this program reads format 11 only")
}

// Files that announce more than they have are refused before memory is allocated: an entry of 2 GB, layers,
// classes, features and members.
func TestAnnounced(t *testing.T) {
	var bomb bytes.Buffer
	z := zip.NewWriter(&bomb)
	w := check.Must(z.CreateRaw(&zip.FileHeader{
		Name: "format.npy", Method: zip.Deflate, CompressedSize64: 9, UncompressedSize64: 2 << 30,
	}))
	check.Must(w.Write(make([]byte, 9)))
	check.OK(t, z.Close())
	f, config := file{entries: parts(t, trained(small))}, ""
	f.text("config", &config)
	one := func(name, json string) []byte { return archive(version, []entry{{name, text(json)}}) }
	for name, file := range map[string][]byte{
		"an entry":  bomb.Bytes(),
		"inputs":    one("readout", `{"kind":"gaussian","inputs":16384,"classes":4096}`),
		"recursion": one("readout", `{"kind":"ridge","inputs":16384,"classes":2,"sequential":true}`),
		"layers":    one("config", strings.Replace(config, "[1,2,2]", "[9999999,9999999,2]", 1)),
		"members":   one("mixture", `{"members":1000000000}`),
	} {
		check.Frugal(t, func() { check.Refuses(t, name, load(file), "checkpoint: ") })
	}
	for range 2 {
		check.OK(t, f.err)
		f.entries = []entry{{"features", text(`{"kind":"relu","inputs":1000000,"size":60,"seed":1}`)}}
		f.features("", new(features.Map))
	}
	check.Refuses(t, "two maps", f.err, "have 1.2e+08 weights; allowed: 1e+08 in all")
}

// A large model whose entries are almost all zeros is stored so that Load accepts it, and a classifier is small.
func TestPacked(t *testing.T) {
	sparse := check.Must(bnn.New(changed(func(c *bnn.Config) { c.SetCovariance(bnn.Shared) }, 1600, 2),
		random.Source("sparse")))
	check.True(t, len(saved(t, sparse)) > 1600*1600*8, "a file of %d bytes", len(saved(t, sparse)))
	check.OK(t, load(saved(t, sparse)))
}

func text(s string) []byte { return array(fmt.Sprint("|S", len(s)), "()", []byte(s)) }

// Whatever is in a file, and in its entries, Load does not panic, and a network that it returns can be saved.
func FuzzRead(f *testing.F) {
	good := parts(f, trained(small))
	f.Add(good[0].data, good[1].data, good[2].data, good[3].data, good[4].data)
	f.Add(archive(version, good), []byte{}, []byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, config, mean0, root0, mean1, variance1 []byte) {
		entries := slices.Clone(good)
		for i, data := range [][]byte{config, mean0, root0, mean1, variance1} {
			entries[i].data = data
		}
		for _, file := range [][]byte{archive(version, entries), config} {
			check.Frugal(t, func() {
				m, _, err := Load(bytes.NewReader(file))
				if err != nil {
					return
				}
				check.OK(t, load(saved(t, m)))
				inputs, _ := m.Shape()
				_ = m.Predict(new(bnn.Prediction), make([]float64, inputs)) // may overflow
			})
		}
	})
}
