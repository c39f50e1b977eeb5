package dataset

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/check"
)

const birds = "id,mass,colour,kind\n1,2,red,a\n2,NA,blue,b\n3,6,?,a\n4,1,red,\n5,4,blue,b\n"

func read(t *testing.T, f Format, text string) *Examples {
	t.Helper()
	e := check.Must(f.Examples(parse(t, text), nil))
	return e
}

func parse(t *testing.T, text string) *Table {
	t.Helper()
	table := check.Must(ParseTable([]byte(text), "a.csv"))
	return table
}

func TestFormat(t *testing.T) {
	f := Format{Class: "kind", Missing: MissingDrop, Categorical: []string{"colour"}, Ignore: []string{"id"}}
	e := read(t, f, birds)
	want := Set{X: [][]float64{{2, 0, 1}, {4, 1, 0}}, Class: []int{0, 1}}
	if got := all(e); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	check.Equal(t, "features", []any{e.Features(), e.Features()[1].String()}, []any{[]Feature{{"mass", ""}, {"colour", "blue"}, {"colour", "red"}}, "colour=blue"})
	check.Equal(t, "after rows that are dropped the line", e.where(1), "a.csv:6")
	for _, c := range []struct {
		f    Format
		want string
	}{
		{Format{Class: "kind"}, `a.csv:2: column "colour": "red" is not a number; columns of words are named in categorical = ["colour"]`},
		{Format{Class: "kind", Categorical: []string{"colour"}}, `a.csv:3: column "mass" is missing: "NA"; allowed: values, or missing = "drop"`},
		{Format{Class: "kind", Categorical: []string{"color"}}, `categorical: a.csv:1: no column "color"; the columns, by ',', are id, mass, colour, kind`},
		{Format{Class: "kind", Categorical: []string{"id"}, Ignore: []string{"mass", "x"}}, `ignore: a.csv:1: no column "x"`},
		{Format{Class: "kind", Ignore: []string{"id", "mass", "colour"}}, `a.csv:1: no inputs beside the class "kind"`},
		{Format{Class: "kind", Missing: "zero"}, `missing: "zero" is not allowed; allowed: error, drop, mean`},
		{Format{Class: "kind", Ignore: []string{"kind"}}, `class: "kind" is in categorical or ignore, too`},
		{Format{Categorical: []string{"id"}, Ignore: []string{"id"}}, `ignore: "id" is in categorical, too`},
	} {
		text := birds
		if c.f.Missing == "" && c.f.Categorical == nil {
			text = "id,mass,colour,kind\n1,2,red,a\n2,3,blue,b\n"
		}
		_, err := c.f.Examples(parse(t, text), nil)
		check.Refuses(t, c.want, err, c.want)
	}
}

// Means are those of the training part, for the test part and for new rows alike, which
// are found by the names of their columns, also by a scaler that was kept in a file.
func TestMeansAndNewRows(t *testing.T) {
	e := read(t, Format{Missing: MissingMean, Categorical: []string{"c"}}, "x,c,class\n1,u,a\n,v,b\n3,,a\n5,u,b\n,v,a\n100,v,b\n")
	train, test, err := Parts(e, []int{0, 1, 2, 3}, []int{4, 5})
	check.OK(t, err)
	for kind, want := range map[Scaling][][]float64{
		None:     {{3, 0, 1}, {100, 0, 1}},
		Unit:     {{0.6, 0, 0.2}, {20, 0, 0.2}},
		Standard: {{0, -4 / math.Sqrt(6), 4 / math.Sqrt(6)}, {97 / math.Sqrt2, -4 / math.Sqrt(6), 4 / math.Sqrt(6)}},
	} {
		s := check.Must(train.Scaler(kind))
		if text, err := json.Marshal(s); err != nil || json.Unmarshal(text, &s) != nil {
			t.Fatal(err)
		}
		got := all(s.Apply(test)).X
		rows, unknown, err := s.Rows(parse(t, "c;more;x\nv;word;NA\nv;;100\n"))
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
	rows, unknown, err := s.Rows(parse(t, "x,c\n1,w\n2,w\n,\n"))
	if want := [][]float64{{1, 0, 0}, {2, 0, 0}, {3, 2. / 3, 1. / 3}}; err != nil || !slices.EqualFunc(rows, want, func(a, b []float64) bool { return floats.EqualApprox(a, b, 1e-15) }) || !slices.Equal(unknown, []string{"c=w"}) {
		t.Errorf("%v, unknown %q, %v", rows, unknown, err)
	}
	_, _, err = s.Rows(parse(t, "c\nu\n"))
	check.Refuses(t, "a column less", err, `a.csv:1: no column "x"; the columns, by ',', are c`)
	plain := check.Must(read(t, Format{}, "x,class\n1,a\n2,b\n").Scaler(Standard))
	_, _, err = plain.Rows(parse(t, "x,class\n1,a\n,b\n"))
	check.Refuses(t, "a new gap", err, `a.csv:3: column "x" is missing: ""; allowed where the training had missing = "mean" only`)
	_, _, err = Scaler{}.Rows(parse(t, "x\n1\n"))
	check.Refuses(t, "no columns", err, "was not fitted to a table")
	_, err = e.Subset([]int{1, 4}).Scaler(Standard)
	check.Refuses(t, "no value", err, "input 1, x, has no value in the 2 examples")
	_, err = Format{Missing: MissingMean, Categorical: []string{"x"}}.Examples(parse(t, "x,class\n,b\n?,a\n"), nil)
	check.Refuses(t, "no level", err, `a.csv:1: column "x" has no value in 2 rows; ignore = ["x"] leaves it out`)
}

func TestAbout(t *testing.T) {
	for _, c := range []struct {
		f          Format
		text, want string
	}{
		{Format{}, "x,class\n1,b\n2,a\n3,b\n4,a\n5,b\n", "a.csv: 5 examples, 1 inputs, 2 classes: b 3, a 2"},
		{
			Format{Missing: MissingMean},
			"x,class\n1,a\n2,\n,b\n4,b\n",
			"a.csv: 3 examples, 1 inputs, 2 classes: b 2, a 1\na.csv: classes with one example: a; rows dropped, with a missing value: 1; missing inputs that means replace: 1",
		},
		{
			Format{Missing: MissingDrop},
			"x,class\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n1,10\n2,11\n,12\n",
			"a.csv: 11 examples, 1 inputs, 11 classes: 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, 8 1, 9 1, 10 1, … (11 in all)\n" +
				"a.csv: classes with one example: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (11 in all); rows dropped, with a missing value: 1",
		},
	} {
		if got := read(t, c.f, c.text).About(); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
