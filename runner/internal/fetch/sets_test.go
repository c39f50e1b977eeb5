package fetch

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/internal/check"
)

// Whatever sets.toml and a mirror say, nothing is written outside of the folder.
func FuzzSets(f *testing.F) {
	text, err := os.ReadFile("../../../experiments/data/sets.toml")
	if err != nil {
		f.Fatal(err)
	}
	for set := range strings.SplitSeq(string(text), "[[set]]") {
		f.Add("[[set]]"+set, "5.1,3.5,1.4,0.2,Iris-setosa\n")
	}
	const one = "[[set]]\nname = 'x'\n[[set.file]]\nurls = ['file:///x']\nsha256 = '" +
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'\npath = "
	f.Add(one+"'a/b.csv'\n", "test")
	f.Add(one+"'../b.csv'\n", "test")
	f.Add(one+"'/tmp/b.csv'\nconvert = 'iris'\n", "test")
	f.Fuzz(func(t *testing.T, sets, published string) {
		root := t.TempDir()
		write(t, []byte(sets), root, "data", File)
		check.Frugal(t, func() {
			read, err := readSets(filepath.Join(root, "data", File), All)
			if err != nil {
				return
			}
			for _, s := range read {
				for _, file := range s.Files {
					file.convert([]byte(published))
					file.check([]byte(published))
					from := filepath.Join(root, "mirror", filepath.Clean("/"+file.Path))
					os.MkdirAll(filepath.Dir(from), 0o777)
					os.WriteFile(from, []byte(published), 0o666)
				}
			}
			nobody := &http.Client{Transport: http.NewFileTransport(http.Dir(root))}
			fetcher := fetcher{mirror: filepath.Join(root, "mirror"), client: nobody}
			fetcher.fetch(t.Context(), filepath.Join(root, "data", File), []string{All}, t.Output())
		})
		if there, _ := filepath.Glob(filepath.Join(root, "*")); len(there) > 2 {
			t.Errorf("it has written %q", there)
		}
	})
}

func TestSetsOutsideOfTheFolder(t *testing.T) {
	for _, path := range []string{"../x.csv", "/x.csv", "a/../../x.csv", ""} {
		file := filepath.Join(t.TempDir(), File)
		write(t, []byte("[[set]]\nname = 'x'\n[[set.file]]\npath = '"+path+"'\n"), file)
		_, err := readSets(file, All)
		refuses(t, path, err, file+": set x: path = ")
	}
}

// What is not there is listed, with the sets that have it.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, "data", name) }
	write(t, nil, at("table.csv"))
	write(t, []byte("[[set]]\nname = \"red\"\n[[set.file]]\npath = \"red.csv\"\n[[set]]\nname = \"green\"\n[[set.file]]\npath = \"green/images\"\n"), at(File))
	red, images, labels := at("red.csv"), at("green/images"), at("green/labels")
	err := Missing(red, at("table.csv"), images, labels, images)
	refuses(t, "missing", err, "no file "+images+", "+labels+", "+red+"; to get the data: go run ./runner fetch green red")
	// Of a set that nobody knows there is nothing to get.
	if err := Missing(labels); err == nil || strings.Contains(err.Error(), "fetch ") || Missing(at("table.csv")) != nil {
		t.Errorf("error %v", err)
	}
}
