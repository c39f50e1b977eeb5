package study

import (
	"slices"
	"strings"
	"testing"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

func learnFrom(generator string) *manifest.Learn {
	return &manifest.Learn{Training: manifest.Training{Data: manifest.Data{Generator: generator}}}
}

func TestNewRejects(t *testing.T) {
	for _, c := range []struct {
		m    manifest.Manifest
		want string
	}{
		{manifest.Manifest{Study: "teach"}, `study "teach" is not known`},
		{manifest.Manifest{Study: "learn", Learn: learnFrom("moons")}, `no generator "moons"`},
		{manifest.Manifest{Study: "ablation", Ablation: &manifest.Ablation{Training: learnFrom("moons").Training}}, `no generator "moons"`},
	} {
		if _, err := New(&c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %s", err, c.want)
		}
	}
	if _, err := manifest.Parse("test.toml", []byte(strings.Replace(small, `"learn"`, `"teach"`, 1)), Kinds, nil); err == nil {
		t.Error("a manifest of an unknown study was read")
	}
}

// Every study that a manifest may name can be made.
func TestKindsAreKnown(t *testing.T) {
	learn := learnFrom("wedges")
	for _, kind := range Kinds {
		m := manifest.Manifest{Study: kind.Name, Learn: learn, Ablation: &manifest.Ablation{Training: learn.Training}}
		if _, err := New(&m); err != nil {
			t.Error(err)
		}
	}
}

// What a claim may name are columns of summary.csv.
func TestStatisticsAreColumns(t *testing.T) {
	row := records(t, runSmall(t).report.Tables, "summary", nil)[0]
	for _, name := range statistics {
		if _, ok := row[name]; !ok {
			t.Errorf("no column %s", name)
		}
	}
	if statistics[0] != "accuracy" {
		t.Errorf("the first statistic is %s", statistics[0])
	}
	if !slices.Equal(Kinds[0].Statistics, statistics) {
		t.Errorf("a manifest of study %s may name %v, not %v", Kinds[0].Name, Kinds[0].Statistics, statistics)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown statistic has a value")
		}
	}()
	(&learnSummary{entropy: []float64{1}}).statistic("luck")
}

func TestMerge(t *testing.T) {
	a := func(rows ...string) store.Table {
		t := store.Table{Name: "a", Header: []string{"x"}}
		for _, r := range rows {
			t.Rows = append(t.Rows, []string{r})
		}
		return t
	}
	b := store.Table{Name: "b", Header: []string{"y", "z"}, Rows: [][]string{{"1", "2"}}}
	merged, err := merge([][]store.Table{{a("1", "2")}, {b, a("3")}, {a(), b}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range merged {
		got = append(got, table.Name+"\n"+string(table.CSV()))
	}
	want := []string{"a\nx\n1\n2\n3\n", "b\ny,z\n1,2\n1,2\n"}
	if !slices.Equal(got, want) {
		t.Errorf("merged to %q, want %q", got, want)
	}

	other := store.Table{Name: "b", Header: []string{"z", "y"}}
	if _, err := merge([][]store.Table{{b}, {other}}); err == nil || !strings.Contains(err.Error(), "table b") {
		t.Errorf("columns in another order: %v", err)
	}
	if _, err := (&learn{}).Report([][]store.Table{{b}, {other}}); err == nil {
		t.Error("a report of columns in another order")
	}
}

func TestFramePanics(t *testing.T) {
	tables := []store.Table{{Name: "a", Header: []string{"x"}, Rows: [][]string{{"1"}, {"one"}}}}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"study: no table b", func() { find(tables, "b") }},
		{"study: table a has no column y", func() { find(tables, "a").where("y", "1") }},
		{"study: table a, row 1, column x: ", func() { find(tables, "a").floats("x") }},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			c.f()
		}()
	}
	if got := find(tables, "a").where("x", "1").floats("x"); !slices.Equal(got, []float64{1}) {
		t.Errorf("where x is 1, x = %v", got)
	}
}
