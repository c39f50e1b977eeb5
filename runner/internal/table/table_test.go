package table

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	check "closedform/internal/checktest"
)

func scores() *Table {
	t := New("runs", Text("method", "the learner"), Int("seed", ""), Num("error", "share of wrong answers"),
		Num("p", "").Rounded(3))
	t.Add("a, b", 1, 0.25, 0.123456)
	t.Add("c", 1, math.NaN(), []float64{1e-9 / 3})
	t.Add([]any{"a, b", 2}, 0.75, math.Inf(1))
	return t
}

func TestCSV(t *testing.T) {
	want := "method,seed,error,p\n\"a, b\",1,0.25,0.123\nc,1,,3.33e-10\n\"a, b\",2,0.75,+Inf\n"
	check.Equal(t, "CSV", string(scores().CSV()), want)
	back := check.Must(Read("runs", bytes.NewReader([]byte(want))))
	check.Equal(t, "read back", []any{string(back.CSV()), back.Texts("seed")},
		[]any{want, []string{"1", "1", "2"}})
	// What is in memory is what will be read.
	check.Equal(t, "p", scores().Nums("p"), back.Nums("p"))
	for _, bad := range []string{"", "a,b\n1\n", "a\n\"1\n"} {
		check.Refuses(t, bad, check.Err(Read("bad", strings.NewReader(bad))), "table bad: ")
	}
	long := New("long", Num("x", ""))
	for range manyRows + 1 {
		long.Add(1. / 3)
	}
	check.Begins(t, string(long.CSV()), "x\n0.3333333333\n")
}

func TestRows(t *testing.T) {
	s := scores()
	check.Equal(t, "error", s.Where("method", "a, b").Where("seed", 2).Nums("error"), []float64{0.75})
	check.Equal(t, "methods of an error", s.Where("error", 0.25).Texts("method"), []string{"a, b"})
	check.Equal(t, "methods", s.Distinct("method"), []string{"a, b", "c"})
	columns := []Column{Int("x", "")}
	one, other := New("one", columns...), New("other", columns...)
	one.Add(1)
	check.Equal(t, "rows of a table with the same columns", other.Len(), 0)
	check.Panics(t, "", "", func() { s.Add("x") })
	check.Panics(t, "", "", func() { s.Add(1, 1, 1., 1.) })
	check.Panics(t, "", "", func() { s.Add("x", 1.5, 1., 1.) })
	check.Panics(t, "", "", func() { s.Nums("x") })
	check.Panics(t, "", "", func() { s.Nums("method") })
}

// Each kind of number has its interval, which stays where such numbers are; that of two is none.
func TestMean(t *testing.T) {
	runs := New("runs", Text("method", ""), Flag("failed", "f"), Share("error", "e"), Positive("loss", "l"),
		Num("gap", "g"))
	for _, x := range []float64{0, 0.1, 0.5} {
		runs.Add("a", x == 0.5, x, 2*x, x)
	}
	runs.Add("b", 0, 0.1, 1., math.Inf(1))
	runs.Add("b", 0, 0.1, 1., 2.)
	m := runs.Mean("summary", Means{
		Keys: []string{"method"}, Columns: []string{"failed", "error", "loss", "gap"},
	})
	half := studentQuantile(2, 0.95) * math.Sqrt(0.07/3)
	a, b := m.Where("method", "a"), m.Where("method", "b")
	for column, want := range map[string]float64{
		"seeds": 3, "failed": 1. / 3, "failed_low": 0.06149, "failed_high": 0.79234, // Wilson's
		"error": 0.2, "error_low": 0, "error_high": 0.2 + half, "loss_low": 0, "loss_high": 0.4 + 2*half,
		"gap_low": 0.2 - half, "gap_high": 0.2 + half,
	} {
		check.Near(t, column, a.Nums(column)[0], want, 1e-4)
	}
	check.Equal(t, "two", b.Nums("seeds"), []float64{2})
	for _, column := range []string{"failed_low", "error_low", "loss_high", "gap_low"} {
		check.Equal(t, "two: "+column, b.Texts(column), []string{""})
	}
	check.Equal(t, "infinite", b.Texts("gap"), []string{"+Inf"})
	docs := m.column("failed").Doc + m.column("error").Doc
	check.Equal(t, "rules", strings.Contains(docs, "Wilson") && strings.Contains(docs, "Student"), true)
}

