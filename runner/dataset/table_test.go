package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/field"
)

// readAs reads a table as a file called a.csv has it in a format, and its examples by their class.
func readAs(f Format, text string) (*Examples, error) {
	t, err := NewReader(strings.NewReader(text), "a.csv", f)
	if err != nil {
		return nil, err
	}
	return t.examples(nil)
}

func read(f Format, text string) *Examples { return check.Must(readAs(f, text)) }

// The same table reads the same, however it is written.
func TestReadCSV(t *testing.T) {
	want := Set{X: [][]float64{{1.5, -2e3}, {0, 7}, {0.25, 1e-320}}, Class: []int{1, 0, 1}}
	for name, c := range map[string]struct{ separator, decimal, text string }{
		"no last line end":  {"", "", "x,y,class\n1.5,-2e3,b\n0,7,a\n.25,1e-320,b"},
		"class first":       {"", "", "class,x,y\nb,1.5,-2e3\na,0,7\nb,.25,1e-320\n"},
		"mark and quotes":   {",", ".", "\ufeff\"x\",y,\"class\"\n\"1.5\",-2e3,\"b\"\n0,7,a\n.25,1e-320,b\n"},
		"spaces":            {"", "", " x, y , class\n1.5,\t-2e3, \"b\"\n0 ,7,a\n.25,1e-320,b \n"},
		"blank lines":       {"", "", "\n\nx,y,class\n\n1.5,-2e3,b\n0,7,a\r\n\r\n.25,1e-320,b\n\n"},
		"mark, CRLF, class": {"", "", "\ufeffclass,x,y\r\nb,1.5,-2e3\r\na,0,7\r\nb,.25,1e-320"},
		"semicolons":        {";", ",", "x;y;class\n1,500;-2e3;b\n\"0,000\";7;a\n,25;1e-320;b\n"},
		"blanks":            {"blank", ",", "x y  class\r\n 1,5\t-2e3 b \n0 7 a\n\n  ,25   1e-320\tb"},
		"tabs":              {"tab", ",", "class\tx\ty\nb\t1,5\t-2000,0\na\t0\t7\nb\t0,25\t1e-320\n"},
	} {
		e := read(Format{Separator: c.separator, Decimal: c.decimal}, c.text)
		check.Equal(t, name, all(e), want)
		check.Equal(t, name, []any{e.Len(), e.Inputs(), e.Classes(), names(e)},
			[]any{3, 2, []string{"a", "b"}, "x y"})
	}
	for separator, text := range map[string]string{
		"":      "1.5,-2e3,b\n0,7,a\n.25,1e-320,b\n",
		"blank": "1.5 -2e3 b\n0 7 a\n.25 1e-320 b\n",
	} {
		e := read(Format{Separator: separator, NoHeader: true, Class: "x3"}, text)
		check.Equal(t, "without a header", all(e), want)
		check.Equal(t, "without a header", []any{e.Row(0), names(e)}, []any{1, "x1 x2"})
	}
	e := read(Format{}, "\"Breite, cm\",class\n\n1,Föhre\n2,\"b\nb\"\n3,a\n")
	got := []any{e.Row(0), e.Row(1), e.Row(2), e.Classes()[0], e.inputs[0].Column}
	check.Equal(t, "places", got, []any{3, 4, 6, "Föhre", "Breite, cm"})
}

