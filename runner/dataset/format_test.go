package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	check "closedform/internal/checktest"
)

const birds = "id,mass,colour,kind\n1,2,red,a\n2,NA,blue,b\n3,6,?,a\n4,1,red,\n5,4,blue,b\n"

// names returns what the inputs are called.
func names(e *Examples) string {
	var names []string
	for _, in := range e.inputs {
		names = append(names, in.String())
	}
	return strings.Join(names, " ")
}

// rows returns the inputs of new rows, written in a format.
func rows(t *testing.T, f Format, s Scaler, text string) (x [][]float64, unseen []string, err error) {
	t.Helper()
	table := check.Must(NewReader(strings.NewReader(text), "a.csv", f))
	in, err := s.Inputs(table)
	for err == nil {
		row, end := table.Next()
		if end != nil {
			break
		}
		one, words, wrong := in(row)
		x, unseen, err = append(x, one), append(unseen, words...), wrong
	}
	return x, unseen, err
}

func TestFormat(t *testing.T) {
	f := Format{Class: "kind", Missing: MissingDrop, Categorical: []string{"colour"}, Ignore: []string{"id"}}
	e := read(f, birds)
	check.Equal(t, "examples", all(e), Set{X: [][]float64{{2, 0, 1}, {4, 1, 0}}, Class: []int{0, 1}})
	check.Equal(t, "inputs", names(e), "mass colour=blue colour=red")
	check.Equal(t, "after rows that are dropped the line", e.Row(1), 6)
}

// Means are those of the training part, for the test part and for new rows alike, which
// are found by the names of their columns, also by a scaler that was kept in a file.
func TestMeansAndNewRows(t *testing.T) {
	e := read(Format{Missing: MissingMean, Categorical: []string{"c"}},
		"x,c,class\n1,u,a\n,v,b\n3,,a\n5,u,b\n,v,a\n100,v,b\n")
	train, test, err := Parts(e.Subset([]int{0, 1, 2, 3}), e.Subset([]int{4, 5}))
	check.OK(t, err)
	const word = 1
	sd := math.Sqrt(8. / 3) // of the three that have a value
	for kind, want := range map[Scaling][][]float64{
		None:     {{3, 0, 1}, {100, 0, 1}},
		Unit:     {{0.6, 0, 0.2}, {20, 0, 0.2}},
		Standard: {{0, -word, word}, {97 / sd, -word, word}},
	} {
		s := check.Must(train.Scaler(kind))
		if text, err := json.Marshal(s); err != nil || json.Unmarshal(text, &s) != nil {
			t.Fatal(err)
		}
		got := all(s.Apply(test)).X
		rows, unknown, err := rows(t, Format{}, s, "c,more,x\nv,word,NA\nv,,100\n")
		if err != nil || unknown != nil {
			t.Fatal(unknown, err)
		}
		for i, want := range want {
			if !slices.Equal(rows[i], got[i]) || !floats.EqualApprox(got[i], want, 1e-14) {
				t.Errorf("%s: test example %v, new row %v, want %v", kind, got[i], rows[i], want)
			}
		}
	}
	s := check.Must(train.Scaler(None))
	got, unknown, err := rows(t, Format{}, s, "x,c\n1,w\n2,w\n,\n")
	check.OK(t, err)
	check.Equal(t, "words not seen", unknown, []string{"c=w", "c=w"})
	check.NearAll(t, "new rows", slices.Concat(got...), []float64{1, 0, 0, 2, 0, 0, 3, 2. / 3, 1. / 3}, 1e-15)
	_, _, err = rows(t, Format{}, s, "c\nu\n")
	check.Refuses(t, "a column less", err, `a.csv:1: no column "x"; the columns are c`)
	plain := check.Must(read(Format{}, "x,class\n1,a\n2,b\n").Scaler(Standard))
	_, _, err = rows(t, Format{}, plain, "x,class\n1,a\n,b\n")
	check.Refuses(t, "a new gap", err,
		`a.csv:3: column "x": "" has no value; allowed only after a training with missing = "mean"`)
	empty := all(check.Must(e.Subset([]int{1, 4}).Scaler(Standard)).Apply(e))
	check.Equal(t, "of a column without a value in the training part", empty.X[5][0], 0)
	for _, words := range [][]string{nil, {"x"}} {
		f := Format{Missing: MissingMean, Categorical: words}
		check.Refuses(t, "no value", check.Err(readAs(f, "x,class\n,b\n?,a\n")), `a.csv: no column beside the class "class" has a value`)
	}
}

