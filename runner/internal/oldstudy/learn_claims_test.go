package study

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// summaryOf returns a summary table with the given accuracies of each variant
// and one more column.
func summaryOf(accuracy map[string][]float64) frame {
	t := &store.Table{Name: "summary", Header: []string{"variant", "seed", "lambda", "accuracy"}}
	for _, variant := range []string{"b", "a"} {
		for seed, x := range accuracy[variant] {
			t.Rows = append(t.Rows, []string{variant, strconv.Itoa(seed + 1), "0.3", store.Float(x)})
		}
	}
	return frame{t}
}

func learnOf(thresholds ...float64) *learn {
	m := &manifest.Learn{Training: manifest.Training{Networks: manifest.Networks{Variants: []manifest.Model{{Name: "a"}, {Name: "b"}}}}}
	for _, x := range thresholds {
		m.Claims = append(m.Claims, manifest.Claim{Claim: "is good", Statistic: "accuracy", Threshold: x})
	}
	return &learn{Learn: m, generator: dataset.Generator{LinearCeiling: 0.75}}
}

func TestVerdicts(t *testing.T) {
	spread := []float64{0.5, 0.6, 0.8, 0.7}
	_, low, high := metric.Interval(spread)
	for _, c := range []struct {
		name      string
		x         []float64
		threshold float64
		want      string
	}{
		{"below the interval", spread, math.Nextafter(low, 0), "holds"},
		{"at its lower end", spread, low, "open"},
		{"inside", spread, 0.65, "open"},
		{"below its upper end", spread, math.Nextafter(high, 0), "open"},
		{"at its upper end", spread, high, "fails"},
		{"above", spread, 1, "fails"},
		{"no spread, above the threshold", []float64{0.5, 0.5, 0.5}, 0.25, "holds"},
		{"no spread, at the threshold", []float64{0.5, 0.5, 0.5}, 0.5, "fails"},
		{"one seed", []float64{1}, 0, "open"},
		{"no number", []float64{1, math.NaN(), 1}, 0, "open"},
		{"no number above", []float64{1, math.NaN(), 1}, 2, "open"},
	} {
		rows := records(t, []store.Table{learnOf(c.threshold).claims(summaryOf(map[string][]float64{"a": c.x, "b": {0, 0}}))}, "claims", record{"variant": "a"})
		if len(rows) != 1 || rows[0]["verdict"] != c.want {
			t.Errorf("%s: %v, want %s", c.name, rows, c.want)
		}
	}
}

func TestClaims(t *testing.T) {
	// Student's t for 3 degrees of freedom at 97.5 %: 3.182446305.
	half := 3.182446305 * math.Sqrt(0.05/3) / 2
	got := learnOf(0.25, 0.65).claims(summaryOf(map[string][]float64{"a": {0.5, 0.6, 0.8, 0.7}, "b": {0.25, 0.25}}))
	rows := records(t, []store.Table{got}, "claims", nil)
	for i, want := range []struct {
		variant, seeds, verdict          string
		value, low, high, threshold, tol float64
	}{
		{"a", "4", "holds", 0.65, 0.65 - half, 0.65 + half, 0.25, 1e-9},
		{"b", "2", "fails", 0.25, 0.25, 0.25, 0.25, 0},
		{"a", "4", "open", 0.65, 0.65 - half, 0.65 + half, 0.65, 1e-9},
		{"b", "2", "fails", 0.25, 0.25, 0.25, 0.65, 0},
	} {
		r := rows[i]
		if r["claim"] != "is good" || r["statistic"] != "accuracy" || r["variant"] != want.variant || r["seeds"] != want.seeds || r["verdict"] != want.verdict {
			t.Errorf("row %d: %v, want %v", i, r, want)
		}
		near(t, "value", r.number(t, "value"), want.value, want.tol)
		near(t, "low", r.number(t, "low"), want.low, want.tol)
		near(t, "high", r.number(t, "high"), want.high, want.tol)
		near(t, "threshold", r.number(t, "threshold"), want.threshold, 0)
	}
	if len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestVariants(t *testing.T) {
	table := learnOf().variants(summaryOf(map[string][]float64{"a": {0.5, 0.6, 0.8, 0.7}, "b": {0.25}}))
	if want := []string{"variant", "seeds", "linear_ceiling", "lambda", "lambda_low", "lambda_high", "accuracy", "accuracy_low", "accuracy_high"}; !slices.Equal(table.Header, want) {
		t.Errorf("columns %v, want %v", table.Header, want)
	}
	rows := records(t, []store.Table{table}, "variants", nil)
	if len(rows) != 2 || rows[0]["variant"] != "a" || rows[1]["variant"] != "b" || rows[0]["seeds"] != "4" || rows[1]["seeds"] != "1" {
		t.Fatalf("rows %v", rows)
	}
	half := 3.182446305 * math.Sqrt(0.05/3) / 2
	near(t, "accuracy", rows[0].number(t, "accuracy"), 0.65, 1e-12)
	near(t, "lower end", rows[0].number(t, "accuracy_low"), 0.65-half, 1e-9)
	near(t, "upper end", rows[0].number(t, "accuracy_high"), 0.65+half, 1e-9)
	near(t, "λ", rows[0].number(t, "lambda_low"), 0.3, 1e-12)
	near(t, "ceiling", rows[0].number(t, "linear_ceiling"), 0.75, 0)
	if r := rows[1]; r["accuracy"] != "0.25" || r["accuracy_low"] != "-Inf" || r["accuracy_high"] != "+Inf" {
		t.Errorf("one seed: %v", r)
	}
}

// The claims and variants of a whole experiment are over its seeds.
func TestClaimsOfAnExperiment(t *testing.T) {
	tables := runSmall(t).report.Tables
	for _, variant := range []string{"joint", "project", "skip", "total"} {
		where := record{"variant": variant}
		var mean float64
		for _, r := range records(t, tables, "summary", where) {
			mean += r.number(t, "accuracy") / 3
		}
		claim, row := records(t, tables, "claims", where)[0], records(t, tables, "variants", where)[0]
		near(t, variant+": value of the claim", claim.number(t, "value"), mean, 1e-12)
		near(t, variant+": mean", row.number(t, "accuracy"), mean, 1e-12)
		if claim["seeds"] != "3" || row["seeds"] != "3" || row["linear_ceiling"] != "0.75" {
			t.Errorf("%s: %v, %v", variant, claim, row)
		}
	}
}