func TestCSVOrderOfClasses(t *testing.T) {
	for text, want := range map[string][]string{
		strings.Repeat("11 10 9 8 7 6 5 4 3 2 1 ", 2):  strings.Fields("1 2 3 4 5 6 7 8 9 10 11"),
		strings.Repeat("b 10 9 8 7 6 5 4 3 2 1.5 ", 2): strings.Fields("1.5 10 2 3 4 5 6 7 8 9 b"),
		"10 9 2":                 {"2", "9", "10"},
		"10 -9 +2 03":            {"-9", "+2", "03", "10"},
		"10 9 b":                 {"10", "9", "b"},
		"10 9.0 2 1.5":           {"1.5", "10", "2", "9.0"},
		"b Ä a C 1":              {"1", "C", "a", "b", "Ä"},
		"99999999999999999999 3": {"3", "99999999999999999999"},
	} {
		names := strings.Fields(text)
		e := read(Format{}, "x,class\n1,"+strings.Join(names, "\n1,")+"\n")
		check.Equal(t, "classes", e.Classes(), want)
		for i, name := range names {
			check.Equal(t, fmt.Sprintf("example %d of class", i), e.Classes()[e.Class(i)], name)
		}
	}
}

// numbered returns n lines, each with its number from 1.
func numbered(n int, format string) (text string) {
	for i := range n {
		text += fmt.Sprintf(format, i+1)
	}
	return text
}

