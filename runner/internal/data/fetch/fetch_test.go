package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
)

const text = "one hundred bytes, or so"

// project is the file of sets of this project.
var project = filepath.Join("..", "..", "..", "..", "experiments", "data", File)

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// publish serves the paths of a map; /broken breaks off.
func publish(t testing.TB, served map[string]string) string {
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := served[r.URL.Path]
		if r.URL.Path == "/broken" {
			w.Header().Set("Content-Length", "99")
		} else if !ok {
			http.NotFound(w, r)
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(p.Close)
	return p.URL
}

// get fetches sets, each of one file that has its name, into a folder, and returns what is said.
func get(t *testing.T, folder, mirror string, names []string, files ...setFile) (stdout string, err error) {
	t.Helper()
	type set struct {
		Name string
		File []setFile
	}
	var sets []set
	for _, f := range files {
		sets = append(sets, set{f.Path, []setFile{f}})
	}
	check.Write(t, string(check.Must(toml.Marshal(map[string][]set{"set": sets}))), folder, File)
	var out bytes.Buffer
	err = Get(t.Context(), filepath.Join(folder, File), names, mirror, &out)
	return out.String(), err
}

var everySet = []string{All}

// file returns the text of a file, "" if there is none.
func file(path ...string) string {
	text, _ := os.ReadFile(filepath.Join(path...))
	return string(text)
}

// A file is taken from the first address that has it; what is there is not replaced by something worse. An
// error does not keep other files from being fetched.
func TestFetch(t *testing.T) {
	root := t.TempDir()
	url := publish(t, map[string]string{"/a": text, "/wrong": "wrong"})
	path := filepath.Join(root, "sub", "a")
	for _, c := range []struct{ before, urls, err string }{
		{"damaged", "/a", ""},
		{text, "/gone", ""}, // it is there
		{"damaged", "/broken", "/broken: unexpected EOF"},
		{"damaged", "/wrong", "/wrong: wrong SHA-256: found " + sumOf("wrong") + ", need " + sumOf(text)},
		{"damaged", "/gone /wrong /a", ""},
		{"damaged", "/gone", "/gone: status 404 Not Found"},
	} {
		a := setFile{Path: "sub/a", SHA256: sumOf(text)}
		for path := range strings.FieldsSeq(c.urls) {
			a.URLs = append(a.URLs, url+path)
		}
		check.Write(t, c.before, path)
		other := setFile{Path: "z", SHA256: sumOf(text), URLs: []string{url + "/a"}}
		_, err := get(t, root, "", everySet, a, other)
		if c.err == "" {
			check.OK(t, err)
			c.before = text
		} else {
			check.Refuses(t, c.err, err, "sub/a: "+path+": "+url, c.err)
		}
		check.Equal(t, c.urls, []string{file(path), file(root, "z")}, []string{c.before, text})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Get(ctx, filepath.Join(root, File), everySet, "", &bytes.Buffer{})
	check.Refuses(t, "after the end of the context", err)
}

func TestFetchMirror(t *testing.T) {
	mirror, root, url := t.TempDir(), t.TempDir(), publish(t, map[string]string{"/a": text})
	check.Write(t, text, mirror, "sub", "a")
	check.Write(t, "damaged", mirror, "damaged")
	in := func(path string) setFile {
		return setFile{Path: path, SHA256: sumOf(text), URLs: []string{url + "/a"}}
	}
	stdout, err := get(t, root, mirror, everySet, in("sub/a"), in("damaged"), in("lacking"))
	check.Refuses(t, "damaged", err, filepath.Join(mirror, "damaged")+": wrong SHA-256: ")
	from := " bytes from " + filepath.Join(mirror, "sub", "a")
	check.Contains(t, stdout, from+"\n", ": failed\n", " from "+url+"/a\n")
	check.Equal(t, "the files", []string{file(root, "sub/a"), file(root, "lacking"), file(root, "damaged")},
		[]string{text, text, ""})
	none := filepath.Join(mirror, "none")
	check.Refuses(t, "a mirror that is none", check.Err(get(t, root, none, everySet, in("b"))), "mirror: ")
	// Of the sets that are named, which must exist, each is fetched once.
	names := []string{"sub/a", "x", "sub/a"}
	stdout = check.Must(get(t, t.TempDir(), mirror, names, in("x"), in("y"), in("sub/a")))
	check.Equal(t, "lines", strings.Count(stdout, "\n"), 2)
	err = check.Err(get(t, root, mirror, []string{"a", "sub/a"}, in("sub/a"), in("y")))
	check.Refuses(t, "a", err, `no data set "a"; allowed: all, sub/a, y`)
}

// The sum is that of the content.
func TestContentSum(t *testing.T) {
	zipped := check.Gzip(text)
	for what, c := range map[string]struct {
		data string
		ok   bool
	}{
		"gzip": {zipped, true}, "other content": {check.Gzip(text[1:]), false},
		"cut off": {zipped[:len(zipped)-1], false}, "not gzip": {text, true},
	} {
		check.Equal(t, what, setFile{SHA256: sumOf(text)}.check([]byte(c.data)) == nil, c.ok)
	}
}

func TestConvert(t *testing.T) {
	const setosa = "4.9,3.1,1.5,0.1,Iris-setosa\n"
	sets := map[string]setFile{}
	for _, f := range check.Must(readSets(project, All)) {
		sets[f.set] = f
	}
	thirty := strings.TrimSuffix(strings.Repeat("1.5,", 30), ",")
	for _, c := range []struct{ set, published, want string }{
		{"segment", "1 2  3 \n4\t5\t6\n\n7,8,9", "1,2,3\n4,5,6\n7,8,9\n"},
		{"iris", strings.Repeat(setosa, 38), strings.Repeat(setosa, 34) + "4.9,3.1,1.5,0.2,Iris-setosa\n" +
			setosa + setosa + "4.9,3.6,1.4,0.1,Iris-setosa\n"},
		{"wine", "1,13,.5\n3,14.2,0.5\n", "13,0.5,1\n14.2,0.5,3\n"},
		{"wine", "13,.5,1\n", "13,0.5,1\n"},
		{"breast_cancer", "842,M," + thirty + "\n843,B," + thirty + "\n", thirty + ",M\n" + thirty + ",B\n"},
		{"glass", "1,1.5,7\n2,1.6,1\n", "1.5,7\n1.6,1\n"},
		{
			"penguins",
			"species,island,a,b,c,d,sex\nAdelie,X,39.1,18.7,181,3750,m\nAdelie,X,NA,NA,NA,NA,NA\nGentoo,B,1,2,3,4,\n",
			"39.1,18.7,181,3750,Adelie\n1,2,3,4,Gentoo\n",
		},
	} {
		f := sets[c.set]
		check.Equal(t, c.set, string(check.Must(f.convert([]byte(c.published)))), f.Header+"\n"+c.want)
	}
	check.Refuses(t, "no picture", check.Err(setFile{Fashion: "images"}.convert([]byte("<html>\n"))), "PNG: ")
	bad := setFile{Header: "a", Replace: []string{"("}}
	check.Refuses(t, "no pattern", check.Err(bad.convert(nil)), "missing closing )")
	// A file that ends in .gz is packed, unless it is published so.
	for _, published := range []string{text, check.Gzip(text)} {
		packed := setFile{Path: "a.gz", SHA256: sumOf(text)}
		data := check.Must(packed.convert([]byte(published)))
		check.OK(t, packed.check(data))
		check.Equal(t, "packed", string(data[:2]), "\x1f\x8b")
	}
	// Two parts are put together, whether the first ends in a line end or not.
	url := publish(t, map[string]string{"/1": "1 2\n3 4", "/2": "5\t6\r\n\n"})
	file := setFile{Path: "a", Header: "a,b", SHA256: sumOf("a,b\n1,2\n3,4\n5,6\n")}
	file.URLs = []string{url + "/1 " + url + "/2"}
	check.Must(get(t, t.TempDir(), "", everySet, file))
}

// The picture has pixel (x, y) of the grey level y mod 200 + x mod 28.
func TestFashion(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 840, 840))
	for y := range 840 {
		for x := range 840 {
			img.Set(x, y, color.Gray{uint8(y%200 + x%28)})
		}
	}
	var picture bytes.Buffer
	check.OK(t, png.Encode(&picture, img))
	folder := t.TempDir()
	for _, part := range []string{"images", "labels"} {
		check.Write(t, string(check.Must(setFile{Fashion: part}.convert(picture.Bytes()))), folder, part)
	}
	e := check.Must((&data.Files{Images: "images", Labels: "labels"}).Load(folder, nil))
	check.Equal(t, "examples, inputs and classes", []int{e.Len(), e.Inputs(), len(e.Classes())},
		[]int{900, 784, 10})
	x := e.Input(95) // tile 5 of the fourth row
	check.Equal(t, "classes", []int{e.Class(89), e.Class(90)}, []int{0, 1})
	check.Equal(t, "pixels", []float64{x[0], x[1], x[28], x[783]}, []float64{84, 85, 85, 84 + 27 + 27})
}

