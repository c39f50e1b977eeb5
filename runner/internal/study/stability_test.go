package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	"closedform/core/softmax"
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

// steady is a stability study whose maps have all that can occur: definite,
// indefinite, divided and undecided points.
const steady = `
name  = "steady"
study = "stability"
seed  = 3

[stability]
classes  = [2, 3, 4]
lambda   = [0.3, "slope", 2]
rho      = 0.5
gap      = [0, 9]
variance = [0.01, 4]
grid     = 7
draws    = 6
`

func TestStabilityRows(t *testing.T) {
	o := run(t, parse(t, steady))
	if len(o.cells) != 9 || o.cells[4].Key != "n=3 lambda=slope" {
		t.Fatalf("%d cells, the fifth is %s", len(o.cells), o.cells[4].Key)
	}
	rows := records(t, o.report.Tables, "stability", nil)
	if len(rows) != 9*49 {
		t.Fatalf("%d rows", len(rows))
	}
	kinds := map[string]int{}
	for i, r := range rows {
		point := i % 49
		near(t, "gap", r.number(t, "gap"), 1.5*float64(point%7), 1e-14)
		near(t, "variance", r.number(t, "variance"), 0.01*math.Pow(400, float64(point/7)/6), 1e-14)
		n, err := strconv.Atoi(r["classes"])
		if err != nil {
			t.Fatal(err)
		}
		lambda := map[string]float64{"0.3": 0.3, "slope": softmax.SlopeLambda(n, 0.5), "2.0": 2}[r["lambda"]]
		near(t, "λ", r.number(t, "lambda_value"), lambda, 0)

		definite, undecided := r.number(t, "definite"), r.number(t, "undecided")
		switch {
		case undecided > 0:
			kinds["undecided"]++
		case definite == 1:
			kinds["definite"]++
		case definite == 0:
			kinds["indefinite"]++
		default:
			kinds["divided"]++
		}
		want := byCholesky(t, n, softmax.Probit{Lambda: lambda, Rho: 0.5}, r.number(t, "gap"), r.number(t, "variance"))
		if n > 2 {
			near(t, "smallest eigenvalue", r.number(t, "mean_min_eigenvalue"), want.eigenvalue, 1e-13)
		} else {
			near(t, "variance of two", r.number(t, "mean_min_eigenvalue"), want.eigenvalue, 1e-11)
			near(t, "undecided of two", undecided, 0, 0)
			if math.Abs(want.eigenvalue) < momentError {
				continue // beyond the moments, not beyond the closed form
			}
		}
		near(t, fmt.Sprintf("definite share, row %d", i), definite, want.definite, 1e-15)
		near(t, fmt.Sprintf("undecided share, row %d", i), undecided, want.undecided, 1e-15)
	}
	for _, kind := range []string{"definite", "indefinite", "divided", "undecided"} {
		if kinds[kind] == 0 {
			t.Errorf("no point is %s: %v", kind, kinds)
		}
	}
}

// shares are the numbers of a row.
type shares struct{ definite, undecided, eigenvalue float64 }

// byCholesky works a point out from the probit, the draws made once more: a
// matrix A is positive definite beyond the error ε if A − εI has a Cholesky
// factor, and it is undecided if A + εI has one and A − εI has none.
func byCholesky(t *testing.T, n int, p softmax.Probit, gap, v float64) shares {
	t.Helper()
	rnd := rand.New(random.Source("steady", 3, "logits", n))
	moments := softmax.NewMoments(n)
	variance := slices.Repeat([]float64{v}, n)
	var out shares
	draws := 6.0
	if n == 2 {
		draws = 1
	}
	for range int(draws) {
		mean := make([]float64, n)
		for j := range mean {
			mean[j] = rnd.NormFloat64()
		}
		next := slices.Max(mean[1:])
		for j := range mean {
			mean[j] -= next
		}
		mean[0] = gap
		p.Moments(moments, mean, variance)
		factors := func(shift float64) bool {
			var cov mat.SymDense
			moments.Cov(&cov)
			for j := range n {
				cov.SetSym(j, j, cov.At(j, j)+shift)
			}
			return new(mat.Cholesky).Factorize(cov.SliceSym(0, n-1))
		}
		switch {
		case factors(-momentError):
			out.definite += 1 / draws
		case factors(momentError):
			out.undecided += 1 / draws
		}
		var cov mat.SymDense
		var eigen mat.EigenSym
		moments.Cov(&cov)
		if !eigen.Factorize(cov.SliceSym(0, n-1), true) {
			t.Fatal("no eigenvalues")
		}
		out.eigenvalue += eigen.Values(nil)[0] / draws
	}
	return out
}

