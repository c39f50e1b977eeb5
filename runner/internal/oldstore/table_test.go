package store

import (
	"encoding/csv"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	table := Table{
		Name:   "claims",
		Header: []string{"claim", "value"},
		Rows:   [][]string{{`a "boundary", learned`, "0.5"}, {"two\nlines", ""}},
	}
	want := "claim,value\n\"a \"\"boundary\"\", learned\",0.5\n\"two\nlines\",\n"
	got := table.CSV()
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	back, err := csv.NewReader(strings.NewReader(string(got))).ReadAll()
	if err != nil || !reflect.DeepEqual(back, append([][]string{table.Header}, table.Rows...)) {
		t.Errorf("reads back as %q, %v", back, err)
	}
}

func TestCSVRaggedPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("want a panic for a row that is too short")
		}
	}()
	(&Table{Name: "x", Header: []string{"a", "b"}, Rows: [][]string{{"1"}}}).CSV()
}

func TestFloat(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.1: "0.1", 1: "1", -2.5: "-2.5", 1e-9: "1e-09", 1e21: "1e+21",
		1.0 / 3:                       "0.3333333333333333",
		math.SmallestNonzeroFloat64:   "5e-324",
		math.Inf(1):                   "+Inf",
		math.Inf(-1):                  "-Inf",
		math.Nextafter(1, 2):          "1.0000000000000002",
		math.MaxFloat64:               "1.7976931348623157e+308",
		math.Nextafter(0.1, 0):        "0.09999999999999999",
		math.Float64frombits(1 << 52): "2.2250738585072014e-308",
	} {
		got := Float(x)
		if got != want {
			t.Errorf("Float(%g) = %q, want %q", x, got, want)
		}
		if back, err := strconv.ParseFloat(got, 64); back != x || err != nil {
			t.Errorf("%q reads back as %g", got, back)
		}
	}
	if got := Float(math.Copysign(math.NaN(), -1)); got != "NaN" {
		t.Errorf("NaN is spelled %q", got)
	}
	if got := Float(math.Copysign(0, -1)); got != "-0" {
		t.Errorf("negative zero is spelled %q", got)
	}
}