// The sets of this project: each file has a sum and an address.
func TestSets(t *testing.T) {
	var names []string
	seen := map[string]bool{}
	for _, f := range check.Must(readSets(project, All)) {
		names = append(names, f.set)
		sum, err := hex.DecodeString(f.SHA256)
		good := err == nil && len(sum) == sha256.Size && !seen[f.SHA256] && !seen[f.Path] && len(f.URLs) > 0
		check.True(t, good, "%+v", f)
		seen[f.SHA256], seen[f.Path] = true, true
	}
	check.Equal(t, "sets", strings.Join(slices.Compact(names), " "),
		"iris wine breast_cancer digits satimage segment glass penguins mnist kmnist fashion-mnist-900 "+
			"electricity chessboard confirm confirm-streams")
	bad := filepath.Join(t.TempDir(), File)
	for text, want := range map[string]string{
		"[[set]]\nnam = \"x\"\n":                                 ": set.nam: unknown key",
		"[[set]]\nname = \"x\"\n[[set.file]]\npath = \"../a\"\n": `: set x: path = "../a"; allowed: a path below`,
		"[[set": ": toml: ",
	} {
		check.Write(t, text, bad)
		check.Refuses(t, text, check.Err(readSets(bad)), bad+want)
	}
}

// What is not there is listed, with the sets that have it.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	inData := func(name string) string { return filepath.Join(dir, "data", name) }
	check.Write(t, "", inData("table.csv"))
	check.Write(t, "[[set]]\nname = \"red\"\n[[set.file]]\npath = \"red.csv\"\n"+
		"[[set]]\nname = \"green\"\n[[set.file]]\npath = \"green/images\"\n", inData(File))
	red, images, labels := inData("red.csv"), inData("green/images"), inData("green/labels")
	err := Missing(inData(File), "get", red, inData("table.csv"), images, labels, images)
	want := "no file " + images + ", " + labels + ", " +
		red + "; to get the data: get green red"
	check.Refuses(t, "missing", err, want)
	// Of a set that nobody knows there is nothing to get.
	err = Missing(inData(File), "get", labels)
	check.True(t, err != nil && !strings.Contains(err.Error(), " get "), "error %v", err)
	check.OK(t, Missing(inData(File), inData("table.csv")))
}
