package moments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/slope"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

const definition = "Σ_y is the covariance of the class probabilities y, Σ_zy that of the logits z with y. " +
	"The update of Yang and Yang inverts Σ_y, which has to be positive definite; it is indefinite if it has a " +
	"negative eigenvalue"

// Result has the tables that a reader wants.
func (e *experiment) Result(tables table.Tables, _ map[string]float64) (r study.Result) {
	errors, summary := tables.Get("errors"), tables.Get("summary")
	switch s := &e.Moments; {
	case s.Against == "montecarlo":
		r.Tables = append(r.Tables, pivot(summary, "largest z-score", "max_abs_z", "%.2f", "method", "quantity"))
		r.Notes = append(r.Notes, fmt.Sprintf("a z-score is the distance of a formula from Monte Carlo in standard "+
			"errors; the largest is below %.2f with 99.75 %% probability, if all formulas are right",
			summary.Nums("bound")[0]))
		return r
	case s.Against == "definite":
		const title = "share of the map where Σ_y is definite"
		r.Tables = append(r.Tables, pivot(labelled(summary), title, "definite", "%.3f", "method", "classes"))
	case len(s.Mean) > 0:
		r = e.givenResult(tables.Get("moments"), errors)
	case e.sweeps():
		t, where := middle(errors.Where("method", "probit"), "rho")
		lambda := t.Distinct("lambda")
		few := t.Rows(nil)
		for i := 0; i < len(lambda); i += (len(lambda) + 5) / 6 {
			few = table.Merge([]table.Tables{{few}, {t.Where("lambda", lambda[i])}})[0]
		}
		for _, c := range [][2]string{errorTitles[0], errorTitles[1], errorTitles[3]} {
			r.Tables = append(r.Tables, pivot(few, c[1]+where, c[0], "%.2g", "lambda", "classes"))
		}
	default:
		t, where := middle(errors, "spread", "variance")
		for _, c := range errorTitles[:2] {
			known := labelled(t.Rows(finite(t.Nums(c[0]))))
			r.Tables = append(r.Tables, pivot(known, c[1]+where, c[0], "%.2g", "method", "classes"))
		}
		r.Notes = append(r.Notes, "-slope: the probit with the slope λ of the softmax at the origin (slope-matched); "+
			"-lsq and -minimax: of the smallest mean square error of p, and of the smallest largest error")
	}
	r.Notes = append(r.Notes, definition)
	return r
}

// finite returns the indices of the values that are not missing.
func finite(values []float64) (rows []int) {
	for i, x := range values {
		if !math.IsNaN(x) {
			rows = append(rows, i)
		}
	}
	return rows
}

// sweeps reports whether a probit has a grid of λ and ρ, at one spread and variance.
func (e *experiment) sweeps() bool {
	s := &e.Moments
	words := slices.ContainsFunc(s.Lambda, func(l slope.Lambda) bool { return l.Word != "" })
	return slices.Contains(s.Methods, "probit") && !words && len(s.Lambda) > 1 && len(s.Rho) > 1 &&
		len(s.Spread) == 1 && len(s.Variance) == 1
}

// errorTitles are columns of the table errors, and what they are.
var errorTitles = [...][2]string{
	{"tv", "total variation of p"},
	{"cov_error", "relative error of Σ_y"},
	{"cross_error", "relative error of Σ_zy"},
	{"indefinite", "share of indefinite Σ_y"},
}

// plain removes the marks of mathematics in figures from a text.
var plain = strings.NewReplacer("$", "", "{", "", "}", "")

func pivot(t *table.Table, title, value, format, rows, across string) [][]string {
	p := table.Pivot{Title: plain.Replace(title), Value: value, Format: format, Rows: strings.Fields(rows)}
	p.Across = []string{across}
	return t.Pivot(p)
}

// middle returns the rows with the middle one of the values of each key, and a text that says which.
func middle(t *table.Table, keys ...string) (rows *table.Table, at string) {
	for _, key := range keys {
		values := t.Distinct(key)
		value := values[len(values)/2]
		t, at = t.Where(key, value), at+", "+key+" = "+value
	}
	return t, at
}

// label returns the name of a method with its λ and ρ where the name does not say them, as a text for figures.
func label(rows *table.Table) string {
	name, lambda, rho := rows.Texts("method")[0], rows.Nums("lambda")[0], rows.Texts("rho")[0]
	if name == "probit" || name == "probit-corr" {
		name += fmt.Sprintf(", $λ$ = %.4g", lambda)
	}
	if rho != "" && rho != "0.5" {
		name += ", $ρ$ = " + rho
	}
	return name
}

// labelled returns the table with labels in place of the names of the methods.
func labelled(t *table.Table) *table.Table {
	out, method := table.Merge([]table.Tables{{t}})[0], slices.Index(table.Names(t.Columns), "method")
	for i := range t.Len() {
		out.Columns[method].Texts[i] = plain.Replace(label(t.Rows([]int{i})))
	}
	return out
}

// givenResult has p and Σ_y by each method, with the standard errors of Monte Carlo, and the errors.
func (e *experiment) givenResult(moments, errors *table.Table) (r study.Result) {
	moments, errors = labelled(moments), labelled(errors)
	n := len(e.Moments.Mean)
	if n <= 10 {
		r.Tables = append(r.Tables, pivot(moments.Where("quantity", "mean"), "p", "value", "%.5f", "method", "j"))
	}
	if n <= 5 {
		covariances := moments.Where("quantity", "covariance")
		r.Tables = append(r.Tables, pivot(covariances, "Σ_y", "value", "%.5f", "method i", "j"))
	}
	compared := [][]string{{
		"method", errorTitles[0][1], errorTitles[1][1], errorTitles[2][1], fmt.Sprintf("Σ_y without class %d is", n),
	}}
	verdicts := map[float64]string{1: "positive definite", -1: "indefinite", 0: "perhaps indefinite"}
	for i, method := range errors.Texts("method") {
		row := []string{method}
		for _, c := range errorTitles[:3] {
			row = append(row, strings.TrimPrefix(fmt.Sprintf("%.2g", errors.Nums(c[0])[i]), "NaN"))
		}
		compared = append(compared, append(row, verdicts[errors.Nums("definite")[i]]))
	}
	r.Tables = append(r.Tables, compared)
	r.Notes = append(r.Notes, "errors are distances from "+errors.Texts("method")[0]+
		"; moments.csv has all moments, Σ_zy as well")
	if se := moments.Rows(finite(moments.Nums("se"))); se.Len() > 0 {
		largest := floats.Max(se.Where("quantity", "mean").Nums("se"))
		r.Notes = append(r.Notes, fmt.Sprintf("the standard errors of p by Monte Carlo are up to %.1g", largest))
	}
	if e.Moments.Covariance != nil || slices.Contains(e.Moments.Methods, "probit-corr") {
		r.Notes = append(r.Notes, "probit-corr, and probit of correlated logits, integrate over n − 1 dimensions: "+
			"with an error of some 1e-13 up to five classes, of 1e-6 to 1e-5 with more, where each of n² integrals "+
			"takes up to 0.2 s; probit-corr has the correlations Σ_0 = (−ρ)^|k−l|, softmax.ProbitCorr takes any")
	}
	return r
}
