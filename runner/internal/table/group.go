package table

import (
	"maps"
	"math"
	"slices"

	"closedform/internal/kernel"
)

// Groups are the rows of a table that agree in some columns, the keys, in the order
// in which they first appear.
type Groups struct {
	keys   []Column // empty
	groups []*Table
	most   map[string]float64 // of columns whose numbers are from 0
}

// GroupBy groups the rows by the columns.
func (t *Table) GroupBy(keys ...string) Groups {
	g := Groups{}
	ids := make([]string, t.Len())
	for _, key := range keys {
		for i, text := range t.Texts(key) {
			ids[i] += text + "\x00"
		}
		g.keys = append(g.keys, *t.Rows(nil).column(key))
	}
	rows := map[string][]int{}
	var order []string // of the groups
	for i, id := range ids {
		if rows[id] == nil {
			order = append(order, id)
		}
		rows[id] = append(rows[id], i)
	}
	for _, id := range order {
		g.groups = append(g.groups, t.Rows(rows[id]))
	}
	return g
}

// All returns the groups.
func (g Groups) All() []*Table { return g.groups }

// Shares returns the groups with the names of columns whose numbers are from 0 to 1. The
// intervals of their means are cut off there, which loses no coverage: the mean that they are
// to cover is from 0 to 1, too.
func (g Groups) Shares(columns ...string) Groups { return g.within(1, columns) }

// Positive returns the groups with the names of columns whose numbers are 0 or more, where the
// intervals of their means are cut off.
func (g Groups) Positive(columns ...string) Groups { return g.within(math.Inf(1), columns) }

func (g Groups) within(most float64, columns []string) Groups {
	if g.most = maps.Clone(g.most); g.most == nil {
		g.most = map[string]float64{}
	}
	for _, c := range columns {
		g.most[c] = most
	}
	return g
}

// Mean returns a table with a row for each group: the keys, the number of rows as
// the column seeds, and for each of the columns its mean and, as _low and _high,
// the ends of the 95 % interval of Student's t.
func (g Groups) Mean(name string, columns ...string) *Table { return g.mean(name, Interval, columns) }

// MeanFinite is [Groups.Mean] of the finite numbers of each column.
func (g Groups) MeanFinite(name string, columns ...string) *Table {
	return g.mean(name, func(x []float64) []float64 {
		return Interval(slices.DeleteFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }))
	}, columns)
}

func (g Groups) mean(name string, interval func([]float64) []float64, columns []string) *Table {
	out := New(name, append(slices.Clone(g.keys), Int("seeds", "how many are averaged"))...)
	for _, group := range g.groups {
		if len(out.Columns) == len(g.keys)+1 {
			for _, c := range columns {
				interval := IntervalOf(c, group.column(c).Doc)
				if most, ok := g.most[c]; ok {
					interval[1].Doc += ", cut off at 0"
					if most == 1 {
						interval[2].Doc += ", cut off at 1"
					}
				}
				out.Columns = append(out.Columns, interval...)
			}
		}
		var row []any
		for _, key := range g.keys {
			if c := group.column(key.Name); c.Kind == Words {
				row = append(row, c.Texts[0])
			} else {
				row = append(row, c.Nums[0])
			}
		}
		row = append(row, group.Len())
		for _, c := range columns {
			x := interval(group.Nums(c))
			if most, ok := g.most[c]; ok {
				x[1], x[2] = max(x[1], 0), min(x[2], most)
			}
			row = append(row, x)
		}
		out.Add(row...)
	}
	return out
}

// IntervalOf returns the three columns that [Interval] fills.
func IntervalOf(name, doc string) []Column {
	return []Column{
		Num(name, doc+", mean"),
		Num(name+"_low", "lower end of its 95 % interval, Student's t"), Num(name+"_high",
			"upper end of its 95 % interval, Student's t"),
	}
}

// Interval returns the mean of x, which may be infinite, and the ends of its 95 %
// interval, Student's t, no value where they are not finite.
func Interval(x []float64) []float64 {
	mean, low, high := Student(x)
	return []float64{mean, Finite(low), Finite(high)}
}

// Mean returns the mean of x.
func Mean(x []float64) float64 { return kernel.Sum(x) / float64(len(x)) }

// MeanVariance returns the mean of x and its unbiased variance, NaN for a single value,
// without the first effect of rounding the mean (Chan, Golub and LeVeque, "Algorithms for
// computing the sample variance", The American Statistician 1983).
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

// MeanSD returns the mean of x and its standard deviation, the root of [MeanVariance].
func MeanSD(x []float64) (mean, sd float64) {
	mean, variance := MeanVariance(x)
	return mean, math.Sqrt(variance)
}

// Student returns the mean of x and the ends of its two-sided 95 % confidence
// interval by Student's t. With a single value the ends are ±Inf.
func Student(x []float64) (mean, low, high float64) {
	if len(x) < 2 {
		return Mean(x), math.Inf(-1), math.Inf(1)
	}
	mean, sd := MeanSD(x)
	half := StudentQuantile(len(x)-1, 0.95) * sd / math.Sqrt(float64(len(x)))
	return mean, mean - half, mean + half
}

// StudentQuantile returns t with P(|T| < t) = p for Student's T with ν degrees of freedom. As p is
// concave in θ, see student, Newton's method from 0 approaches θ from below.
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

// student returns p = P(|T| < √ν tan θ) and dp/dθ. With the sum over k = 0, 2, …, ν−2 or
// 1, 3, …, ν−2 (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4),
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