// What a map shows of the paper's update: at a small λ or a large variance all is
// well, at a large gap and a small variance nothing is.
func TestStabilityCorners(t *testing.T) {
	o := run(t, parse(t, steady, "stability.lambda=[0.2, 0.6]", "stability.grid=2", "stability.variance=[0.01, 50]", "stability.gap=[0.3, 7]"))
	for _, n := range []string{"2", "3", "4"} {
		for _, c := range []struct{ lambda, gap, variance, want string }{
			{"0.2", "0.3", "0.01", "1"},
			{"0.2", "7", "0.01", "1"},
			{"0.2", "7", "50", "1"},
			{"0.6", "0.3", "50", "1"},
			{"0.6", "7", "0.01", "0"},
		} {
			r := records(t, o.report.Tables, "stability", record{"classes": n, "lambda": c.lambda, "gap": c.gap, "variance": c.variance})
			if len(r) != 1 || r[0]["definite"] != c.want || r[0]["undecided"] != "0" {
				t.Errorf("n = %s, %v: %v", n, c, r)
			}
		}
	}
}

func TestStabilitySummary(t *testing.T) {
	o := run(t, parse(t, steady))
	rows := records(t, o.report.Tables, "summary", nil)
	if len(rows) != 9 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		var definite, undecided []float64
		for _, at := range records(t, o.report.Tables, "stability", record{"classes": r["classes"], "lambda": r["lambda"]}) {
			definite = append(definite, at.number(t, "definite"))
			undecided = append(undecided, at.number(t, "undecided"))
		}
		near(t, "definite share", r.number(t, "definite"), stat.Mean(definite, nil), 1e-13)
		near(t, "undecided share", r.number(t, "undecided"), stat.Mean(undecided, nil), 1e-13)
		err, draws := r.number(t, "definite_se"), r["draws"]
		if r["classes"] == "2" {
			if draws != "1" || err != 0 {
				t.Errorf("two classes: %s draws, standard error %g", draws, err)
			}
		} else if draws != "6" || !(err >= 0 && err < 0.2) || err == 0 && r["lambda"] == "slope" {
			t.Errorf("n = %s, λ = %s: %s draws, standard error %g", r["classes"], r["lambda"], draws, err)
		}
	}
}

// The standard error is that of the draws' shares of the map. More draws begin
// with the same ones, so that sums over more and fewer give each share.
func TestStabilityStandardError(t *testing.T) {
	var shares []float64
	sum := 0.0
	for draws := 1; draws <= 4; draws++ {
		o := run(t, parse(t, steady, "stability.classes=[3]", "stability.lambda=[0.6]", fmt.Sprintf("stability.draws=%d", draws)))
		r := records(t, o.report.Tables, "summary", nil)[0]
		total := r.number(t, "definite") * float64(draws)
		shares = append(shares, total-sum)
		sum = total
		if draws == 1 {
			if r["definite_se"] != "" {
				t.Errorf("standard error %s of one draw", r["definite_se"])
			}
			continue
		}
		near(t, fmt.Sprintf("standard error of %d draws", draws),
			r.number(t, "definite_se"), stat.StdDev(shares, nil)/math.Sqrt(float64(draws)), 1e-12)
	}
	if stat.StdDev(shares, nil) == 0 {
		t.Errorf("all draws have the share %v", shares)
	}
}

// Steps of the axis are equal ratios, whatever its ends are.
func TestSpaced(t *testing.T) {
	x := spaced(manifest.Interval{Low: 1e-300, High: 1e300}, 7)
	for k, want := range []float64{1e-300, 1e-200, 1e-100, 1, 1e100, 1e200, 1e300} {
		near(t, "x", x[k]/want, 1, 1e-12)
	}
	if x[0] != 1e-300 || x[6] != 1e300 {
		t.Errorf("ends %g and %g", x[0], x[6])
	}
}

func TestStabilityBoundary(t *testing.T) {
	o := run(t, parse(t, steady))
	for lambda, first := range map[string]float64{
		"0.3": 0.01, "slope": 0.01, "2.0": 4/math.Pi - 0.125,
	} {
		rows := records(t, o.report.Tables, "boundary", record{"lambda": lambda})
		if len(rows) != 25 {
			t.Fatalf("λ = %s: %d points", lambda, len(rows))
		}
		near(t, "first variance", rows[0].number(t, "variance"), first, 1e-14)
		near(t, "last variance", rows[24].number(t, "variance"), 4, 0)
		for i, r := range rows {
			at := twoClasses{r.number(t, "lambda_value"), r.number(t, "variance")}
			near(t, "gap", r.number(t, "gap"), at.boundary(), 0)
			if i > 0 && !(r.number(t, "gap") > rows[i-1].number(t, "gap")) {
				t.Errorf("λ = %s: the gap does not grow with the variance at point %d", lambda, i)
			}
		}
		onset := records(t, o.report.Tables, "onset", record{"lambda": lambda})
		if len(onset) != 1 || (lambda == "0.3") != (onset[0]["gap_at_variance_0"] != "0") || (lambda == "2.0") != (onset[0]["variance_at_gap_0"] != "0") {
			t.Errorf("λ = %s: onset %v", lambda, onset)
		}
	}
	none := run(t, parse(t, steady, "stability.classes=[2]", "stability.lambda=[2]", "stability.variance=[0.01, 0.5]"))
	if rows := records(t, none.report.Tables, "boundary", nil); len(rows) != 0 {
		t.Errorf("%d points of a boundary above the map", len(rows))
	}
}

