package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"closedform/internal/check"
)

// Packed cells are what they were, in fewer files, for a process that looked before, too.
func TestPack(t *testing.T) {
	f := openTemp(t)
	var keys, prints []string
	for i := range 7 {
		keys, prints = append(keys, fmt.Sprintf("key %d/x", i)), append(prints, "f")
		save(t, f, newCell(keys[i], "f", 3+i))
	}
	large := newCell("large", "f", 1)
	for r := rand.New(rand.NewPCG(1, 2)); large.Tables[0].Len() < packSmall/8; {
		large.Tables[0].Add("", r.IntN(1000), r.Float64())
	}
	save(t, f, large)
	other := mustOpen(t, f.dir)
	present := func(keys, prints []string, want int) {
		t.Helper()
		if has, n := Present(f.dir, keys, prints); n != want || has[len(has)-1] {
			t.Errorf("%d cells are there: %v", n, has)
		}
	}
	all, allPrints := append(keys, "large", "absent"), append(prints, "f", "f")
	present(all, allPrints, 8)
	for _, part := range [][]string{keys[:2], keys[2:3], append(keys[3:], "large", "absent")} {
		check.OK(t, f.Pack(part))
	}
	files, _ := filepath.Glob(filepath.Join(f.cells(), "*.cell"))
	packs, _ := filepath.Glob(filepath.Join(f.packed(), "*"))
	check.Equal(t, "files and packs", []any{len(files), len(packs)}, []any{2, 2})
	for _, f := range []*Folder{f, other, mustOpen(t, f.dir)} {
		for i, key := range keys {
			if c, err := f.LoadCell(key, "f"); err != nil || c == nil || text(c) != text(newCell(key, "f", 3+i)) {
				t.Errorf("key %s: %v, %v", key, c, err)
			}
			if c, err := f.LoadCell(key, "g"); c != nil || err != nil {
				t.Errorf("another fingerprint: %v, %v", c, err)
			}
		}
	}
	present(all, allPrints, 8)
	present([]string{keys[0], "large"}, []string{"g", "g"}, 0)
	// A cell that is computed anew stands before the packed one.
	save(t, f, newCell(keys[0], "g", 1))
	if c, err := f.LoadCell(keys[0], "g"); c == nil || err != nil {
		t.Errorf("computed anew: %v, %v", c, err)
	}
	if c, err := f.LoadCell(keys[0], "f"); c == nil || err != nil {
		t.Errorf("and the packed one: %v, %v", c, err)
	}
	f.Prune([]string{"g"})
	if c, err := mustOpen(t, f.dir).LoadCell(keys[1], "f"); c != nil || err != nil {
		t.Errorf("after pruning: %v, %v", c, err)
	}
}

// Of a damaged pack no cell is taken for another; those that are lost are told of, or missing.
func TestDamagedPack(t *testing.T) {
	f := openTemp(t)
	for _, key := range []string{"a", "b"} {
		save(t, f, newCell(key, "f", 3))
	}
	check.OK(t, f.Pack([]string{"a", "b"}))
	packs, _ := filepath.Glob(filepath.Join(f.packed(), "*"))
	whole := check.Must(os.ReadFile(packs[0]))
	lost, step := 0, 1
	if testing.Short() {
		step = 23
	}
	for n := 0; n < len(whole); n += step {
		for _, data := range [][]byte{whole[:n], append([]byte(nil), whole...)} {
			if len(data) == len(whole) {
				data[n] ^= 4
			}
			overwrite(t, string(data), packs[0])
			fresh := &Folder{dir: f.dir}
			for _, key := range []string{"a", "b"} {
				c, err := fresh.LoadCell(key, "f")
				if c != nil && text(c) != text(newCell(key, "f", 3)) {
					t.Fatalf("byte %d: %+v, %v", n, c, err)
				}
				if c == nil {
					lost++
				}
			}
		}
	}
	if lost < 2*len(whole)/step {
		t.Errorf("%d cells were lost by %d damages", lost, 2*len(whole)/step)
	}
}
