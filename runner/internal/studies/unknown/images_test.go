package unknown

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"closedform/core/random"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// changed returns an image of 4×4 pixels changed.
func changed(kind string, x []float64, degree float64) []float64 {
	dst := make([]float64, len(x))
	change(kind, degree, 4, rand.New(random.Source("near")))(dst, x)
	return dst
}

func TestChanges(t *testing.T) {
	x := make([]float64, 16)
	for i := range x {
		x[i] = float64(i * i)
	}
	turned := make([]float64, 16) // anticlockwise: the last column becomes the first row
	for i := range 4 {
		for j := range 4 {
			turned[i*4+j] = x[j*4+3-i]
		}
	}
	check.NearAll(t, "no turn", changed("rotation", x, 0), x, 1e-12)
	check.NearAll(t, "a quarter", changed("rotation", x, 90), turned, 1e-10)
	half := slices.Clone(x)
	slices.Reverse(half)
	check.NearAll(t, "a half", changed("rotation", x, 180), half, 1e-10)
	const mean = 1240. / 16
	check.NearAll(t, "no contrast", changed("contrast", x, 1), slices.Repeat([]float64{mean}, 16), 1e-12)
	check.Near(t, "half the contrast", changed("contrast", x, 0.5)[15], (225+mean)/2, 1e-12)
	_, sd := table.MeanSD(noises(x))
	check.Near(t, "deviation of the noise", sd/(0.2*255), 1, 5/math.Sqrt(2*16000))
	over, dst := change("overlay", 0.5, 4, nil), make([]float64, 16)
	over(dst, x)
	check.NearAll(t, "the first", dst, x, 0)
	over(dst, make([]float64, 16))
	check.Near(t, "the one before", dst[15], 225./2, 0)
}

// noises returns the noise of a thousand images.
func noises(x []float64) (all []float64) {
	f, dst := change("noise", 0.2, 4, rand.New(random.Source("noise"))), make([]float64, 16)
	for range 1000 {
		f(dst, x)
		for i := range dst {
			all = append(all, dst[i]-x[i])
		}
	}
	return all
}

// A ramp of 4 levels, twice as large, by hand, in the middle of a dark image.
func TestEnlarged(t *testing.T) {
	set := data.Set{X: [][]float64{make([]float64, 16)}, Class: []int{0}}
	for i := range set.X[0] {
		set.X[0][i] = float64(i % 4)
	}
	e := enlarged(dataset.NewExamples(set, 2), 8, 12)
	got := e.Set(0, 1).X[0]
	dark := make([]float64, 2)
	want := slices.Concat(dark, []float64{0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3}, dark)
	for i := range want {
		want[i] *= 85
	}
	for row := range 12 {
		if row < 2 || row >= 10 {
			check.NearAll(t, "dark", got[12*row:12*row+12], make([]float64, 12), 0)
		} else {
			check.NearAll(t, "ramp", got[12*row:12*row+12], want, 1e-12)
		}
	}
}

func TestKept(t *testing.T) {
	x := make([][]float64, 10)
	for i := range x {
		x[i] = make([]float64, 16)
		for j := range min(i, 5) {
			x[i][j] = 1 // input j is lit in 9−j of ten
		}
	}
	e := dataset.NewExamples(data.Set{X: x, Class: make([]int, 10)}, 2)
	for _, c := range []struct {
		in   inputs
		want []int
	}{
		{inputs{Lit: 0.6}, []int{0, 1, 2}},
		{inputs{Lit: 0.5999}, []int{0, 1, 2, 3}},
		{inputs{Box: 2}, []int{5, 6, 9, 10}},
		{inputs{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
	} {
		got := c.in.kept(e)
		check.Equal(t, c.in, got, c.want)
		for k, x := range restricted(e, got).Set(7, 8).X[0] {
			check.Near(t, "kept", x, map[bool]float64{true: 1}[c.want[k] < 5], 0)
		}
	}
}

// idx writes images of 4×4 pixels, with the class of each a bright row, and the level of
// their first pixel; it returns the keys of the files.
func idx(t *testing.T, prefix string, n int, corner byte) string {
	t.Helper()
	rnd := rand.New(random.Source("idx", n))
	images := binary.BigEndian.AppendUint32(nil, 0x803)
	for _, size := range []int{n, 4, 4} {
		images = binary.BigEndian.AppendUint32(images, uint32(size))
	}
	labels := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 0x801), uint32(n))
	for i := range n {
		for j := range 16 {
			level := 20 * rnd.IntN(4)
			if j/4 == 1+i%2 {
				level += 120
			}
			if j == 0 {
				level = int(corner)
			}
			images = append(images, byte(level))
		}
		wrong := i % 7 / 6 // one in seven
		labels = append(labels, byte((i+wrong)%2))
	}
	folder := t.TempDir()
	var keys strings.Builder
	for name, content := range map[string][]byte{"images": images, "labels": labels} {
		path := filepath.Join(folder, name)
		check.OK(t, os.WriteFile(path, content, 0o644))
		keys.WriteString(prefix + name + " = \"" + path + "\"\n")
	}
	return keys.String()
}

