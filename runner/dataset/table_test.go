package dataset

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"closedform/internal/check"
)

// readCSV reads a table as a file called a.csv has it, and its examples by their class.
func readCSV(text string) (*Examples, error) {
	t, err := ParseTable([]byte(text), "a.csv")
	if err != nil {
		return nil, err
	}
	return Format{}.Examples(t, nil)
}

func mustCSV(t *testing.T, text string) *Examples {
	t.Helper()
	return check.Must(readCSV(text))
}

func TestReadCSV(t *testing.T) {
	want := Set{X: [][]float64{{1.5, -2e3}, {0, 7}, {0.25, 1e-320}}, Class: []int{1, 0, 1}}
	for name, text := range map[string]string{
		"no last line end":  "x,y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b",
		"class first":       "class,x,y\nb,1.5,-2e3\na,0,7\nb,.25,1e-320\n",
		"class between":     "x,class,y\n1.5,b,-2e3\n0,a,7\n.25,b,1e-320\n",
		"mark and quotes":   "\ufeff\"x\",y,\"class\"\n\"1.5\",-2e3,\"b\"\n0,7,a\n.25,1e-320,b\n",
		"spaces":            " x, y , class\n1.5,\t-2e3, \"b\"\n0 ,7,a\n.25,1e-320,b \n",
		"blank lines":       "\n\nx,y,class\n\n1.5,-2e3,b\n0,7,a\r\n\r\n.25,1e-320,b\n\n",
		"mark, CRLF, class": "\ufeffclass,x,y\r\nb,1.5,-2e3\r\na,0,7\r\nb,.25,1e-320",
	} {
		e := mustCSV(t, text)
		check.Equal(t, name, all(e), want)
		check.Equal(t, name, []any{e.Len(), e.Inputs(), e.Classes()}, []any{3, 2, []string{"a", "b"}})
	}
	e := mustCSV(t, "x,class\n\n1,a\n2,\"b\nb\"\n3,a\n")
	got := []string{e.where(0), e.where(1), e.where(2), e.Classes()[1]}
	check.Equal(t, "places", got, []string{"a.csv:3", "a.csv:4", "a.csv:6", "b\nb"})
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
		check.Equal(t, "classes", e.Classes(), want)
		for i, name := range names {
			check.Equal(t, fmt.Sprintf("example %d of class", i), e.Classes()[e.Class(i)], name)
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a.csv: empty; need a header line"},
		{"x,class\n", `a.csv: 0 examples of 0 classes`},
		{"5.1,3.5,setosa\n4.9,3,setosa\n", `a.csv:1: no column "class"; the columns, by ',', are 5.1, 3.5, setosa`},
		{"x,y,x,class\n", `a.csv:1: columns 1 and 3 are both called "x"`},
		{"class\na\nb\n", `a.csv:1: no inputs beside the class "class"`},
		{"x,class\n1,a\n2\n", `a.csv:3: 1 cells; need 2, as many as the header has`},
		{"x,y,class\n1,2,a\n1, ,b\n", `a.csv:3: column "y" is missing: ""; allowed: values, or missing = "drop" (the row) or "mean" (of inputs) in place of "error"`},
		{"x,class\n1,a\n2,\n", `a.csv:3: column "class" is missing: ""`},
		{"x,class\n1,a\n-Inf,b\n", `a.csv:3: column "x": "-Inf" is not a finite number`},
		{"x,class\n" + strings.Repeat("1", 39) + "zzzz,a\n", `a.csv:2: column "x": "` + strings.Repeat("1", 39) + `z" is not a number`},
		{"y,class,x\n1,\"a\nb\",?\n", `a.csv:2: column "x" is missing: "?"`},
		{"x,class\n1,a\n2,a\n", `a.csv: 2 examples of 1 classes; need at least 2 classes`},
		{"x,class\n1,a\n2,b\"c\n", `a.csv:3: bare " in non-quoted-field`},
		{"x,class\n1,a\n2,\"b\n3,a\n4,b\n", `a.csv:3: extraneous or missing " in quoted-field`},
	} {
		e, err := readCSV(c.text)
		check.Refuses(t, strconv.Quote(c.text), err, c.want)
		if e != nil {
			t.Errorf("%q: examples beside an error", c.text)
		}
	}
}

