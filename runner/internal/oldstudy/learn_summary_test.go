package study

import (
	"math"
	"strconv"
	"testing"
)

// argmax returns the class, from 1, with the largest probability.
func argmax(p []float64) int {
	best := 0
	for j := range p {
		if p[j] > p[best] {
			best = j
		}
	}
	return best + 1
}

func entropy(p []float64) float64 {
	var h float64
	for _, pj := range p {
		if pj > 0 {
			h -= pj * math.Log(pj)
		}
	}
	return h
}

// normalised returns the distribution of the label, which is what is scored.
func normalised(p []float64) []float64 {
	return []float64{p[0] / sum(p), p[1] / sum(p), p[2] / sum(p)}
}

func sum(x []float64) float64 { return x[0] + x[1] + x[2] }

// summaryFromTables computes the row of summary.csv of the drawn seed of small
// a second time, from what grid.csv and steps.csv hold.
func summaryFromTables(t *testing.T, o outcome, variant string) map[string]float64 {
	s := map[string]float64{}

	// The last snapshot, boundary points apart.
	type point struct{ variance, right float64 }
	var points []point
	var classes12 float64
	var confidence, hits [15]float64
	for _, r := range records(t, o.report.Tables, "grid", record{"variant": variant, "k": "6"}) {
		class := truth(r.number(t, "x1"), r.number(t, "x2"))
		if class == 0 {
			continue
		}
		p := r.numbers(t, "p#")
		f := point{variance: sum(r.numbers(t, "var#"))}
		if argmax(p) == class {
			f.right = 1
		}
		points = append(points, f)
		s["accuracy"] += f.right
		p = normalised(p)
		s["log_loss"] -= math.Log(p[class-1])
		for j := range p {
			y := 0.0
			if j+1 == class {
				y = 1
			}
			s["brier"] += (p[j] - y) * (p[j] - y)
		}
		top := p[argmax(p)-1]
		bin := min(14, int(15*top))
		confidence[bin] += top
		hits[bin] += f.right
		if class < 3 {
			classes12++
			s["recall_12"] += f.right
			if p[class-1] > p[2-class] {
				s["separation_12"]++
			}
		}
	}
	n := float64(len(points))
	for bin := range hits {
		s["ece"] += math.Abs(hits[bin]-confidence[bin]) / n
	}
	s["accuracy"] /= n
	s["log_loss"] /= n
	s["brier"] /= n
	s["recall_12"] /= classes12
	s["separation_12"] /= classes12
	s["error"] = 1 - s["accuracy"]
	var pairs float64
	for _, wrong := range points {
		for _, right := range points {
			if wrong.right == 1 || right.right == 0 {
				continue
			}
			pairs++
			if wrong.variance > right.variance {
				s["variance_auroc"]++
			} else if wrong.variance == right.variance {
				s["variance_auroc"] += 0.5
			}
		}
	}
	s["variance_auroc"] /= pairs

	// All points of all snapshots.
	var terms float64
	squares, void := map[string]float64{}, map[string]bool{}
	s["negative_variances"] = 0
	for _, k := range []string{"1", "3", "6"} {
		for _, r := range records(t, o.report.Tables, "grid", record{"variant": variant, "k": k}) {
			p, v := r.numbers(t, "p#"), r.numbers(t, "var#")
			s["entropy_"+k] += entropy(normalised(p)) / 81
			s["variance_"+k] += sum(v) / 81
			if sum(v) < 0 {
				void[k] = true
			}
			s["variances_positive"] += 1.0 / (3 * 81)
			s["max_abs_excess"] = max(s["max_abs_excess"], math.Abs(sum(p)-1))
			if min(v[0], v[1], v[2]) < 0 {
				s["negative_variances"]++
				s["variances_positive"] -= 1.0 / (3 * 81)
			}
			if !onCoarseGrid(t, r) {
				continue
			}
			for _, q := range []struct {
				name string
				x    []float64
			}{{"p", p}, {"var", v}} {
				mc, se := r.numbers(t, q.name+"#_mc"), r.numbers(t, q.name+"#_se")
				for j := range 3 {
					gap := math.Abs(q.x[j] - mc[j])
					s["max_abs_"+q.name+"_error"] = max(s["max_abs_"+q.name+"_error"], gap)
					s["mean_abs_"+q.name+"_error"] += gap
					s["mean_"+q.name+"_se"] += se[j]
					squares[q.name] += gap*gap - se[j]*se[j]
				}
			}
			terms += 3
		}
	}
	for _, q := range []string{"p", "var"} {
		s["mean_abs_"+q+"_error"] /= terms
		s["mean_"+q+"_se"] /= terms
		s["rms_"+q+"_error"] = math.Sqrt(max(0, squares[q]/terms))
	}
	s["entropy_drop"] = s["entropy_1"] - s["entropy_6"]
	s["variance_drop"] = s["variance_1"] - s["variance_6"]
	if void["1"] || void["6"] {
		s["variance_drop"] = math.NaN()
	}
	if void["6"] {
		s["variance_auroc"] = math.NaN()
	}

	// Steps.
	for _, column := range []string{"indefinite_steps", "negative_steps", "applied", "skipped", "projected", "entropy_falls"} {
		s[column] = 0
	}
	last := math.NaN()
	for _, r := range records(t, o.report.Tables, "steps", record{"variant": variant, "seed": "3"}) {
		s[r["action"]]++
		if r.number(t, "min_eigenvalue") <= 0 {
			s["indefinite_steps"]++
		}
		if r.number(t, "min_variance") < 0 {
			s["negative_steps"]++
		}
		if r.number(t, "entropy") < last {
			s["entropy_falls"] += 1.0 / 5
		}
		last = r.number(t, "entropy")
	}
	return s
}

