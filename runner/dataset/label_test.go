package dataset

import (
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// Labels that look alike are refused with the difference, unless a key says that they are as written; numbers
// are compared exactly.
func TestLabelsLookAlike(t *testing.T) {
	for _, c := range []struct{ first, label, difference string }{
		{"Oak", "oak", `"Oak" only in case;`},
		{"big cat", "bigcat", "blanks;"},
		{"big cat", "big\u00a0Cat", "blanks and case;"},
		{"stra\u00dfe", "STRASSE", ""},
		{"\u03c3\u03c2", "\u03a3\u03a3", "case;"},
		{"caf\u00e9", "cafe\u0301", `"caf\u00e9" only in Unicode form (NFC, NFD);`},
		{"caf\u00e9", "Cafe\u0301", "case and Unicode form (NFC, NFD);"},
		{"cafe", "caf\u00e9", ""},
		{"yes", "yes\u200b", "invisible characters;"},
		{"yes", "\ufeffy\u00ades", "invisible characters;"},
		{"1", "1.0", "the way a number is written;"},
		{"1", "+01", "the way a number is written;"},
		{"1000", "1e3", "the way a number is written;"},
		{"1E3", "1e3", "the way it is written;"},
		{"-.5", "-0.50", "the way a number is written;"},
		{"0", "-0.0", "the way a number is written;"},
		{"2.1", "2.10", "the way a number is written;"},
		{"2.1", "2.01", ""},
		{"1", "-1", ""},
		{"12", "1.2", ""},
		{"9007199254740992", "9007199254740993", ""},
		{"9007199254740993", "9007199254740993.0", "the way a number is written;"},
		{"0.1", "0.1000000000000000055", ""},
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
	_, _, err := rows(t, s, "zip\n007\n")
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
	table := check.Must(NewReader(strings.NewReader("x,class\n"+numbered(7, "%d,%[1]d\n")), "a.csv", Format{}))
	check.Equal(t, "inputs", check.Must(table.examples(training)).Inputs(), 1)
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
