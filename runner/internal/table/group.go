package table

import (
	"math"
	"slices"

	"closedform/internal/kernel"
)

// Groups are the rows of a table grouped by key columns, in order of appearance.
type Groups struct {
	Overlap func(rows *Table) float64 // that of [NewEstimate], if it is given
	Finite  bool                      // only finite numbers are averaged

	from   *Table
	keys   []Column // of the first rows
	groups []*Table
}

// GroupBy groups the rows by the columns.
func (t *Table) GroupBy(keys ...string) Groups {
	ids := make([]string, t.Len())
	for _, key := range keys {
		for i, text := range t.Texts(key) {
			ids[i] += text + "\x00"
		}
	}
	rows := map[string][]int{}
	var first []int
	for i, id := range ids {
		if rows[id] == nil {
			first = append(first, i)
		}
		rows[id] = append(rows[id], i)
	}
	g := Groups{from: t}
	for _, key := range keys {
		g.keys = append(g.keys, *t.Rows(first).column(key))
	}
	for _, i := range first {
		g.groups = append(g.groups, t.Rows(rows[ids[i]]))
	}
	return g
}

// All returns the groups.
func (g Groups) All() []*Table { return g.groups }

// Mean returns a table with a row per group: the keys; seeds, the number of rows; with an Overlap the rule of
// the intervals; and of each column its mean and the ends _low and _high of its 95 % interval, Wilson's for
// flags, else that of an [Estimate]. They stay in the range of the column.
func (g Groups) Mean(name string, columns ...string) *Table {
	seeds, rule, overlap := Int("seeds", "how many are averaged"), RuleColumn(), make([]float64, len(g.groups))
	for k, group := range g.groups {
		seeds.Nums = append(seeds.Nums, float64(group.Len()))
		if g.Overlap != nil {
			overlap[k] = g.Overlap(group)
			rule.Texts = append(rule.Texts, Rule(overlap[k]))
		}
	}
	out := New(name, append(slices.Clone(g.keys), seeds)...)
	if g.Overlap != nil {
		out.Columns = append(out.Columns, rule)
	}
	for _, column := range columns {
		c := g.from.column(column)
		doc := c.Doc + ", mean"
		if c.Range == FlagRange {
			doc += "; interval: Wilson's"
		} else if g.Overlap == nil {
			doc += "; interval: Student's t"
		}
		three := Interval(column, doc)
		for k, group := range g.groups {
			x := group.Nums(column)
			if g.Finite {
				x = slices.DeleteFunc(x, func(x float64) bool { return math.IsNaN(x - x) })
			}
			for i, x := range c.interval(x, overlap[k]) {
				three[i].Nums = append(three[i].Nums, x)
			}
		}
		out.Columns = append(out.Columns, three...)
	}
	return out
}

// Interval returns the columns of a mean and of the ends of its interval.
func Interval(name, doc string) []Column {
	return []Column{
		Num(name, doc), Num(name+"_low", "lower end of its 95 % interval"),
		Num(name+"_high", "upper end of its 95 % interval"),
	}
}

func (c *Column) interval(x []float64, overlap float64) []float64 {
	if c.Range == FlagRange {
		return Wilson(x)
	}
	i := NewEstimate(x, overlap).Interval()
	if c.Range != AnyRange {
		i[1] = max(i[1], 0)
	}
	if c.Range == ShareRange {
		i[2] = min(i[2], 1)
	}
	return i
}

// RuleColumn has the words of [Rule].
func RuleColumn() Column {
	return Text("interval", "rule of the 95 % intervals, and what is averaged: Student's t, or its correction "+
		"by Nadeau and Bengio for random splits of one table, whose training parts overlap")
}

// Rule names the rule of an [Estimate]: over the seeds, or with an overlap over random splits.
func Rule(overlap float64) string {
	if overlap > 0 {
		return "corrected t, splits"
	}
	return "t, seeds"
}

// Estimate is the mean of N numbers and the variance of the mean.
type Estimate struct {
	Mean, Variance float64
	N              int
}

// NewEstimate returns the mean of x, which may be infinite. The overlap is 0 for independent numbers and
// n_test/n_train for random splits of one table, whose training parts overlap: the variance of the mean is
// (1/N + n_test/n_train) s² (Nadeau and Bengio, "Inference for the generalization error", 2003).
func NewEstimate(x []float64, overlap float64) Estimate {
	mean, variance := MeanVariance(x)
	return Estimate{mean, variance * (1/float64(len(x)) + overlap), len(x)}
}

