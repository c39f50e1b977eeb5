package store

import (
	"reflect"
	"strings"
	"testing"
)

// What is written is read again; a damaged line is an error that names it.
func TestCellSums(t *testing.T) {
	f := openTemp(t)
	want := &CellSums{
		Tables: "c0ffee0123456789",
		Short:  []CellSum{{Key: "joint seed=1", Spec: "01234567", Digest: "0123456789abcdef"}},
		Cells: []CellSum{
			{Key: "joint seed=1", Code: "d0de", Spec: "89abcdef", Digest: "0123456789abcdef"},
			{Key: "total seed=1", Code: "d0de", From: "beef", Spec: "89abcdef", Digest: "fedcba9876543210"},
		},
	}
	text := string(want.format())
	overwrite(t, text, f.dir, cellsFile)
	if got, err := ReadCellSums(f.dir); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v, want %+v", err, got, want)
	}
	for _, damaged := range []string{text[:len(text)-len("89abcdef total seed=1\n")], strings.Replace(text, "code d0de\n", "", 1), "<<<<<<<\n" + text} {
		overwrite(t, damaged, f.dir, cellsFile)
		if got, err := ReadCellSums(f.dir); err == nil || !strings.Contains(err.Error(), "bad line") {
			t.Errorf("%q: %v, %+v", damaged, err, got)
		}
	}
}
