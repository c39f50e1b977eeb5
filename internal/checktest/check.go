// Package checktest has what the tests of several packages share: comparisons that NaN never passes, panics,
// allocations, reference files, and the properties of all learners of classifiers.
package checktest

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

// OK ends the test at an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Near fails unless got is within tol of want, absolutely or relatively.
func Near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s = %.15g, want %.15g ± %.1g", what, got, want, tol)
	}
}

// NearAll fails unless the slices have the same length and each number of got is near that of want.
func NearAll(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		Near(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], tol)
	}
}

// Panics fails unless f panics with a message that begins with the prefix, the package's name, and contains
// the words; both may be empty.
func Panics(t testing.TB, prefix, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		if s := fmt.Sprint(r); r == nil || !strings.HasPrefix(s, prefix) || !strings.Contains(s, words) {
			t.Errorf("panic %q, want one of %s with %q", s, prefix, words)
		}
	}()
	f()
}

// Refuses fails unless there is an error that contains all wanted texts.
func Refuses(t testing.TB, what string, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: error %v does not say %q", what, err, w)
		}
	}
}

// Err returns the error of a function that returns a value, too.
func Err[T any](_ T, err error) error { return err }

// NearMatrix fails unless the matrices have the same size and each entry of got is near that of want.
func NearMatrix(t testing.TB, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	if !mat.EqualApprox(got, want, tol) {
		t.Errorf("%s:\n%v\nwant\n%v", what, mat.Formatted(got), mat.Formatted(want))
	}
}

// Correlations returns the n×n correlation matrix with f beside its diagonal.
func Correlations(n int, f func(i, j int) float64) *mat.SymDense {
	corr := mat.NewSymDense(n, nil)
	for i := range n {
		corr.SetSym(i, i, 1)
		for j := range i {
			corr.SetSym(i, j, f(i, j))
		}
	}
	return corr
}

// RandomCorrelations returns the correlations of n variables that are random combinations of rank others.
func RandomCorrelations(rnd *rand.Rand, n, rank int) *mat.SymDense {
	directions := make([][]float64, n)
	for i := range directions {
		directions[i] = random.Normals(rnd, rank)
		floats.Scale(1/floats.Norm(directions[i], 2), directions[i])
	}
	return Correlations(n, func(i, j int) float64 { return floats.Dot(directions[i], directions[j]) })
}

// NoAllocs fails if f, called for the second time and later, allocates. Under the race detector, which
// empties pools at random, it only calls f.
func NoAllocs(t testing.TB, what string, f func()) {
	t.Helper()
	f()
	info, _ := debug.ReadBuildInfo()
	if info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return
	}
	if n := testing.AllocsPerRun(20, f); n > 0 {
		t.Errorf("%s: %g allocations", what, n)
	}
}

// Records returns the records, which may differ in length, of a CSV file with # comments.
func Records(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	OK(t, err)
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', -1
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%s has %d records: %v", name, len(records), err)
	}
	return records
}

// Numbers returns the numbers of a record.
func Numbers(record []string) (row []float64) {
	for _, text := range record {
		row = append(row, Must(strconv.ParseFloat(text, 64)))
	}
	return row
}

// Rows returns the records of a CSV file of numbers with # comments.
func Rows(t testing.TB, name string) (rows [][]float64) {
	t.Helper()
	for _, record := range Records(t, name) {
		rows = append(rows, Numbers(record))
	}
	return rows
}

// Permuted returns y with y_i = x_perm(i).
func Permuted[T any](x []T, perm []int) []T {
	y := make([]T, len(x))
	for i, k := range perm {
		y[i] = x[k]
	}
	return y
}

// Must returns what a function returned without an error; an error ends the test by a panic.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Equal fails unless got is want, deeply. It shows the first 1,000 characters of each.
func Equal[T any](t testing.TB, what any, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %.1000s, want %.1000s", what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
}

// True fails with the message unless ok.
func True(t testing.TB, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// Torture returns how often a random test is repeated: short or full if the variable CLOSEDFORM_TORTURE, which
// make torture sets, has that word, and else plain. It skips a test that is repeated zero times.
func Torture(t testing.TB, plain, short, full int) int {
	t.Helper()
	mode := os.Getenv("CLOSEDFORM_TORTURE")
	n, ok := map[string]int{"": plain, "short": short, "full": full}[mode]
	if !ok {
		t.Fatalf("CLOSEDFORM_TORTURE = %q; allowed: short or full", mode)
	}
	if n == 0 {
		t.Skip("only under make torture")
	}
	return n
}

// Frugal fails if f allocates more than 1 GiB in all.
func Frugal(t testing.TB, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 1<<10 {
		t.Errorf("it takes %d MiB; allowed: 1024", took)
	}
}

// Write writes a file, and the folders that it needs, and returns its path: that of the elements, or of a
// manifest in a new folder if there are none.
func Write(t testing.TB, text string, elements ...string) string {
	t.Helper()
	if len(elements) == 0 {
		elements = []string{t.TempDir(), "m.toml"}
	}
	path := filepath.Join(elements...)
	OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// Read returns the text of a file.
func Read(elements ...string) string {
	return string(Must(os.ReadFile(filepath.Join(elements...))))
}

// Exists reports whether there is a file, a folder, or a link, be it to nothing.
func Exists(elements ...string) bool {
	_, err := os.Lstat(filepath.Join(elements...))
	return err == nil
}

// Remove removes a file or a folder with all that is in it, if it is there.
func Remove(t testing.TB, elements ...string) {
	t.Helper()
	OK(t, os.RemoveAll(filepath.Join(elements...)))
}

// Glob returns the paths that match a pattern.
func Glob(elements ...string) []string {
	return Must(filepath.Glob(filepath.Join(elements...)))
}

// Gzip returns a packed text.
func Gzip(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	Must(w.Write([]byte(text)))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return packed.String()
}

// Begins fails unless the text begins as wanted.
func Begins(t testing.TB, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin %q", got, want)
	}
}

// Contains fails unless all parts are in the text, in any order.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
}

// InOrder fails unless each part is in the text at the beginning of the one before it, or after that.
func InOrder(t testing.TB, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		i := strings.Index(rest, part)
		if i < 0 {
			t.Fatalf("%q is not there, or too early, in\n%s", part, text)
		}
		rest = rest[i:]
	}
}
