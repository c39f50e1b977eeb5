// Package familiar detects inputs that are unlike all learned ones: [Inputs.P] is a p-value. The distribution
// of the inputs is independent of the network, and is updated example by example:
//
//	f := familiar.New(2)
//	err := f.Observe([]float64{0.5, 1.5}) // each input that is learned, once
//	p := f.P([]float64{30, 30})           // below 0.01: unlike those that were learned
//
// After n inputs, p-values much below 1/n are extrapolated with care: after a few hundred inputs with heavy
// tails, one that is 10 standard deviations off in every coordinate gets between 0.001 and 0.01.
package familiar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const (
	mostDims   = 64    // largest number of dimensions; more inputs are projected
	mostScores = 1000  // largest number of kept scores
	fewScores  = 10    // with fewer kept scores P is 1
	typical    = 8     // number of dimensions from which inputs near the mean are unfamiliar, too
	largest    = 1e100 // largest input, whose square does not overflow
)

// Inputs is the distribution of the learned inputs. For x with d dimensions the score is the log of (x −
// m)ᵀC⁻¹(x − m)/d + 12 mean_j (e_j/w_j)². m is the mean of the n inputs before. C is their covariance when n
// last grew by an eighth, its covariances multiplied by n/(n + d), its variances enlarged by 1/n of their
// mean. e_j is the distance from the range of the inputs in dimension j, w_j the width of the range, enlarged
// by 1/n of the mean width. For more than 64 inputs m and C are taken in 64 random directions. Each input is
// scored before it is learned. The scores of the second half of the inputs are kept, or, if these are more
// than 1000, of every 2nd, 4th, … input. JSON keeps the complete state, to the bit; the zero value is only
// for reading JSON into it. P is safe for concurrent use, the other methods are not.
type Inputs struct {
	state
	directions func() [][]float64 // random directions, drawn at the first call; none: no projection
	factor     *linalg.Cholesky
	scratch    sync.Pool // vectors of P
}

type state struct {
	Seen    int             `json:"seen"`
	Low     []float64       `json:"low"` // each input ranges from Low to High
	High    []float64       `json:"high"`
	Mean    []float64       `json:"mean"`    // mean in each direction
	Scatter linalg.Triangle `json:"scatter"` // Σ(x − m)(x − m)ᵀ
	Fitted  int             `json:"fitted"`  // number of inputs when Fit was copied from Scatter
	Fit     linalg.Triangle `json:"fit"`
	Step    int             `json:"step"` // every Step-th input is scored
	Scores  []float64       `json:"scores"`
}

// New returns the distribution of no inputs of the given size, at least 1.
func New(inputs int) *Inputs {
	d := min(inputs, mostDims)
	return &Inputs{directions: directions(d, inputs), state: state{
		Low: make([]float64, inputs), High: make([]float64, inputs), Mean: make([]float64, d),
		Scatter: linalg.NewTriangle(d), Fit: linalg.NewTriangle(d), Step: 1, Scores: []float64{},
	}}
}

// Clone returns a copy.
func (f *Inputs) Clone() *Inputs {
	c := &Inputs{state: f.state, directions: f.directions, factor: f.factor}
	for _, v := range []*[]float64{&c.Low, &c.High, &c.Mean, (*[]float64)(&c.Scatter), (*[]float64)(&c.Fit), &c.Scores} {
		*v = slices.Clone(*v)
	}
	return c
}

// directions returns d random directions of the inputs, or none if these are no more than d.
func directions(d, inputs int) func() [][]float64 {
	return sync.OnceValue(func() (all [][]float64) {
		rnd := rand.New(random.Source("familiar"))
		for d < inputs && len(all) < d {
			all = append(all, random.Normals(rnd, inputs))
		}
		return all
	})
}

// Observe learns an input; of several passes observe only the first. If the size is wrong, or a number is not
// finite or beyond ±1e100, it returns an error and learns nothing.
func (f *Inputs) Observe(x []float64) error {
	if len(x) != len(f.Low) {
		return fmt.Errorf("familiar: an input of %d numbers; need %d", len(x), len(f.Low))
	}
	for j, x := range x {
		if !(math.Abs(x) <= largest) {
			return fmt.Errorf("familiar: input %d is %g; need −1e100 to 1e100", j, x)
		}
	}
	z := make([]float64, len(f.Mean))
	f.from(z, x)
	if f.Fitted >= 2 && f.Seen%f.Step == 0 {
		f.keep(f.score(x, slices.Clone(z)))
	}
	f.Seen++
	n := float64(f.Seen)
	if f.Seen == 1 {
		copy(f.Low, x)
		copy(f.High, x)
	}
	for j, x := range x {
		f.Low[j], f.High[j] = min(f.Low[j], x), max(f.High[j], x)
	}
	for i, e := range z {
		f.Mean[i] += e / n
		kernel.AddScaled(f.Scatter.Row(i), e*(n-1)/n, z[:i+1])
	}
	if f.Seen >= 2 && 8*f.Seen >= 9*f.Fitted {
		f.Fitted = f.Seen
		copy(f.Fit, f.Scatter)
		f.factorize()
	}
	return nil
}

// keep adds the score of the next example, and drops the scores of the first half of the examples.
func (f *Inputs) keep(score float64) {
	f.Scores = append(f.Scores, score)
	if len(f.Scores) > max(fewScores, f.Seen/(2*f.Step)) {
		f.Scores = f.Scores[1:]
	}
	if len(f.Scores) <= mostScores {
		return
	}
	var even []float64 // the scores of every (2·Step)-th input
	for i, s := range f.Scores {
		if (f.Seen/f.Step-len(f.Scores)+1+i)%2 == 0 {
			even = append(even, s)
		}
	}
	f.Step, f.Scores = 2*f.Step, even
}