// Interval returns the mean and the ends of its 95 % interval by Student's t. The ends are NaN for fewer than
// three numbers, and where they are not finite.
func (e Estimate) Interval() []float64 {
	half := math.NaN()
	if e.N >= 3 {
		half = e.half()
	}
	return []float64{e.Mean, Finite(e.Mean - half), Finite(e.Mean + half)}
}

func (e Estimate) half() float64 { return StudentQuantile(e.N-1, 0.95) * math.Sqrt(e.Variance) }

// P returns the two-sided p-value of a mean of 0 by Student's t, NaN for fewer than three numbers.
func (e Estimate) P() float64 {
	if e.N < 3 {
		return math.NaN()
	}
	return 1 - StudentWithin(e.N-1, math.Abs(e.Mean)/math.Sqrt(e.Variance))
}

// Wilson returns the share of ones among zeros and ones, and the ends of its 95 % interval (Wilson, "Probable
// inference, the law of succession, and statistical inference", JASA 1927); the ends are NaN for fewer than
// three numbers.
func Wilson(x []float64) []float64 {
	const z = 1.959963984540054
	n, p := float64(len(x)), Mean(x)
	if n < 3 {
		return []float64{p, math.NaN(), math.NaN()}
	}
	middle, scale := p+z*z/(2*n), 1+z*z/n
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return []float64{p, max(0, (middle-half)/scale), min(1, (middle+half)/scale)}
}

// Mean returns the mean of x.
func Mean(x []float64) float64 { return kernel.Sum(x) / float64(len(x)) }

// MeanVariance returns the mean of x and its unbiased variance, NaN for a single value, corrected for
// rounding of the mean (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983).
func MeanVariance(x []float64) (mean, variance float64) {
	mean = Mean(x)
	var square, rest float64
	for _, x := range x {
		square += (x - mean) * (x - mean)
		rest += x - mean
	}
	n := float64(len(x))
	return mean, (square - rest*rest/n) / (n - 1)
}

// MeanSD returns the mean and the standard deviation, the root of [MeanVariance].
func MeanSD(x []float64) (mean, sd float64) {
	mean, variance := MeanVariance(x)
	return mean, math.Sqrt(variance)
}

// Student returns the mean of x and the ends of its 95 % interval by Student's t, ±Inf for a single value.
func Student(x []float64) (mean, low, high float64) {
	if len(x) < 2 {
		return Mean(x), math.Inf(-1), math.Inf(1)
	}
	e := NewEstimate(x, 0)
	half := e.half()
	return e.Mean, e.Mean - half, e.Mean + half
}

// StudentQuantile returns t with P(|T| < t) = p for Student's T with ν degrees of freedom. As p is concave in
// θ, see student, Newton's method from 0 approaches θ from below.
func StudentQuantile(nu int, p float64) float64 {
	for theta := 0.0; ; {
		q, slope := student(nu, theta)
		step := (p - q) / slope
		if !(step > 1e-15*theta) {
			sin, cos := math.Sincos(theta)
			return math.Sqrt(float64(nu)) * sin / cos
		}
		theta += step
	}
}

// StudentWithin returns P(|T| < t) for Student's T with ν degrees of freedom, and t ≥ 0.
func StudentWithin(nu int, t float64) float64 {
	p, _ := student(nu, math.Atan(t/math.Sqrt(float64(nu))))
	return min(1, p)
}

// student returns p = P(|T| < √ν tan θ) and dp/dθ. With the sum over k = 0, 2, …, ν−2 or 1, 3, …, ν−2
// (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4),
//
//	A(θ) = sin θ Σ_k c_k cosᵏ θ,   c_0 = c_1 = 1,   c_{k+2} = c_k (k+1)/(k+2),
//	p = A for even ν, (2/π)(θ + A) for odd ν,   dp/dθ = ν c_ν cos^{ν−1} θ, 2/π of it.
func student(nu int, theta float64) (p, slope float64) {
	sin, cos := math.Sincos(theta)
	odd := nu % 2
	sum, power := 0.0, 1.0
	if odd == 1 {
		power = cos
	}
	for k := odd; k < nu; k += 2 {
		sum += power
		power *= cos * cos * float64(k+1) / float64(k+2)
	}
	p, slope = sin*sum, float64(nu)*power/cos
	if odd == 1 {
		p, slope = (theta+p)*(2/math.Pi), slope*(2/math.Pi)
	}
	return p, slope
}
