package learn

import (
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// Two seeds, of which one has no example of b: counts are of both, the area is that of the other.
func TestClassTables(t *testing.T) {
	p := table.New("predictions", table.Text("method", ""), table.Int("seed", ""), table.Text("class", ""), table.Num("p_a", ""), table.Num("p_b", ""))
	p.Add("m", 1, "a", 0.9, 0.1)
	p.Add("m", 1, "a", 0.3, 0.7)
	p.Add("m", 1, "b", 0.4, 0.6)
	p.Add("m", 2, "a", 0.8, 0.2)
	tables := classTables(p)
	for name, want := range map[string]string{
		"classes":   "method,class,n,recall,precision,auroc\nm,a,3,0.6666666666666666,1,0.5\nm,b,1,1,0.5,0.5\n",
		"confusion": "method,class,predicted,n\nm,a,a,2\nm,a,b,1\nm,b,a,0\nm,b,b,1\n",
	} {
		check.Equal(t, name, string(tables.Get(name).CSV()), want)
	}
}