// A table that does not fit is refused with file, line, column and cell, and the key that would make it fit.
func TestTableErrors(t *testing.T) {
	layout := func(separator, decimal string) Format { return Format{Separator: separator, Decimal: decimal} }
	semicolons, decimals := layout(";", ""), layout(";", ",")
	for _, c := range []struct {
		f          Format
		text, want string
	}{
		{Format{}, "", "a.csv: empty; need a header line"},
		{Format{}, "x,class\n", "a.csv: a header without rows"},
		{Format{Missing: MissingDrop}, "x,class\n?,a\n", `each of the 1 rows lacks a value that it needs, and missing = "d`},
		{Format{}, "5.1,3.5,setosa\n", `columns are 5.1, 3.5, setosa; if this is a row, write a header ` +
			`line, or train with no_header = true, which calls`},
		{Format{}, "5,5,setosa\n", `a.csv:1: columns 1 and 2 are both called "5"; if this is a row, write`},
		{Format{NoHeader: true}, "5,4,a\n", `a.csv:1: no column "class"; the columns are x1, x2, x3`},
		{Format{}, "0.5 1 0.1\n", `a.csv:1: one column, "0.5 1 0.1"; separator = "blank" makes 3 of it`},
		{Format{Separator: "blank"}, "x class\n2 b c\n", `a.csv:2: wrong number of fields, 3; need 2`},
		{Format{Separator: "blank"}, "x class\n1 F\xf6hre\n", `a.csv:2: the line is not in UTF-8`},
		{Format{}, "x,y,x,class\n", `a.csv:1: columns 1 and 3 are both called "x"`},
		{Format{}, "x,,class\n", `a.csv:1: column 2 has no name`},
		{Format{}, "class\na\nb\n", `a.csv: no column beside the class "class" has a value`},
		{Format{}, "x,class\n1,a\n2\n", `a.csv:3: wrong number of fields, 1; need 2`},
		{Format{}, "x,class\n1,a\n2,a\n", `a.csv: 2 examples of 1 classes; need at least 2 classes`},
		{Format{}, "x,class\n1,a\n2,b\"c\n", `a.csv:3: bare " in non-quoted-field`},
		{Format{}, "x,class\n1,a\n2,\"b\n3,a\n4,b\n", `a.csv:3: extraneous or missing " in quoted-field`},
		{Format{}, "x\tclass\n1\ta\n", `separator = "tab" makes 2 of it`},
		{Format{}, "sep=;\nx;class\n1;a\n", `a.csv:1: "sep=;" is a line for spreadsheets; remove it`},
		{Format{}, "x,class\n1,F\xf6hre\n2,b\n", `a.csv:2: the line is not in UTF-8; iconv -f WIND`},
		{Format{}, "\xff\xfex\x00,\x00", `a.csv:1: the line is not in UTF-8; iconv -f`},
		{Format{}, "x,y,class\n1,2,a\n1, ,b\n", `a.csv: y: "" (line 3) have no value; missing = "drop" leaves`},
		{Format{}, "x,class\n1,a\n-Inf,b\n1_0,b\n0x1p-2,a\n12 cm,a\n1e999,b\n", `"0x1p-2" (line 5) and 2 others ` +
			`are not`},
		{Format{}, "price,rate,size,class\n\"$1,234.50\",23.4%,1,a\n$7,2%,,b\n", "a.csv: 3 columns do not fit:" +
			"\n  price"},
		{semicolons, "x;class\n1,5;a\n2;b\n", `x: "1,5" (line 2) are not numbers with the decimal mark "."`},
		{decimals, "x;class\n1,5;a\n2.5;b\n", `x: "2.5" (line 3) are not numbers; ignore`},
		{decimals, "x;class\n1,234;a\n987;b\n-22,500;b\n", `"-22,500" (line 4): three digits follow each comma`},
		{Format{}, "x,class\n\"1,234.50\",a\n9.75,b\n", `x: "1,234.50" (line 2) are not numbers; ignore`},
		{Format{}, "x,class\r1,a\r2,b\r", `a.csv:1: the line ends in CR alone; tr`},
		{Format{}, "x,class\n1,a\n2,b\n3,A\n4,B\n5,b\u200b\n", `"a" (line 2): differs from "A" only in case; write ` +
			"them alike, or make two classes of them by as_written = true; refused, too: \"b\", "},
		{Format{}, "x,class\n1,1\n2,-\n", `"-" (line 3): no value? no_value = ["-"] says so, as_written = t`},
		{Format{}, "x,class\n" + numbered(12, "%d,%[1]d.5\n"), "class: 12 different decimals in 12 rows are measure"},
		{Format{}, "x,class\n7,row1\n" + numbered(6, "%d,row%[1]d\n"), "class: 6 different values in 7 rows are identifiers " +
			"or free text, not classes; class names the column of the classes, as_written = true makes a class of each value"},
		{Format{}, "x,class\n007,a\n7,b\n-00.5,b\n", `a.csv: x: "007" (line 2), "-00.5" (line 4) have leading ` +
			`zeros, as codes have; ignore = ["x"] leaves the column out, categorical = ["x"] makes an input of each of its 3 values, ` +
			`numeric = ["x"] reads numbers`},
		{Format{}, "x,class\n1,a\n#N/A,b\n-,b\n", `x: "#N/A" (line 3), "-" (line 4) are not numbers: no value? ` +
			`no_value = ["#N/A", "-"] says so, and missing = "drop" or missing = "mean" what to do then; if they are`},
		{Format{NoValue: []string{"-"}}, "x,class\n1,a\n-,b\n", `x: "" (line 3) have no value; missing = "drop"`},
		{Format{Numeric: []string{"y"}}, "x,class\n1,a\n", `numeric: a.csv:1: no column "y"`},
		{Format{}, "x,class\n1,a\n2\x00,b\n", `a.csv:3: the line has a NUL byte`},
		{Format{Class: "kind"}, birds, "a.csv: 3 columns do not fit:\n  kind: \"\" (line 5) have no value"},
		{Format{Class: "kind", Ignore: []string{"mass"}}, "id,mass,c,kind\n1,2,r,a\n", `each of its 1 values`},
		{Format{Class: "kind", Categorical: []string{"color"}}, birds, `categorical: a.csv:1: no column "color"`},
		{Format{Class: "kind", Ignore: []string{"kind"}}, birds, `ignore: "kind" is not allowed`},
		{
			Format{Class: "kind", Categorical: []string{"mass"}, Ignore: []string{"mass"}},
			birds,
			`categorical: "mass" is not allowed; allowed: a column that is not in ignore`,
		},
		{Format{Class: "kind", Missing: "zero"}, birds, `missing: "zero" is not allowed; allowed: "error"`},
		{layout("", ","), "x,class\n", `decimal: "," is not allowed; allowed: "," with`},
		{Format{}, check.Gzip("x,class\n1,a\n")[:25], `a.csv: unexpected EOF`},
	} {
		e, err := readAs(c.f, c.text)
		check.Refuses(t, strconv.Quote(c.text), err, c.want)
		check.True(t, e == nil, "%q: examples beside an error", c.text)
	}
}