// The training parts of splits overlap, which Student's t does not know of (Nadeau and Bengio).
func TestSplits(t *testing.T) {
	runs := New("runs", Text("set", ""), Num("loss", "l"))
	for _, x := range []float64{1, 2, 3, 4} {
		runs.Add("split", x)
		runs.Add("fixed", x)
	}
	overlap := func(rows *Table) float64 {
		return map[string]float64{"split": 0.25, "fixed": 0}[rows.Texts("set")[0]]
	}
	m := runs.Mean("summary", Means{[]string{"set"}, []string{"loss"}, overlap})
	check.Equal(t, "rules", m.Texts("interval"), []string{"corrected t, splits", "t, seeds"})
	half := studentQuantile(3, 0.95) * math.Sqrt(5./3/4)
	check.NearAll(t, "high", m.Nums("loss_high"), []float64{2.5 + half*math.Sqrt2, 2.5 + half}, 1e-12)
	e := NewEstimate([]float64{1, 2, 3, 4}, 0.25)
	check.Near(t, "p at the end of the interval", Estimate{half * math.Sqrt2, e.Variance, 4}.P(), 0.05, 1e-9)
	check.Equal(t, "p of two", math.IsNaN(NewEstimate([]float64{1, 2}, 0).P()), true)
}

// A pivot has a row and a column for each combination, in order, and marks the lowest number of each column.
func TestPivot(t *testing.T) {
	s := New("summary", Text("method", ""), Text("set", ""), Int("k", ""), Num("loss", ""))
	s.Add("b", "iris", 25, 0.5)
	s.Add("a", "iris", 25, 0.12)
	s.Add("b", "wine", 5, math.NaN())
	s.Add("a", "iris", 5, math.Inf(1))
	s.Add("c", "iris", 25, 0.1249)
	s.Add("d", "iris", 25, 7.)
	check.Equal(t, "pivot", s.Pivot(Pivot{"log loss", "loss", "%.2f", []string{"method"}, []string{"set", "k"}, true}),
		[][]string{
			{"log loss", "iris, k = 25", "wine, k = 5", "iris, k = 5"},
			{"b", "0.50", "", ""},
			{"a", "**0.12**", "", "+Inf"},
			{"c", "**0.12**", "", ""},
			{"d", "7.00", "", ""},
		})
}

func TestMerge(t *testing.T) {
	a, b := New("a", Text("x", "")), New("b", Int("y", ""))
	a.Add("1")
	b.Add(2)
	merged := Merge([]Tables{{a}, {b, a}, {a, b}})
	check.Equal(t, "merged", []any{fmt.Sprint(merged.Get("a").Texts("x"),
		merged.Get("b").Nums("y")), merged[0].Name, a.Len()}, []any{"[1 1 1] [2 2]", "a", 1})
	z := New("a", Text("z", ""))
	check.Panics(t, "table: ", "rows of [z] for columns [x]", func() { Merge([]Tables{{a}, {z}}) })
	check.True(t, merged.Get("c") == nil, "there is a table c")
}

func TestQuantile(t *testing.T) {
	for _, nu := range []int{1, 2, 3, 4, 5, 9, 10, 29, 99, 1000, 9999} {
		got := studentQuantile(nu, 0.95)
		check.Near(t, fmt.Sprint("CDF of ", nu), (distuv.StudentsT{Sigma: 1, Nu: float64(nu)}).CDF(got), 0.975,
			1e-12)
		within, _ := student(nu, math.Atan(got/math.Sqrt(float64(nu))))
		check.Near(t, fmt.Sprint("within, of ", nu), within, 0.95, 1e-12)
	}
	check.Near(t, "1 degree of freedom", studentQuantile(1, 0.95), 12.706204736174698, 1e-14) // tan(0.95 π/2)
}

func TestMeanVariance(t *testing.T) {
	x := []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}
	check.Equal(t, "estimate", NewEstimate(x, 0), Estimate{1e9 + 10, 30. / 4, 4})
	x = []float64{math.Inf(1), 3, 1}
	check.Equal(t, "medians", []any{Median(x), Median(x[1:]), x[2]}, []any{3., 2., 1.})
}
