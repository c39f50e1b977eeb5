package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func openTemp(t testing.TB) *Folder {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "results", "x"))
}

func open(t testing.TB, dir string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// newCell returns a cell of so many rows, whose numbers follow from its key.
func newCell(key, fingerprint string, rows int) *Cell {
	table := Table{Name: "grid", Header: []string{"key", "i", "p"}}
	for i := range rows {
		x := float64(len(key)*i) / 7
		table.Rows = append(table.Rows, []string{key, fmt.Sprint(i), Float(x)})
	}
	return &Cell{Key: key, Fingerprint: fingerprint, Tables: []Table{table}, Seconds: 0.25}
}

func save(t testing.TB, f *Folder, c *Cell) {
	t.Helper()
	if err := f.SaveCell(c); err != nil {
		t.Fatal(err)
	}
}

func TestCellRoundTrip(t *testing.T) {
	f := openTemp(t)
	keys := []string{
		"lambda=0.3 seed=1", "lambda=0.3/seed=1", "Lambda=0.3 seed=1", "", "..", ".hidden1", "ε=½",
		strings.Repeat("long", 500), "a\x00b\nc",
	}
	for _, key := range keys {
		save(t, f, newCell(key, "f1", 3))
	}
	for _, key := range keys {
		want := newCell(key, "f1", 3)
		got, ok, err := f.LoadCell(key, "f1")
		if !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("key %.40q: got %+v, %v, %v", key, got, ok, err)
		}
		if !f.HasCell(key, "f1") {
			t.Errorf("key %.40q: HasCell is false", key)
		}
	}
	// Opening again sweeps; no cell may look like a temporary file.
	f.Close()
	f = open(t, f.dir)
	entries, err := os.ReadDir(f.cells())
	if err != nil || len(entries) != len(keys)+1 {
		t.Errorf("%d files in cells, %v, want %d and the lock", len(entries), err, len(keys))
	}
}

func TestCellAbsent(t *testing.T) {
	f := openTemp(t)
	if c, ok, err := f.LoadCell("k", "f"); c != nil || ok || err != nil {
		t.Errorf("absent: %v, %v, %v", c, ok, err)
	}
	if f.HasCell("k", "f") {
		t.Error("absent: HasCell is true")
	}
	save(t, f, newCell("k", "f", 2))
	if c, ok, err := f.LoadCell("k", "g"); c != nil || ok || err != nil {
		t.Errorf("another fingerprint: %v, %v, %v", c, ok, err)
	}
	if f.HasCell("k", "g") {
		t.Error("another fingerprint: HasCell is true")
	}
	save(t, f, newCell("k", "g", 2))
	if !f.HasCell("k", "g") || f.HasCell("k", "f") {
		t.Error("the second cell of this key does not stand in place of the first")
	}
}

func TestCellIsGzippedJSON(t *testing.T) {
	f := openTemp(t)
	save(t, f, newCell("k", "f", 1))
	file, err := os.Open(f.cellFile("k"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if want := `{"Key":"k","Fingerprint":"f",`; err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("unzipped it begins %.40q, %v", text, err)
	}
}

func TestSaveCellRefusesWhatItCannotGiveBack(t *testing.T) {
	f := openTemp(t)
	c := newCell("k", "f", 1)
	c.Tables[0].Rows[0][0] = "\xff"
	if err := f.SaveCell(c); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("error %v", err)
	}
	for _, fingerprint := range []string{"", "two words", "ü", strings.Repeat("f", 257)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("fingerprint %q: want a panic", fingerprint)
				}
			}()
			f.SaveCell(newCell("k", fingerprint, 1))
		}()
	}
}

// A cell file that was cut off or in which one bit is wrong is never taken for
// another cell, and its cell can be saved anew.
func TestDamagedCell(t *testing.T) {
	f := openTemp(t)
	want := newCell("k", "f", 5)
	save(t, f, want)
	path := f.cellFile("k")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(data []byte) (ok bool, err error) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		c, ok, err := f.LoadCell("k", "f")
		if ok && !reflect.DeepEqual(c, want) {
			t.Fatalf("a damaged file was taken for the cell %+v", c)
		}
		return ok, err
	}
	for n := range whole {
		if ok, err := damage(whole[:n]); ok || err == nil {
			t.Errorf("cut off after %d of %d bytes: %v, %v", n, len(whole), ok, err)
		}
		if f.HasCell("k", "f") {
			t.Errorf("cut off after %d of %d bytes: HasCell is true", n, len(whole))
		}
	}
	_, body, err := decodeLabel(whole)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(whole) {
		data := append([]byte(nil), whole...)
		data[bit/8] ^= 1 << (bit % 8)
		c, err := decodeCell(data, "k", "f")
		inBody := bit/8 >= len(whole)-len(body)
		if inBody && err == nil {
			t.Errorf("bit %d flipped in the body and not noticed", bit)
		}
		if err == nil && !reflect.DeepEqual(c, want) { // the label has a time stamp that means nothing
			t.Errorf("bit %d flipped: got another cell", bit)
		}
	}
	if ok, err := damage(append(whole[:len(whole):len(whole)], 0)); ok || err == nil {
		t.Errorf("a byte too many: %v, %v", ok, err)
	}
	save(t, f, want)
	if ok, err := damage(whole); !ok || err != nil {
		t.Errorf("after repair: %v, %v", ok, err)
	}
}

func TestCellUnderAnotherName(t *testing.T) {
	f := openTemp(t)
	save(t, f, newCell("a", "f", 1))
	if err := os.Rename(f.cellFile("a"), f.cellFile("b")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := f.LoadCell("b", "f"); ok || err == nil {
		t.Errorf("a renamed cell: %v, %v", ok, err)
	}
}

// Readers see one whole cell or another, never a part, while several writers
// replace it.
func TestLoadWhileSaving(t *testing.T) {
	f := openTemp(t)
	save(t, f, newCell("k", "f", 0))
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for w := range 2 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for range 50 {
				if err := f.SaveCell(newCell("k", "f", r.IntN(2000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for {
				c, ok, err := f.LoadCell("k", "f")
				if !ok || err != nil {
					t.Errorf("while saving: %v, %v", ok, err)
					return
				}
				if n := len(c.Tables[0].Rows); !reflect.DeepEqual(c.Tables, newCell("k", "f", n).Tables) {
					t.Errorf("read a mixture of cells")
					return
				}
				if !f.HasCell("k", "f") {
					t.Error("while saving: HasCell is false")
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

// labelled returns a cell file in order but for its contents.
func labelled(text []byte) []byte {
	var body, file bytes.Buffer
	z := gzip.NewWriter(&body)
	z.Write(text)
	z.Close()
	encodeLabel(&file, label{"f", int64(body.Len()), sha256.Sum256(body.Bytes())})
	return append(file.Bytes(), body.Bytes()...)
}

func FuzzDecodeCell(f *testing.F) {
	whole, err := encodeCell(newCell("k", "f", 3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{0x1f, 0x8b})
	f.Add([]byte{})
	for _, text := range []string{"null", "{}", `{"Key":"k","Fingerprint":"f","Tables":[{"Rows":[null]}]}`, "[]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The sums of the second file are right, to get past them.
		for _, file := range [][]byte{data, labelled(data)} {
			c, err := decodeCell(file, "k", "f")
			if (c == nil) == (err == nil) {
				t.Fatalf("cell %v and error %v", c, err)
			}
			if err == nil && (c.Key != "k" || c.Fingerprint != "f") {
				t.Fatalf("took %+v for cell k", c)
			}
		}
	})
}