func TestSummaryFromTables(t *testing.T) {
	o := runSmall(t)
	largest := map[string]float64{} // of the counts, over the variants
	for _, variant := range []string{"joint", "project", "skip", "total"} {
		rows := records(t, o.report.Tables, "summary", record{"variant": variant, "seed": "3"})
		if len(rows) != 1 {
			t.Fatalf("%s: %d rows", variant, len(rows))
		}
		row := rows[0]
		want := summaryFromTables(t, o, variant)
		for column, x := range want {
			near(t, variant+": "+column, row.number(t, column), x, 1e-9)
			largest[column] = max(largest[column], x)
		}
		for column := range row {
			switch column {
			case "variant", "seed", "lambda", "rho", "max_asymmetry":
				continue // not in the tables
			}
			if _, ok := want[column]; !ok {
				t.Errorf("column %s is not tested", column)
			}
		}
	}
	for _, column := range []string{"indefinite_steps", "negative_steps", "skipped", "projected", "negative_variances", "max_abs_excess", "entropy_falls"} {
		if !(largest[column] > 0) {
			t.Errorf("%s is 0 for every variant: nothing is tested", column)
		}
	}
}

func TestSummaryOfTheModel(t *testing.T) {
	o := runSmall(t)
	slope := 2 * math.Sqrt(2*math.Pi) / 9 // 1/(n²φ(0)/2) for n = 3 and any ρ
	for variant, want := range map[string][2]float64{
		"joint":   {0.3, 0.5},
		"project": {slope, 0.5},
		"skip":    {2, 0.5},
		"total":   {slope, 0.3},
	} {
		for _, r := range records(t, o.report.Tables, "summary", record{"variant": variant}) {
			near(t, variant+": λ", r.number(t, "lambda"), want[0], 1e-12)
			near(t, variant+": ρ", r.number(t, "rho"), want[1], 0)
			// The moments are symmetric at ρ = ½ and nowhere else.
			if a := r.number(t, "max_asymmetry"); (a > 1e-9) != (want[1] != 0.5) {
				t.Errorf("%s: ρ = %g, asymmetry %g", variant, want[1], a)
			}
		}
	}
}

// The largest excess may be one of too little probability.
func TestLargestExcess(t *testing.T) {
	for _, excess := range [][2]float64{{0.1, -0.3}, {-0.1, 0.3}} {
		var s learnSummary
		p, variance := []float64{0.5, 0.5}, []float64{0.1, 0.1}
		s.add([]prediction{{p: p, variance: variance, excess: excess[0]}, {p: p, variance: variance, excess: excess[1]}}, &square{class: []int{0, 1}})
		near(t, "largest excess", s.excess, 0.3, 0)
	}
}

// onCoarseGrid reports whether a row of grid.csv is on every second line of the
// nine from −2 to 2.
func onCoarseGrid(t *testing.T, r record) bool {
	x1, x2 := r.number(t, "x1"), r.number(t, "x2")
	return x1 == math.Trunc(x1) && x2 == math.Trunc(x2)
}

// The entropy of steps.csv is that of the coarse grid.
func TestStepEntropy(t *testing.T) {
	o := runSmall(t)
	for _, variant := range []string{"joint", "project", "skip", "total"} {
		for _, k := range []string{"1", "3", "6"} {
			var h, points float64
			for _, r := range records(t, o.report.Tables, "grid", record{"variant": variant, "k": k}) {
				if onCoarseGrid(t, r) {
					h += entropy(normalised(r.numbers(t, "p#")))
					points++
				}
			}
			if points != 25 {
				t.Fatalf("%g points on every second line of 9", points)
			}
			step := records(t, o.report.Tables, "steps", record{"variant": variant, "seed": "3", "k": k})[0]
			near(t, variant+" k = "+k, step.number(t, "entropy"), h/points, 1e-9)
		}
	}
}

// Which seed is drawn decides only at how many points Monte Carlo samples, and so
// which samples the coarse ones get.
func TestSummaryOfSeedsNotDrawn(t *testing.T) {
	a, b := runSmall(t), run(t, parse(t, small, "seed=1"))
	before, after := records(t, a.report.Tables, "summary", nil), records(t, b.report.Tables, "summary", nil)
	checked := 0
	for i, r := range before {
		for column, x := range r {
			switch column {
			case "max_abs_p_error", "mean_abs_p_error", "rms_p_error", "mean_p_se",
				"max_abs_var_error", "mean_abs_var_error", "rms_var_error", "mean_var_se":
				if r["seed"] == "2" { // drawn neither time
					break
				}
				continue
			}
			checked++
			if after[i][column] != x {
				t.Errorf("%s seed %s: %s is %s with seed 3 drawn, %s with seed 1", r["variant"], r["seed"], column, x, after[i][column])
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was compared")
	}
}

func TestStatisticsWithoutAnswer(t *testing.T) {
	// A single example has no one before it to compare with, and one snapshot
	// is both the first and the last.
	row := records(t, run(t, parse(t, small, "data.train=1", "evaluate.snapshots=[1]")).report.Tables, "summary", nil)[0]
	for column, want := range map[string]string{"entropy_falls": "NaN", "entropy_drop": "0", "variance_drop": "0"} {
		if row[column] != want {
			t.Errorf("%s = %s, want %s", column, row[column], want)
		}
	}
	if _, err := strconv.ParseFloat(row["accuracy"], 64); err != nil {
		t.Error(err)
	}
}
