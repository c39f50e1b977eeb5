package data

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

func mustCSV(t *testing.T, text string) *Examples {
	t.Helper()
	e, err := readCSV([]byte(text), "a.csv", "class")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return e
}

func TestReadCSV(t *testing.T) {
	want := Set{X: [][]float64{{1.5, -2e3}, {0, 7}, {0.25, 1e-320}}, Class: []int{1, 0, 1}}
	for name, text := range map[string]string{
		"plain":             "x,y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b\n",
		"no last line end":  "x,y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b",
		"CRLF":              "x,y,class\r\n1.5,-2e3,b\r\n0,7,a\r\n.25,1e-320,b\r\n",
		"class first":       "class,x,y\nb,1.5,-2e3\na,0,7\nb,.25,1e-320\n",
		"class between":     "x,class,y\n1.5,b,-2e3\n0,a,7\n.25,b,1e-320\n",
		"quotes":            "\"x\",y,\"class\"\n\"1.5\",-2e3,\"b\"\n0,7,a\n.25,1e-320,b\n",
		"byte order mark":   "\ufeffx,y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b\n",
		"mark and quotes":   "\ufeff\"x\",y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b\n",
		"spaces":            " x, y , class\n1.5,\t-2e3, \"b\"\n0 ,7,a\n.25,1e-320,b \n",
		"blank lines":       "\n\nx,y,class\n\n1.5,-2e3,b\n0,7,a\r\n\r\n.25,1e-320,b\n\n",
		"mark, CRLF, class": "\ufeffclass,x,y\r\nb,1.5,-2e3\r\na,0,7\r\nb,.25,1e-320",
	} {
		e := mustCSV(t, text)
		if got := all(e); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if e.Len() != 3 || e.Inputs() != 2 || !slices.Equal(e.Classes(), []string{"a", "b"}) {
			t.Errorf("%s: %d examples, %d inputs, classes %q", name, e.Len(), e.Inputs(), e.Classes())
		}
	}
}

func TestCSVWhere(t *testing.T) {
	e := mustCSV(t, "x,class\n\n1,a\n2,\"b\nb\"\n3,a\n")
	for i, want := range []string{"a.csv:3", "a.csv:4", "a.csv:6"} {
		if got := e.where(i); got != want {
			t.Errorf("example %d is from %s, want %s", i, got, want)
		}
	}
	if got := e.Classes()[1]; got != "b\nb" {
		t.Errorf("class %q", got)
	}
}

func TestCSVOrderOfClasses(t *testing.T) {
	for text, want := range map[string][]string{
		"10 9 2":                 {"2", "9", "10"},
		"10 -9 +2 02":            {"-9", "+2", "02", "10"},
		"10 9 b":                 {"10", "9", "b"},
		"10 9.0 2":               {"10", "2", "9.0"},
		"b Ä a B 1":              {"1", "B", "a", "b", "Ä"},
		"99999999999999999999 3": {"3", "99999999999999999999"},
	} {
		names := strings.Fields(text)
		e := mustCSV(t, "x,class\n1,"+strings.Join(names, "\n1,")+"\n")
		if !slices.Equal(e.Classes(), want) {
			t.Errorf("classes %q, want %q", e.Classes(), want)
		}
		for i, name := range names {
			if got := e.Classes()[e.Class(i)]; got != name {
				t.Errorf("example %d of class %q has class %q", i, name, got)
			}
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `a.csv: 0 examples of 0 classes`},
		{"\ufeff\n\n", `a.csv: 0 examples of 0 classes`},
		{"x,class\n", `a.csv: 0 examples of 0 classes`},
		{"5.1,3.5,setosa\n4.9,3,setosa\n", `a.csv:1: no column "class" for the class; the columns are 5.1, 3.5, setosa`},
		{"x,y,x,class\n", `a.csv:1: columns 1 and 3 are both called "x"`},
		{"class\na\nb\n", `a.csv:1: no inputs: the class "class" is the only column`},
		{"x,class\n1,a\n2\n", `a.csv:3: 1 cells; need 2, as many as the header has`},
		{"x,class\n1,a\n\n2,b,3\n", `a.csv:4: 3 cells; need 2, as many as the header has`},
		{"x,y,class\n1,2,a\n1, ,b\n", `a.csv:3: column "y" is empty`},
		{"x,class\n1,a\n2,\n", `a.csv:3: column "class" is empty`},
		{"x,class\n1,a\nNA,b\n", `a.csv:3: column "x": "NA" is not a finite number`},
		{"x,class\n1,a\n-Inf,b\n", `a.csv:3: column "x": "-Inf" is not a finite number`},
		{"x,class\n1,a\n1e309,b\n", `a.csv:3: column "x": "1e309" is not a finite number`},
		{"x,class\n1,a\n\"1,5\",b\n", `a.csv:3: column "x": "1,5" is not a finite number`},
		{"x,class\n" + strings.Repeat("1", 39) + "zzzz,a\n", `a.csv:2: column "x": "` + strings.Repeat("1", 39) + `z" is not a finite number`},
		{"y,class,x\n1,\"a\nb\",?\n", `a.csv:2: column "x": "?" is not a finite number`},
		{"x,class\n1,a\n2,a\n", `a.csv: 2 examples of 1 classes; need at least 2 classes`},
		{"x,class\n1,a\n2,b\"c\n", `a.csv:3: bare " in non-quoted-field`},
		{"x,class\n1,a\n2,\"b\n3,a\n4,b\n", `a.csv:3: extraneous or missing " in quoted-field`},
		{"x,\"class\n", `a.csv:1: extraneous or missing " in quoted-field`},
	} {
		e, err := readCSV([]byte(c.text), "a.csv", "class")
		refuses(t, strconv.Quote(c.text), err, c.want)
		if e != nil {
			t.Errorf("%q: examples beside an error", c.text)
		}
	}
}

// What is read satisfies all that is promised.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"x,y,class\n1.5,-2e3,b\n0,7,a\n", "\ufeffclass,x\r\n10,1\r\n9,2\r\n", "x,class\n1,\"a\nb\"\n\n2,\" \"\"\"\n", "x,class\n1,a\nNaN,b\n", ",\n", "\"", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := readCSV(text, "a.csv", "class")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "a.csv:") {
				t.Fatalf("error %v", err)
			}
			return
		}
		if e.Len() == 0 || e.Inputs() == 0 || len(e.Classes()) < 2 || !slices.Equal(e.Classes(), e.present()) {
			t.Fatalf("%d examples, %d inputs, classes %q", e.Len(), e.Inputs(), e.Classes())
		}
		for i, x := range all(e).X {
			if sum := floats.Norm(x, math.Inf(1)); math.IsNaN(sum) || math.IsInf(sum, 0) {
				t.Fatalf("%s: input %v", e.where(i), x)
			}
		}
	})
}
