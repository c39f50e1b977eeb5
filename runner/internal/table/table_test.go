package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

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
		if _, err := Read("bad", bytes.NewReader([]byte(bad))); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestRows(t *testing.T) {
	s := scores()
	check.Equal(t, "error", s.Where("method", "a, b").Where("seed", 2).Nums("error"), []float64{0.75})
	if x := s.Where("error", 0.25); x.Len() != 1 || x.Texts("method")[0] != "a, b" {
		t.Errorf("rows %+v", x)
	}
	check.Equal(t, "methods", s.Distinct("method"), []string{"a, b", "c"})
	check.AllPanic(t, map[string]func(){
		"too few":    func() { s.Add("x") },
		"wrong type": func() { s.Add(1, 1, 1., 1.) },
		"no integer": func() { s.Add("x", 1.5, 1., 1.) },
		"no column":  func() { s.Nums("x") },
		"words":      func() { s.Nums("method") },
	})
}

// Numbers in a text have as many digits as they mean.
func TestList(t *testing.T) {
	check.Equal(t, "a list", List([]float64{0.123456, 20}, 2), "0.12 20")
}

// Student's t with one degree of freedom has the quantile 12.706.
func TestMean(t *testing.T) {
	m := scores().GroupBy("method").Mean("summary", "error")
	if m.Len() != 2 || !slices.Equal(m.Nums("seeds"), []float64{2, 1}) {
		t.Fatalf("%s", m.CSV())
	}
	half := m.Nums("error_high")[0] - 0.5
	shares := scores().GroupBy("method").Shares("error").Mean("summary", "error")
	if string(shares.CSV()) != "method,seeds,error,error_low,error_high\n\"a, b\",2,0.5,0,1\nc,1,,,\n" ||
		shares.Columns[3].Doc == m.Columns[3].Doc {
		t.Errorf("intervals of shares: %+v", shares)
	}
	if low, high := 0.5-half, m.Nums("error_high")[0]; low >= 0 {
		t.Errorf("interval from %g", low)
	} else if p := scores().GroupBy("method").Positive("error").Mean("summary",
		"error"); p.Nums("error_low")[0] != 0 || p.Nums("error_high")[0] != high {
		t.Errorf("interval of a number of 0 or more: %s", p.CSV())
	}
	if m.Nums("error")[0] != 0.5 || math.Abs(half-12.706*0.25) > 1e-3 || !math.IsNaN(m.Nums("error")[1]) {
		t.Errorf("%s", m.CSV())
	}
}

func TestMerge(t *testing.T) {
	a, b := New("a", Text("x", "")), New("b", Int("y", ""))
	a.Add("1")
	b.Add(2)
	merged := check.Must(Merge([]Set{{a}, {b, a}, {a, b}}))
	check.Equal(t, "merged", []any{fmt.Sprint(merged.Get("a").Texts("x"),
		merged.Get("b").Nums("y")), merged[0].Name, a.Len()}, []any{"[1 1 1] [2 2]", "a", 1})
	if _, err := Merge([]Set{{a}, {New("a", Text("z", ""))}}); err == nil {
		t.Error("other columns were merged")
	}
	if merged.Get("c") != nil {
		t.Error("there is a table c")
	}
}
