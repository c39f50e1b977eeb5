package dataset

import (
	"fmt"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

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
	x, _, err := rows(t, check.Must(e.Scaler(None)), header+"v,a,?\n")
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
		{header + "1,u,a\n1.5.2,u,b\n", `a.csv: x: "1.5.2" (line 7) are not numbers`},
		{strings.Replace(header, "real", "string", 1) + "1,u,a\n2,u,b\n", `a.csv: x: declared as string, which is ` +
			`no input; ignore = ["x"] leaves the column out, categorical = ["x"] makes an input of each of its 2`},
		{strings.Replace(header, "real", "date", 1) + "1,u,a\n2,u,b\n", `a.csv: x: declared as date, which is no`},
	} {
		check.Refuses(t, c.text, check.Err(readAs(Format{}, c.text)), c.want)
	}
}