// What differs in a pixel only is told apart while that is there; the middle of the images
// has it no more, and the lit ones of the training part neither. Labelled data from
// elsewhere and changed images are scored by their classes.
func TestRestricted(t *testing.T) {
	text := `
name = "restricted"; study = "unknown"; seed = 1
[data]; ` + idx(t, "", 80, 0) + idx(t, "test_", 40, 0) + `
[unknown]; wrong = [0.05, 0.2]; scores = ["probability", "density"]; score = "density"
[[outside]]; name = "corner"; ` + idx(t, "", 40, 90) + `
[[outside]]; name = "same"; labelled = true; ` + idx(t, "", 40, 0) + `
[[near]]; kind = "rotation"; degrees = [0, 90]; examples = 30
[[inputs]]; name = "all"; methods = ["pixels", "network"]
[[inputs]]; name = "lit"; lit = 0.02; methods = ["pixels", "network"]
[[inputs]]; name = "box"; box = 2; methods = ["pixels"]
[[method]]; name = "pixels"; kind = "class-gaussian"; shrinkage = 0.1
[[method]]; name = "network"; kind = "closed-form"
`
	tables := studytest.Run(t, Kind, text)
	outside := tables.Get("outside").Where("method", "pixels").Where("confidence", "density")
	check.NearAll(t, "AUROC", outside.Nums("auroc"), []float64{1, 0.5, 0.5}, 1e-12)
	check.Equal(t, "inputs", outside.Texts("inputs"), []string{"all", "lit", "box"})
	check.Equal(t, "inputs of the network", tables.Get("outside").Where("method", "network").Distinct("inputs"), []string{"all", "lit"})
	check.Equal(t, "outside data", tables.Get("outside").Distinct("data"), []string{"corner"})
	near := tables.Get("near").Where("method", "pixels").Where("inputs", "all")
	// The same, not turned, and where rows are columns.
	if e := near.Nums("error"); !(e[0] < 0.25 && e[1] < 0.25 && e[2] > 0.3) {
		t.Errorf("errors %v", e)
	}
	check.Near(t, "AUROC of a quarter turn", near.Nums("auroc")[2], 1, 1e-12)
	for i, right := range near.Nums("correct") {
		check.Equal(t, fmt.Sprintf("shares of row %d", i), right+near.Nums("unknown")[i]+near.Nums("wrong")[i], 1)
	}
	r := tables.Get("decisions").Where("method", "pixels").Where("inputs", "all").Where("confidence", "density").Where("wanted", "wrong=0.05")
	check.Near(t, "same", near.Nums("correct")[0], r.Nums("correct")[0], 0)
	studytest.Differ(t, Kind, text, "inputs.all.box=4", "inputs.all.lit=0.1", "near.1.degrees=[1]",
		"outside.corner.labelled=true")
	studytest.Refused(t, Kind, text, map[string]string{
		"inputs.box.box=5": "up to 4, the side of square images", "inputs.lit.lit=1.0": "inputs.lit.lit",

		"inputs.box.box=-1": "up to 4", "near.1.kind=x": "allowed: contrast, noise, overlay, rotation", "near.1.degrees=[]": "degrees",
		"near.1.degrees=[361]": "-360 to 360", "near.1.kind=contrast": "90 is not allowed; allowed: 0 to 1", "near.1.kind=noise": "allowed: 0 to 10",
		"inputs.box.methods=[\"x\"]": "inputs.box.methods: \"x\" is not allowed; allowed: pixels, network",
	})
	for _, c := range studytest.New(t, Kind, text, "inputs.lit.lit=0.999").Cells() {
		_, err := c.Run(t.Context())
		if dark := strings.Contains(c.Key, "inputs=lit"); dark != (err != nil) || dark && !strings.Contains(err.Error(), "inputs.lit: no input is lit in more than 0.999") {
			t.Errorf("%s: error %v", c.Key, err)
		}
	}
}