// Classes may be in a second file, which has a row for each row.
func TestLabels(t *testing.T) {
	readBoth := func(f Format, text, labels string) (*Examples, error) {
		table := check.Must(NewReader(strings.NewReader(text), "a.data", f))
		if err := table.Join(strings.NewReader(labels), "a.labels", f); err != nil {
			return nil, err
		}
		return table.examples(nil)
	}
	blanks, commas := Format{Separator: "blank", NoHeader: true}, Format{Class: "kind"}
	for _, c := range []struct {
		f                     Format
		text, labels, classes string // classes in their order
	}{
		{blanks, "1.5 2\n3 4\n", check.Gzip("b\na\n"), "a b"},
		{commas, "x1,x2\n1.5,2\n3,4\n", "what\nb\n\na\n", "a b"},
		{commas, "x1,x2\n1.5,2\n3,4\n", "id,kind\n1,b\n2,a\n", "a b"},
		{
			Format{Separator: ";", Class: "kind"}, "@relation r\n@attribute x1 real\n@attribute x2 real\n@data\n" +
				"1.5,2\n3,4\n", "id;kind\n1;b\n2;a\n", "a b",
		},
		{commas, "x1,x2\n1.5,2\n3,4\n", "@relation r\n@attribute kind {b,a}\n@data\nb\na\n", "b a"},
	} {
		e := check.Must(readBoth(c.f, c.text, c.labels))
		check.Equal(t, c.labels, all(e).X, [][]float64{{1.5, 2}, {3, 4}})
		check.Equal(t, c.labels, []any{e.Classes(), names(e)}, []any{strings.Fields(c.classes), "x1 x2"})
		check.Equal(t, c.labels, e.Classes()[e.Class(0)], "b")
	}
	for _, c := range []struct {
		f                  Format
		text, labels, want string
	}{
		{blanks, "1 2\n3 4\n", "b\n", "a.data:2: a.labels has ended; need a row with a class for each row"},
		{blanks, "1 2\n3 4\n", "b\na\nb\n", "a.labels:3: a.data has ended; need"},
		{blanks, "1 2\n3 4\n", "b\na a\n", "a.labels:2: wrong number of fields, 2; need 1"},
		{blanks, "1 2\n3 4\n", "b 1\na 2\n", `a.labels:1: no column "class"; the columns are x1, x2`},
		{blanks, "1 2\n3\n", "b\na\n", "a.data:2: wrong number of fields, 1; need 2"},
		{commas, "kind\n1\n", "kind\na\n", `a.data:1: the column "kind" has classes, and a.labels has them, too`},
		{commas, "x\n1\n", "", "a.labels: empty; need a header line"},
	} {
		check.Refuses(t, c.labels, check.Err(readBoth(c.f, c.text, c.labels)), c.want)
	}
}