// from sets z to x, or its projections, less the mean.
func (f *Inputs) from(z, x []float64) {
	copy(z, x)
	for i, direction := range f.directions() {
		z[i] = kernel.Dot(direction, x)
	}
	floats.Sub(z, f.Mean)
}

func (f *Inputs) factorize() bool {
	c, d, n, mean := slices.Clone(f.Fit), float64(len(f.Mean)), float64(f.Fitted), 0.0
	for i := range f.Mean {
		row := c.Row(i)
		for j := range i {
			row[j] /= n + d
		}
		row[i] /= n
		mean += row[i] / d
	}
	c.AddDiagonal(mean/n + 1e-300)
	root := c.Cholesky()
	if root != nil {
		f.factor = root
	}
	return root != nil
}

func (f *Inputs) score(x, z []float64) float64 {
	f.factor.Solve(z)
	var width, outside float64
	for j, low := range f.Low {
		width += f.High[j] - low
	}
	width = width/float64(len(x)*f.Seen) + 1e-300
	for j, x := range x {
		if e := max(f.Low[j]-x, x-f.High[j]); e > 0 {
			e /= f.High[j] - f.Low[j] + width
			outside += e * e
		}
	}
	s := kernel.Dot(z, z)/float64(len(z)) + 12*outside/float64(len(x))
	if !(s < math.MaxFloat64) {
		s = math.MaxFloat64
	}
	return kernel.Log(max(s, math.SmallestNonzeroFloat64))
}

// P returns a p-value of the hypothesis that x has the distribution of the learned inputs. Below eight
// dimensions it is the [Tail] u of the score of x among the kept scores. From eight on, where hardly any
// input is near the mean, it is min(1, u/0.9, l/0.1) with the Tail l of the smallest scores. P is 1 while
// fewer than ten scores are kept. It allocates only where the score of x is beyond all kept scores, and
// panics if x has another length.
func (f *Inputs) P(x []float64) float64 {
	if len(x) != len(f.Low) {
		panic(fmt.Sprintf("familiar: an input of %d numbers; need %d", len(x), len(f.Low)))
	}
	if len(f.Scores) < fewScores {
		return 1
	}
	z, _ := f.scratch.Get().(*[]float64)
	if z == nil {
		z = new([]float64)
	}
	*z = append((*z)[:0], f.Mean...)
	f.from(*z, x)
	score := f.score(x, *z)
	f.scratch.Put(z)
	p := tail(f.Scores, nil, score, 1)
	if len(f.Mean) < typical {
		return p
	}
	return min(1, p/0.9, tail(f.Scores, nil, -score, -1)/0.1)
}

// Tail returns the share of the scores, and of s itself, that are at least s. counts says how often each
// score counts, nil for once, and adds up to two or more. Beyond all scores Tail is exponential with a mean
// two standard errors above its estimate from the √n largest ones (Hill, "A simple general approach to
// inference about the tail of a distribution", Annals of Statistics 1975).
func Tail(scores, counts []float64, s float64) float64 { return tail(scores, counts, s, 1) }

// tail is the Tail of sign times the scores. It allocates only beyond all scores.
func tail(scores, counts []float64, s, sign float64) float64 {
	n, above := kernel.Sum(counts), 0.0
	if counts == nil {
		n = float64(len(scores))
	}
	for i, score := range scores {
		if sign*score >= s && counts == nil {
			above++
		} else if sign*score >= s {
			above += counts[i]
		}
	}
	smallest := 1 / (n + 1)
	if above > 0 {
		return (above + 1) * smallest
	}
	if counts == nil {
		counts = slices.Repeat([]float64{1}, len(scores))
	}
	scores = slices.Clone(scores)
	floats.Scale(sign, scores)
	var order []int
	for i, count := range counts {
		if count > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	k := math.Floor(math.Sqrt(n))
	var sum, next float64 // sum of the k largest scores, and the score below them
	below := n - k
	for _, i := range order {
		if below > 0 {
			next = scores[i]
		}
		low := min(below, counts[i])
		sum += float64((counts[i] - low) * scores[i])
		below -= low
	}
	mean := sum/k - next
	mean += float64(2 * mean / math.Sqrt(k))
	return smallest * kernel.Exp((scores[order[len(order)-1]]-s)/max(mean, 1e-3))
}

// UnmarshalJSON replaces the state if it is valid.
func (f *Inputs) UnmarshalJSON(data []byte) error {
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("familiar: %w", err)
	}
	inputs, d := len(s.Low), len(s.Mean)
	triangle := d * (d + 1) / 2
	fits := inputs >= 1 && len(s.High) == inputs && d == min(inputs, mostDims)
	fits = fits && len(s.Scatter) == triangle && len(s.Fit) == triangle
	if !fits || s.Fitted < 0 || s.Seen < s.Fitted || s.Step < 1 || len(s.Scores) > min(mostScores, s.Seen) {
		return fmt.Errorf("familiar: %d inputs in %d directions, %d and %d covariances, %d scores of %d inputs: "+
			"these do not fit", inputs, d, len(s.Scatter), len(s.Fit), len(s.Scores), s.Seen)
	}
	read := &Inputs{state: s}
	if s.Fitted >= 2 && !read.factorize() {
		return fmt.Errorf("familiar: the covariance is not positive definite")
	}
	f.state, f.directions, f.factor = s, directions(d, inputs), read.factor
	return nil
}