// No value is a word of its own in a column of words that lacks values, and the mean of the training part in a
// column of numbers; a quoted ? of an ARFF file is a word of the file.
func TestMissingWord(t *testing.T) {
	f := Format{Missing: MissingWord, Categorical: []string{AllWords}}
	text := "x,c,full,none,class\n1,u,s,,a\n?,v,r,,b\n4,,r,NA,a\n100,NA,s,,b\n"
	e := read(f, text)
	check.Equal(t, "inputs", names(e), "x c=u c=v c=? full=r full=s")
	check.Equal(t, "left out", e.Omitted(), []string{"column none"})
	s := check.Must(e.Subset([]int{0, 1, 2}).Scaler(None))
	check.Equal(t, "examples", all(s.Apply(e)).X,
		[][]float64{{1, 1, 0, 0, 0, 1}, {2.5, 0, 1, 0, 1, 0}, {4, 0, 0, 1, 1, 0}, {100, 0, 0, 1, 0, 1}})
	got, unseen, err := rows(t, f, s, "x,c,full\n,,r\n7,w,\n")
	check.OK(t, err)
	check.Equal(t, "new rows", got, [][]float64{{2.5, 0, 0, 1, 1, 0}, {7, 0, 0, 0, 0, 0}})
	check.Equal(t, "words not seen", unseen, []string{"c=w", "full=?"})
	const header = "@relation r\n@attribute c {'?',u}\n@attribute class {a,b}\n@data\n"
	check.Equal(t, "ARFF", names(read(f, header+"'?',a\n?,b\nu,b\n")), "c='?' c=u c=?")
	check.Equal(t, "ARFF, none missing", names(read(f, header+"'?',a\nu,b\n")), "c='?' c=u")
}

// Classes of few rows are left out, and noted; the others keep their lines.
func TestFrequent(t *testing.T) {
	e := read(Format{Missing: MissingMean}, "x,y,class\n1,,c\n2,,b\n3,,c\n4,,a\n5,,b\n6,,c\n")
	f := e.Frequent(2)
	check.Equal(t, "examples", all(f), Set{X: [][]float64{{1}, {2}, {3}, {5}, {6}}, Class: []int{1, 0, 1, 0, 1}})
	check.Equal(t, "classes and the last line", []any{f.Classes(), f.Row(4)}, []any{[]string{"b", "c"}, 7})
	check.Contains(t, f.About(), "columns without a value, left out: y; ",
		"classes with fewer than 2 examples, left out: a (1)")
	check.Equal(t, "left out", f.Omitted(), []string{"column y", "class a"})
	check.Equal(t, "left out before", []any{len(e.Omitted()), e.Len()}, []any{1, 6})
	check.Equal(t, "all are frequent", e.Frequent(1).About(), e.About())
}

// Words of a column share a deviation, so that a rare one is no large input; an input that varies by rounding
// errors is a constant.
func TestWordsAreScaledTogether(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,nearly,c,class\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d,%s,%s,%d\n", i, []string{"0.3", "0.30000000000000004"}[i%2],
			append(slices.Repeat([]string{"often"}, 99), "rare")[i], i%2)
	}
	e := read(Format{Categorical: []string{AllWords}}, text.String())
	scaled := all(check.Must(e.Scaler(Standard)).Apply(e)).X
	check.Equal(t, "inputs", names(e), "x nearly c=often c=rare")
	largest := 0.0
	for _, x := range scaled {
		largest = max(largest, math.Abs(x[2]), math.Abs(x[3]))
		check.Near(t, "nearly constant", x[1], 0, 1e-12)
	}
	check.Near(t, "the rare word", largest, 0.99/math.Sqrt(2*0.99*0.01), 1e-12)
	check.Contains(t, e.About(), "columns with one value: nearly")
}