// What is read satisfies all that is promised.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"x,y,class\n1.5,-2e3,b\n0,7,a\n",
		"\ufeffclass,x\r\n10,1\r\n9,2\r\n", "x,class\n1,\"a\nb\"\n\n2,\" \"\"\"\n",
		"x,class\n1,a\nNaN,b\n", ",\n", "\"", "", "x\tclass\n\t\n?\ta\n1\tb\n", "x,class\n1,\xe4\n2,b\n",
		"x,class\nred,a\n,b\nblue,a\n", "\xff\xfex", "x;y,class\n1;2,a\n", "sep=,\nx,class\n", "x,class\r1,a\r",
		"%\n@relation r\n@attribute x real\n@attribute class{b,'a b',\"\\'\"}\n@data\n1,b%\n?,'a b'\n{0 1}\n",
	} {
		for _, words := range []string{"", "x", "*"} {
			for _, missing := range []string{"error", "drop", "mean", "word"} {
				f.Add([]byte(text), missing, words)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, missing, words string) {
		format := Format{Missing: Missing(missing)}
		if words != "" {
			format.Categorical = []string{words}
		}
		if field.Resolve(&format) != nil {
			return
		}
		var e *Examples
		var err error
		check.Frugal(t, func() { e, err = readAs(format, string(text)) })
		if err != nil {
			if !strings.HasPrefix(strings.TrimPrefix(err.Error(), "categorical: "), "a.csv:") {
				t.Fatalf("error %v", err)
			}
			return
		}
		if e.Len() == 0 || e.Inputs() == 0 || len(e.Classes()) < 2 ||
			!slices.Equal(e.Classes(), e.present().Classes()) || !strings.HasPrefix(e.About(), "a.csv: ") {
			t.Fatalf("%d examples, %d inputs, classes %q", e.Len(), e.Inputs(), e.Classes())
		}
	})
}

const flowers = `% Flowers, in März.
@RELATION 'flowers of spring'

@attribute  width	Real % in cm
@attribute 'how many'  INTEGER
@attribute "colour" { red,'light\'s \"blue\" 5\%' , '?', NA	, {}}
@attribute note string
@attribute day DATE 'yyyy-MM-dd'
@attribute class {wild,'big bud', "10", 9}

@data
1.5, 3,red, 'a, b {c} % d', 2026-03-01, 'big bud'
% nothing

?,4,'light\'s "blue" 5%' ,"it's",?,wild % the last one
-2e3	-1	'?'	x	'2026-03-02'	10
.5,0,?,x,?,9
0,7,NA,x,?,10
`

// The classes and the words of nominal columns are those declared, in their order; only a ? without quotes
// is no value.
func TestReadARFF(t *testing.T) {
	text := strings.Replace(flowers, ", {}}", "}", 1)
	f := Format{Ignore: []string{"note", "day"}, Missing: MissingMean}
	f.Separator, f.Decimal, f.NoHeader = ";", ",", true // do not count
	for name, text := range map[string]string{
		"plain": text, "packed": check.Gzip(text), "CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
		"mark": "\ufeff" + text, "a comment in Latin-1": strings.Replace(text, "ä", "\xe4", 1),
	} {
		e := read(f, text)
		check.Equal(t, name, e.Classes(), []string{"wild", "big bud", "10", "9"})
		check.Equal(t, name, names(e), `width how many colour=red colour=light's "blue" 5% colour='?' colour='NA'`)
		check.Equal(t, name, fmt.Sprint(all(e)), "{[[1.5 3 1 0 0 0] [NaN 4 0 1 0 0] [-2000 -1 0 0 1 0] "+
			"[0.5 0 NaN NaN NaN NaN] [0 7 0 0 0 1]] [1 0 2 3 2]}")
		check.Equal(t, name, e.Row(4), 18)
	}
	// Classes and words that do not occur: the classes are left out, the words are inputs all the same.
	const header = "@relation r\n@attribute c {u,v,w}\n@attribute n {a,b}\n@attribute class {3,2,1}\n@data\n"
	e := read(Format{Missing: MissingMean}, header+"w,?,1\nu,?,3\n")
	check.Equal(t, "classes", e.Classes(), []string{"3", "1"})
	check.Equal(t, "inputs", names(e), "c=u c=v c=w")
	x, _, err := rows(t, Format{}, check.Must(e.Scaler(None)), header+"v,a,?\n")
	check.OK(t, err)
	check.Equal(t, "a new row", x, [][]float64{{0, 1, 0}})
	e = read(Format{Categorical: []string{AllWords}},
		"@relation r\n@attribute s string\n@attribute class numeric\n@data\n10,2\n9,1\n")
	check.Equal(t, "a string as words", []any{names(e), e.Classes()}, []any{"s=10 s=9", []string{"1", "2"}})
}