// A cell knows neither the others nor how often it is run.
func TestStabilityCellsArePure(t *testing.T) {
	o := run(t, parse(t, steady))
	more := run(t, parse(t, steady, "stability.classes=[10, 3, 2]", "stability.lambda=[2, 0.1, 0.3]"))
	shared := 0
	for i, c := range o.cells {
		again, err := c.Run(context.Background())
		if err != nil || !reflect.DeepEqual(again, o.tables[i]) {
			t.Errorf("%s: other tables the second time, error %v", c.Key, err)
		}
		for j, other := range more.cells {
			if other.Key == c.Key {
				shared++
				if spec(t, c) != spec(t, other) || !reflect.DeepEqual(o.tables[i], more.tables[j]) {
					t.Errorf("%s: another cell in another experiment", c.Key)
				}
			}
		}
	}
	if shared != 4 {
		t.Errorf("%d cells in both experiments", shared)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range o.cells {
		if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancelling", c.Key, err)
		}
	}
}

// The specs of cells differ if their rows may.
func TestStabilitySpec(t *testing.T) {
	seen := map[string][]string{}
	for _, overrides := range [][]string{
		nil,
		{"name=other"},
		{"seed=4"},
		{"stability.classes=[3]"},
		{"stability.lambda=[0.31]"},
		{`stability.lambda=["lsq"]`},
		{"stability.rho=0.4"},
		{"stability.gap=[0, 8]"},
		{"stability.variance=[0.01, 5]"},
		{"stability.grid=8"},
		{"stability.draws=7"},
	} {
		s := spec(t, (&stability{parse(t, steady, overrides...)}).Cells()[0])
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
}

// The page has a row for every n and a column for every λ; undecided points are
// below its scale, and the boundary is in the row of two classes alone.
func TestStabilityFigure(t *testing.T) {
	o := run(t, parse(t, steady))
	var rows []figures.Row
	for _, n := range []string{"2", "3", "4"} {
		row := figures.Row{Scale: figures.Scale{Label: "share definite, $n$ = " + n, Max: 1}}
		for _, lambda := range []string{"0.3", "slope", "2.0"} {
			m := figures.Map{Title: "$λ$ = " + lambda, LogY: true}
			for i, r := range records(t, o.report.Tables, "stability", record{"classes": n, "lambda": lambda}) {
				if i < 7 {
					m.X = append(m.X, r.number(t, "gap"))
				}
				if i%7 == 0 {
					m.Y = append(m.Y, r.number(t, "variance"))
				}
				z := r.number(t, "definite")
				if r.number(t, "undecided") > 0.5 {
					z = -1
				}
				m.Z = append(m.Z, z)
				if lambda == "slope" && i == 0 {
					m.Title = fmt.Sprintf("slope: $λ$ = %.3f", r.number(t, "lambda_value"))
				}
			}
			if n == "2" {
				c := figures.Curve{Name: "analytic boundary for $n$ = 2", Style: figures.Reference}
				for _, r := range records(t, o.report.Tables, "boundary", record{"lambda": lambda}) {
					c.X, c.Y = append(c.X, r.number(t, "gap")), append(c.Y, r.number(t, "variance"))
				}
				m.Curves = []figures.Curve{c}
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	labels := figures.Labels{X: "gap of the logits", Y: "variance $v$", Below: "most draws undecided"}
	want, err := figures.Page(rows, labels).Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.report.Figures[0].Drawing.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.report.Figures) != 1 || o.report.Figures[0].Name != "stability" || !bytes.Equal(got, want) {
		t.Error("the figure does not show the tables")
	}
}

func TestStabilityReportError(t *testing.T) {
	odd := [][]store.Table{{{Name: "a", Header: []string{"x"}}}, {{Name: "a", Header: []string{"y"}}}}
	if _, err := (&stability{}).Report(odd); err == nil {
		t.Error("a report of columns that do not fit")
	}
	if _, err := (&calibrate{}).Report(odd); err == nil {
		t.Error("a report of columns that do not fit")
	}
}