func TestAbout(t *testing.T) {
	about := read(Format{}, "x,class\n1,b\n2,a\n3,b\n4,a\n5,b\n").About()
	check.Equal(t, "about", about, "a.csv: 5 examples, 1 inputs, 2 classes: a 2, b 3")
	about = read(Format{Missing: MissingMean}, "x,y,z,class\n1,,5,a\n2,,5,\n,,5,b\n4,,5,b\n4,,5,b\n").About()
	check.Equal(t, "about", about, "a.csv: 4 examples, 2 inputs, 2 classes: a 1, b 3\na.csv: classes with one "+
		"example: a; columns without a value, left out: y; columns with one value: z; inputs that repeat those of "+
		"other rows, which may be in the other part, on lines: 6")
}

// Labels that look alike are refused with the difference, unless a key says that they are as written; numbers
// are compared exactly.
func TestLabelsLookAlike(t *testing.T) {
	for _, c := range []struct{ first, label, difference string }{
		{"Öl", "öl", `"Öl" only in case;`},
		{"big cat", "bigcat", "blanks;"},
		{"big cat", "big\u00a0Cat", "blanks and case;"},
		{"stra\u00dfe", "STRASSE", ""},
		{"\u03c3\u03c2", "\u03a3\u03a3", "case;"},
		{"caf\u00e9", "cafe\u0301", `"caf\u00e9" only in Unicode form (NFC, NFD);`},
		{"caf\u00e9", "Cafe\u0301", "case and Unicode form (NFC, NFD);"},
		{"cafe", "caf\u00e9", ""},
		{"yes", "yes\u200b", "invisible characters;"},
		{"1", "1.0", "the way a number is written;"},
		{"1000", "1e3", "the way a number is written;"},
		{"1E3", "1e3", "the way it is written;"},
		{"0", "-0.0", "the way a number is written;"},
		{"9007199254740992", "9007199254740993", ""},
		{"1e-400", "1e-401", ""},
		{"1.2.3", "1.2.30", ""},
		{"a", "<NA>", `no value? no_value = ["<NA>"] says so, as_written = true makes`},
		{"a", "\\N", `no_value = ["\\N"]`},
		{"a", "\u200b", "no value?"},
		{"a", "-", ""},
		{"1", "-", "no value?"},
		{"a", "unknown", "the word for no class"},
	} {
		err := Format{}.Labels([]string{c.first}).Add(c.label)
		if c.difference == "" {
			check.OK(t, err)
		} else {
			check.Refuses(t, c.first+" and "+c.label, err, c.difference)
		}
		check.OK(t, Format{}.Labels([]string{c.first}).Add(c.first))
		written := Format{AsWritten: true}.Labels([]string{c.first}).Add(c.label)
		check.Equal(t, c.label+" as written", written == nil, c.label != Unknown)
	}
	decimal := Format{Separator: ";", Decimal: ","}.Labels([]string{"1,5"})
	check.Refuses(t, "decimal comma", decimal.Add("1,50"), "a number is written")
	check.OK(t, decimal.Add("1.5"))
	check.Refuses(t, "a label that was added", decimal.Add("1. 5"), `"1.5" only in blanks`)
}