// What is not read is refused with the line and what is allowed.
func TestARFFErrors(t *testing.T) {
	const header = "@relation r\n@attribute x real\n@attribute c {u,'v w'}\n@attribute class {a,b}\n@data\n"
	for _, c := range []struct{ text, want string }{
		{flowers, `a.csv:6: words of "colour": braces: sparse rows`},
		{"@relation r\n", "a.csv: no line @data"},
		{"@relation r\n@data\n", `a.csv:2: found "@data"; need @relation, @attribute for`},
		{"@relation r\n@inputs x\n", `a.csv:2: found "@inputs"; need`},
		{"@relation r\n@attribute x\n", "a.csv:2: need a name and a type"},
		{"@relation r\n@attribute x relational\n", `a.csv:2: "x" has a type that is not read; allowed: num`},
		{"@relation r\n@attribute x real [0,1]\n", `a.csv:2: "x" has a type`},
		{"@relation r\n@attribute x {a,\n b}\n", `a.csv:2: "x" has a type`},
		{"@relation r\n@attribute x {}\n", `a.csv:2: words of "x": an empty cell`},
		{"@relation r\n@attribute x {a,b,a}\n", `a.csv:2: words of "x": "a"; need each word once`},
		{"@relation r\n@attribute x {a,?}\n", `a.csv:2: words of "x": "?"; need each`},
		{"@relation r\n@attribute x real\n@attribute x real\n@data\n", `columns 1 and 2 are both called "x"`},
		{"@relation r\n@attribute 'x real\n", `a.csv:2: "'x real": no closing quote, or an escape other than \' \" \\ \% \n \t`},
		{"@relation r\n@attribute F\xf6hre real\n", "a.csv:2: the line is not in UTF-8; iconv -f WINDOWS-1252"},
		{"@relation r\r@attribute x real\r", "a.csv:1: the line ends in CR alone"},
		{header, "a.csv: a header without rows"},
		{header + "1,u,a\n2,v,b\n", `a.csv:7: column "c": "v" is not declared; allowed: u, v w`},
		{header + "1,u,a\n2,u,A\n", `a.csv:7: column "class": "A" is not declared; allowed: a, b`},
		{header + "1,v w,a\n", "a.csv:6: wrong number of fields, 4; need 3, one for each @attribute; a word with"},
		{header + "1,u\n", "a.csv:6: wrong number of fields, 2; need 3"},
		{header + "1,,a\n", "a.csv:6: an empty cell; need a value, or ? for none"},
		{header + "1,u,a,\n", "a.csv:6: an empty cell"},
		{header + "{0 1, 2 a}\n", "a.csv:6: braces: sparse rows and weights of rows are not read; write"},
		{header + "1,u,a,{2}\n", "a.csv:6: braces: sparse rows and weights"},
		{header + "1,it's,a\n", `a.csv:6: "'s,a" after "it": need quotes, and`},
		{header + "1,'u'v,a\n", `a.csv:6: "v,a" after "u"`},
		{header + `1,'v\ w',a`, `a.csv:6: "'v\\ w',a": no closing quote, or an escape`},
		{header + `1,'v\`, `a.csv:6: "'v\\": no closing quote`},
		{header + "1,u,\xe4\n", "a.csv:6: the line is not in UTF-8"},
		{header + "1,u,a\n?,u,b\n", `a.csv: x: "?" (line 7) have no value; missing = "drop"`},
		{header + "1,u,a\nNA,u,b\n", `a.csv: x: "'NA'" (line 7) are not numbers`},
		{strings.Replace(header, "real", "string", 1) + "1,u,a\n2,u,b\n", `a.csv: x: declared as string, which is ` +
			`no input; ignore = ["x"] leaves the column out, categorical = ["x"] makes an input of each of its 2`},
	} {
		check.Refuses(t, c.text, check.Err(readAs(Format{}, c.text)), c.want)
	}
}
