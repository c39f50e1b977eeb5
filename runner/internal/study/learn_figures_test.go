package study

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"strconv"
	"testing"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

func names(report Report) []string {
	var out []string
	for _, f := range report.Figures {
		out = append(out, f.Name)
	}
	return out
}

// single are the names of the panels of a page of four rows and three columns.
func single(first int) []string {
	var out []string
	for i := range 12 {
		n := strconv.Itoa(first + i)
		if len(n) == 1 {
			n = "0" + n
		}
		out = append(out, "fig"+n)
	}
	return out
}

func TestFigureNames(t *testing.T) {
	if got, want := names(runSmall(t).report), append(single(1), "maps_joint", "maps_project"); !slices.Equal(got, want) {
		t.Errorf("figures %v, want %v", got, want)
	}
	// A model for each swept value has a page of its own.
	swept := names(run(t, parse(t, small, "sweep.lambda=[0.1, 0.2]", "sweep.rho=[0.5]", "variant.project.rule=total")).report)
	want := slices.Concat(single(1), []string{"maps_joint_lambda=0.1_rho=0.5"}, single(13), []string{"maps_joint_lambda=0.2_rho=0.5"},
		[]string{"maps_project_lambda=0.1_rho=0.5", "maps_project_lambda=0.2_rho=0.5"})
	if !slices.Equal(swept, want) {
		t.Errorf("figures %v, want %v", swept, want)
	}
}

// drawn returns the row of a page for a column of grid.csv, drawn once more.
func drawn(t *testing.T, tables []store.Table, variant, column, label string, variance bool) figures.Row {
	t.Helper()
	row := figures.Row{Scale: figures.Scale{Label: label, Max: 1}}
	if variance {
		row.Scale.Max = 0
	}
	axis := []float64{-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2}
	for _, k := range []int{1, 3, 6} {
		m := figures.Map{
			Title: "$k$ = " + strconv.Itoa(k), X: axis, Y: axis,
			Boundary: []figures.Segment{{X0: -2, Y0: -2, X1: 2, Y1: 2}, {X0: -2, Y0: 2, X1: 2, Y1: -2}},
		}
		for _, r := range records(t, tables, "grid", record{"variant": variant, "k": strconv.Itoa(k)}) {
			x := r.number(t, column)
			m.Z = append(m.Z, x)
			if variance {
				row.Scale.Max = max(row.Scale.Max, x)
			}
		}
		for _, r := range records(t, tables, "train", record{"seed": "3"})[:k] {
			m.Points = append(m.Points, figures.Point{X: r.number(t, "x1"), Y: r.number(t, "x2"), Class: int(r.number(t, "class")) - 1})
		}
		row.Maps = append(row.Maps, m)
	}
	return row
}

// The panels are the paper's figures 1 to 12 in its order: the mean of class 1
// at the snapshots, of class 2, the variance of class 1, of class 2.
func TestFiguresShowTheTables(t *testing.T) {
	o := runSmall(t)
	labels := figures.Labels{Classes: []string{"class 1", "class 2", "class 3"}, Below: "negative variance"}
	encode := func(f *figures.Figure) []byte {
		b, err := f.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for page, variant := range []string{"joint", "project"} {
		rows := []figures.Row{
			drawn(t, o.report.Tables, variant, "p1", "$μ(y₁)$, probability", false),
			drawn(t, o.report.Tables, variant, "p2", "$μ(y₂)$, probability", false),
			drawn(t, o.report.Tables, variant, "var1", "$σ²(y₁)$, probability²", true),
			drawn(t, o.report.Tables, variant, "var2", "$σ²(y₂)$, probability²", true),
		}
		if !bytes.Equal(encode(o.report.Figures[12+page].Drawing), encode(figures.Page(rows, labels))) {
			t.Errorf("the page of %s does not show its tables", variant)
		}
		if page > 0 {
			continue
		}
		var before [][]byte
		for i, f := range o.report.Figures[:12] {
			row := rows[i/3]
			got := encode(f.Drawing)
			if !bytes.Equal(got, encode(figures.Single(row.Maps[i%3], row.Scale, labels))) {
				t.Errorf("%s does not show %s at snapshot %d", f.Name, row.Scale.Label, i%3+1)
			}
			if slices.ContainsFunc(before, func(b []byte) bool { return bytes.Equal(b, got) }) {
				t.Errorf("%s looks like one before it", f.Name)
			}
			before = append(before, got)
		}
	}
}

func TestFiguresEncode(t *testing.T) {
	f := runSmall(t).report.Figures[11]
	b, err := f.Drawing.Encode("png")
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if size := picture.Bounds().Size(); size.X < 500 || size.Y < 500 {
		t.Errorf("%s: %v dots", f.Name, size)
	}
}

func TestSubscript(t *testing.T) {
	for j, want := range map[int]string{1: "₁", 20: "₂₀"} {
		if got := subscript(j); got != want {
			t.Errorf("subscript of %d is %s", j, got)
		}
	}
}

func TestSnap(t *testing.T) {
	z := []float64{-1e-12, -1e-9, 0.5, 1 + 1e-15, 1.1, math.NaN()}
	snap(z, figures.Scale{Max: 1})
	want := []float64{0, -1e-9, 0.5, 1, 1.1, math.NaN()}
	for i := range z {
		if z[i] != want[i] && !math.IsNaN(want[i]) {
			t.Errorf("value %d is %g, want %g", i, z[i], want[i])
		}
	}
}