// What a key says is done: labels as written, numbers with zeros, words for no value.
func TestKeysForColumns(t *testing.T) {
	const text = "zip,x,class\n007,1,a\n08,-,A\n11,3,2.1\n12,.,2.10\n"
	f := Format{AsWritten: true, Numeric: []string{"zip"}, NoValue: []string{"-", "."}, Missing: MissingMean}
	e := read(f, text)
	check.Equal(t, "classes", e.Classes(), []string{"2.1", "2.10", "A", "a"})
	check.Equal(t, "inputs", []any{names(e), e.Input(0)[0], e.Input(1)[0]}, []any{"zip x", 7., 8.})
	f.Numeric, f.Categorical = nil, []string{AllWords}
	check.Equal(t, "words", names(read(f, text)), "zip=007 zip=08 zip=11 zip=12 x")
	check.Equal(t, "classes of one row each", len(read(f, "x,class\n"+numbered(9, "%d,%[1]d.5\n")).Classes()), 9)
	e = read(Format{}, "@relation r\n@attribute x real\n@attribute class {a,b}\n@data\n007,a\n08,b\n")
	check.Equal(t, "declared as numbers", e.Input(0), []float64{7})
	s := check.Must(read(Format{}, "zip,class\n7,a\n8,b\n").Scaler(None))
	_, _, err := rows(t, Format{}, s, "zip\n007\n")
	check.Refuses(t, "a code in a new row", err, `a.csv:2: column "zip": "007" has leading zeros; allowed only `+
		`after a training with numeric = ["zip"]`)
}

// The classes of a test table are those of the training table, written alike.
func TestLabelsOfTestTables(t *testing.T) {
	training := read(Format{}, "x,class\n1,0\n2,1\n")
	for text, want := range map[string]string{
		"x,class\n1,0.0\n2,1.0\n": `a.csv: class: "0.0" (line 2): differs from "0" only in the way a number`,
		"x,class\n1,0\n2,\n":      `a.csv: class: "" (line 3) have no value`,
		"x,class\n":               "a.csv: a header without rows",
	} {
		table := check.Must(NewReader(strings.NewReader(text), "a.csv", Format{}))
		check.Refuses(t, text, check.Err(table.examples(training)), want)
	}
	// They may lack a column that is left out, and have another one, with gaps, many classes, or one.
	f := Format{Ignore: []string{"id"}, Missing: MissingDrop}
	for _, text := range []string{"x,more,class\n" + numbered(7, "%d,,%[1]d\n"), "x,class\n1,0\n"} {
		table := check.Must(NewReader(strings.NewReader(text), "a.csv", f))
		check.Equal(t, text, check.Must(table.examples(training)).Inputs(), 1)
	}
}

// Who typed flags is told flags, quoted for a shell and as a line of CSV.
func TestFlagsInMessages(t *testing.T) {
	flags := Format{Flags: true}
	separator, twice := flags, flags
	separator.Separator, twice.Ignore = "|", []string{"x", "x"}
	for text, c := range map[string]struct {
		f    Format
		want string
	}{
		"\"Breite, cm\",class\na,a\nb,b\n":  {flags, `-ignore '"Breite, cm"' leaves the column out, -categor`},
		"it's,class\na,a\nb,b\n":            {flags, `-ignore 'it'\''s' leaves`},
		"x,class\n007,a\n8,b\n":             {flags, "-numeric x reads numbers"},
		"x,class\n,a\n8,b\n":                {flags, "-missing drop leaves their rows out, -missing mean puts"},
		"x,class\n8,a\n#N/A,b\n":            {flags, "-no-value '#N/A' says so"},
		"x,class\n8,a\n8,A\n":               {flags, "by -as-written"},
		"x,class\n" + numbered(6, "1,%d\n"): {flags, "; -class names the column of the classes, -as-written makes"},
		"x;class\n8;a\n":                    {flags, "-separator ';' makes 2 of it"},
		"1,2\n":                             {flags, "train with -no-header, which"},
		"any":                               {separator, `-separator: "|" is not allowed`},
		"x,class\n":                         {twice, "-ignore: "},
	} {
		check.Refuses(t, text, check.Err(readAs(c.f, text)), c.want)
	}
	check.True(t, slices.Equal(read(flags, "x,class\n1,a\n2,b\n").Classes(), []string{"a", "b"}), "a good table")
}