// utf16 returns a text in UTF-16 with a byte order mark.
func utf16of(text string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// Whatever a program wrote the same table as, it reads the same.
func TestSeparatorsAndEncodings(t *testing.T) {
	const text = "Länge;Breite, cm;class\n1,5;-2;Föhre\n0;7,25;a\n"
	want := Set{X: [][]float64{{1.5, -2}, {0, 7.25}}, Class: []int{0, 1}}
	latin := strings.NewReplacer("ä", "\xe4", "ö", "\xf6").Replace(text)
	for name, file := range map[string]string{
		"UTF-8":              text,
		"with a mark":        "\ufeff" + text,
		"UTF-16, low first":  utf16of(text, binary.LittleEndian),
		"UTF-16, high first": utf16of(text, binary.BigEndian),
		"Latin-1, CRLF":      strings.ReplaceAll(latin, "\n", "\r\n"),
		"tabs":               strings.ReplaceAll(text, ";", "\t"),
		"commas":             "Länge,\"Breite, cm\",class\n1.5,-2,Föhre\n0,7.25,a\n",
		"quotes":             "\"Länge\";\"Breite, cm\";class\n\"1,5\";-2;Föhre\n0;\"7,25\";a\n",
	} {
		e := check.Must(readCSV(file))
		if got := all(e); !reflect.DeepEqual(got, want) || e.Classes()[0] != "Föhre" || fmt.Sprint(e.Features()) != "[Länge Breite, cm]" {
			t.Errorf("%s: %v, %q, %v", name, got, e.Classes(), e.Features())
		}
	}
	for _, text := range []string{latin, utf16of(text, binary.LittleEndian)} {
		check.Refuses(t, "row by row", check.Err(NewRows(strings.NewReader(text), "a.csv")), "a.csv:1: not in UTF-8")
	}
	if e := mustCSV(t, "price \x80,class\n1,\x93a\x94\n2,b\n"); e.Features()[0].Column != "price €" || e.Classes()[1] != "“a”" {
		t.Errorf("Windows-1252 is read as %v, %q", e.Features(), e.Classes())
	}
	for text, want := range map[string]string{
		"x,class\n1,\x81\n":         "a.csv: line 2 is not in the encoding of the file; allowed: ",
		"PK\x03\x04\x00":            "a.csv: line 1 has a byte 0, as workbooks, ",
		"\xff\xfex\x00,":            "a.csv: line 1 is not in the encoding",
		"x y class\n1 2 a\n":        `a.csv:1: no column "class"; the columns, by ',', are x y class`,
		"x,y;class\n1,5;a\n":        `a.csv:1: no column "class"; the columns, by ',', are x, y;class`,
		"x;class\n1.234,5;a\n":      `a.csv:2: column "x": "1.234,5" has a point, line 2 a comma; allowed: one of them in a column`,
		"x;class\n1,5;a\n\n2.5;b\n": `a.csv:4: column "x": "2.5" has a point, line 2 a comma`,
		"x;class\n1,234,5;a\n":      `a.csv:2: column "x": "1,234,5" is not a number`,
	} {
		_, err := readCSV(text)
		check.Refuses(t, strconv.Quote(text), err, want)
	}
}

// What is read satisfies all that is promised.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"x,y,class\n1.5,-2e3,b\n0,7,a\n", "\ufeffclass,x\r\n10,1\r\n9,2\r\n", "x,class\n1,\"a\nb\"\n\n2,\" \"\"\"\n", "x,class\n1,a\nNaN,b\n", ",\n", "\"", "",
		"x;y;class\n1,5;NA;b\n0;7,25;a\n", "x\tclass\n\t\n?\ta\n1\tb\n", "x,class\n1,\xe4\n2,b\n", "x,class\n1,\x81\n", "x,class\nred,a\n,b\nblue,a\n",
		utf16of("x,class\n1,a\n2,b\n", binary.LittleEndian), utf16of("x;class\n1,5;a\n2;b\n", binary.BigEndian), "\xff\xfex", "x;y,class\n1;2,a\n",
	} {
		for _, words := range []string{"", "x"} {
			f.Add([]byte(text), "error", words)
			f.Add([]byte(text), "drop", words)
			f.Add([]byte(text), "mean", words)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, missing, words string) {
		format := Format{Missing: Missing(missing)}
		if words != "" {
			format.Categorical = []string{words}
		}
		if format.Validate() != nil {
			return
		}
		var table *Table
		var e *Examples
		var err error
		check.Frugal(t, func() {
			if table, err = ParseTable(text, "a.csv"); err == nil {
				e, err = format.Examples(table, nil)
			}
		})
		if err != nil {
			if !strings.HasPrefix(strings.TrimPrefix(err.Error(), "categorical: "), "a.csv:") {
				t.Fatalf("error %v", err)
			}
			return
		}
		if e.Len() == 0 || e.Inputs() == 0 || e.Inputs() != len(e.Features()) || len(e.Classes()) < 2 ||
			!slices.Equal(e.Classes(), e.present()) || !strings.HasPrefix(e.About(), "a.csv: ") {
			t.Fatalf("%d examples, %d inputs, classes %q", e.Len(), e.Inputs(), e.Classes())
		}
		s, err := e.Scaler(None)
		if err != nil {
			return // no value at all
		}
		for i, x := range all(s.Apply(e)).X {
			for _, v := range x {
				check.Equal(t, fmt.Sprintf("%s: input %v", e.where(i), x), v-v, 0)
			}
		}
		// New rows are the same as those of the examples.
		if rows, unknown, err := s.Rows(table); missing != "drop" && (err != nil || missing != "mean" && (unknown != nil || len(rows) != e.Len())) {
			t.Fatalf("%d rows, %q, %v", len(rows), unknown, err)
		}
	})
}
