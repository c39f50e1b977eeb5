package store

import (
	"strings"
	"testing"

	"closedform/internal/check"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name, old, now string
		summary        string
		changes        []string // row, column, old, new, by
	}{
		{"same", "method,error\na,0.5\n", "method,error\na,0.5\n", "same", nil},
		{"rounding", "method,error\na,0.5\n", "method,error\na,0.50000000001\n", "same", nil},
		{"rows in another order", "method,seed,error\na,1,0.5\na,2,0.25\n", "method,seed,error\na,2,0.25\na,1,0.5\n", "same", nil},
		{"a number", "method,seed,error\na,1,0.5\na,2,0.25\n", "method,seed,error\na,2,0.3\na,1,0.5\n", "1 of 2 values changed", []string{"method=a seed=2|error|0.25|0.3|+0.05 (+20 %)"}},
		{
			"the largest first", "method,n,x\na,1,5\nb,2,5\n", "method,n,x\na,100,5.5\nb,2,4\n", "3 of 4 values changed",
			[]string{"method=a|n|1|100|+99 (+9.9e+03 %)", "method=b|x|5|4|-1 (-20 %)", "method=a|x|5|5.5|+0.5 (+10 %)"},
		},
		{
			"a number that was lost, and a word", "method,chosen,x\na,p=1,1\nb,p=1,1\n", "method,chosen,x\na,p=1,\nb,p=2,2\n", "3 of 4 values changed",
			[]string{"method=b|chosen|p=1|p=2|", "method=a|x|1|none|", "method=b|x|1|2|+1 (+1e+02 %)"},
		},
		{"rows", "method,x\na,1\nb,2\n", "method,x\nb,2\nc,3\nd,4\n", "0 of 1 values changed; x: 1 rows removed; x: 2 rows added", nil},
		{"a renamed column", "method,x,y\na,1,2\n", "method,z,y\na,1,3\n", "1 of 2 values changed; x: column x removed; x: column z added", []string{"line 2|y|2|3|+1 (+50 %)"}},
		{"no key", "x\n1\n1\n2\n", "x\n1\n1\n3\n4\n", "1 of 3 values changed; x: 1 rows added", []string{"line 4|x|2|3|+1 (+50 %)"}},
		{"digits that tell them apart", "method,x\na,1.000001\n", "method,x\na,1.000002\n", "1 of 2 values changed", []string{"line 2|x|1.000001|1.000002|+1e-06 (+0.0001 %)"}},
		{"a broken table", "x\n1\n", "x\n1,2\n", "0 of 0 values changed; table x: record on line 2: wrong number of fields", nil},
	} {
		d := &Diff{}
		d.addFiles(File{"x.csv", []byte(c.old)}, File{"x.csv", []byte(c.now)}, byKey)
		var got []string
		for _, x := range d.Changes {
			got = append(got, strings.Join([]string{x.Row, x.Column, x.Old, x.New, x.By}, "|"))
		}
		check.Equal(t, c.name, []any{d.String(), got}, []any{c.summary, c.changes})
	}
}
