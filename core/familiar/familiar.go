// Package familiar detects inputs that are unlike all learned ones: [Inputs.P] is a p-value. The distribution
// of the inputs is independent of the network, and is updated example by example:
//
//	f := familiar.New(2)
//	err := f.Observe([]float64{0.5, 1.5}, 0) // each example that is learned, once, with its class from 0
//	p := f.P([]float64{30, 30})              // below 0.01: unlike those that were learned
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
	farthest   = 1e300 // largest score before the asinh
)

// Inputs is the distribution of the learned inputs. The score of x, with d dimensions, is asinh(q − q₀/4 + o).
// It is larger for inputs less like those learned:
//
//	q  = min_c (x − m_c)ᵀW⁻¹(x − m_c)/d · n_c/(n_c + 1), the distance from the nearest mean m_c of n_c
//	     examples of a class, with the covariance W within the classes
//	q₀ = (x − m)ᵀC⁻¹(x − m)/d, the distance from the mean m of all n inputs, with their covariance C
//	o  = 12 mean_j (e_j/w_j)², with the distance e_j from the range of the inputs in dimension j, and the
//	     width w_j of the range, enlarged by 1/n of the mean width
//
// The relative Mahalanobis distance has all of q₀ in place of a quarter (Ren et al., "A simple fix to
// Mahalanobis distance for improving near-OOD detection", 2021). W and C are those when n last grew by an
// eighth, their covariances multiplied by n/(n + d), their variances enlarged by 1/n of the mean variance.
// For more than 64 inputs the distances are taken in 64 random directions. Each input is scored before it is
// learned. The scores of the second half of the inputs are kept, or, if these are more than 1000, of every
// 2nd, 4th, … input. JSON keeps the complete state, to the bit; the zero value is only for reading JSON into
// it. P is safe for concurrent use, the other methods are not.
type Inputs struct {
	state
	directions func() [][]float64  // random directions, drawn at the first call; none: no projection
	factors    [2]*linalg.Cholesky // of C and W
	scratch    sync.Pool           // vectors of distances
}

type state struct {
	Seen    int                `json:"seen"`
	Low     []float64          `json:"low"` // each input ranges from Low to High
	High    []float64          `json:"high"`
	Counts  []int              `json:"counts"`  // number of all inputs, and of those of each class
	Means   [][]float64        `json:"means"`   // mean of all inputs, and of those of each class
	Scatter [2]linalg.Triangle `json:"scatter"` // Σ(x − m)(x − m)ᵀ, and Σ(x − m_c)(x − m_c)ᵀ, x of class c
	Fitted  int                `json:"fitted"`  // number of inputs when Fit was copied from Scatter
	Fit     [2]linalg.Triangle `json:"fit"`
	Step    int                `json:"step"` // every Step-th input is scored
	Scores  []float64          `json:"scores"`
}

// New returns the distribution of no inputs of the given size, at least 1.
func New(inputs int) *Inputs {
	d := min(inputs, mostDims)
	f := &Inputs{directions: directions(d, inputs), state: state{
		Low: make([]float64, inputs), High: make([]float64, inputs), Counts: []int{0},
		Means: [][]float64{make([]float64, d)}, Step: 1, Scores: []float64{},
	}}
	for k := range f.Fit {
		f.Scatter[k], f.Fit[k] = linalg.NewTriangle(d), linalg.NewTriangle(d)
	}
	return f
}

// Clone returns a copy.
func (f *Inputs) Clone() *Inputs {
	c := &Inputs{state: f.state, directions: f.directions, factors: f.factors}
	c.Low, c.High, c.Scores = slices.Clone(f.Low), slices.Clone(f.High), slices.Clone(f.Scores)
	c.Counts, c.Means = slices.Clone(f.Counts), slices.Clone(f.Means)
	for k, mean := range c.Means {
		c.Means[k] = slices.Clone(mean)
	}
	for k := range c.Fit {
		c.Scatter[k], c.Fit[k] = slices.Clone(f.Scatter[k]), slices.Clone(f.Fit[k])
	}
	return c
}

// directions returns d random directions of the inputs, or none if these are no more than d.
func directions(d, inputs int) func() [][]float64 {
	return sync.OnceValue(func() (drawn [][]float64) {
		rnd := rand.New(random.Source("familiar"))
		for d < inputs && len(drawn) < d {
			drawn = append(drawn, random.Normals(rnd, inputs))
		}
		return drawn
	})
}

// Observe learns an input of a class; of several passes observe only the first. If the size is wrong, the
// class is negative, or a number is not finite or beyond ±1e100, it returns an error and learns nothing.
func (f *Inputs) Observe(x []float64, class int) error {
	if len(x) != len(f.Low) || class < 0 {
		return fmt.Errorf("familiar: an input of %d numbers of class %d; need %d numbers, and a class from 0",
			len(x), class, len(f.Low))
	}
	for j, x := range x {
		if !(math.Abs(x) <= largest) {
			return fmt.Errorf("familiar: input %d is %g; need −1e100 to 1e100", j, x)
		}
	}
	if f.Fitted >= 2 && f.Seen%f.Step == 0 {
		f.keep(f.score(x))
	}
	if f.Seen == 0 {
		copy(f.Low, x)
		copy(f.High, x)
	}
	for j, x := range x {
		f.Low[j], f.High[j] = min(f.Low[j], x), max(f.High[j], x)
	}
	for len(f.Counts) <= class+1 {
		f.Counts, f.Means = append(f.Counts, 0), append(f.Means, make([]float64, len(f.Means[0])))
	}
	f.Seen++
	along, z := f.along(nil, x), make([]float64, len(f.Means[0]))
	for k, c := range [2]int{0, class + 1} {
		f.Counts[c]++
		n := float64(f.Counts[c])
		floats.SubTo(z, along, f.Means[c])
		kernel.AddScaled(f.Means[c], 1/n, z)
		for i, e := range z {
			kernel.AddScaled(f.Scatter[k].Row(i), e*(n-1)/n, z[:i+1])
		}
	}
	if f.Seen >= 2 && 8*f.Seen >= 9*f.Fitted {
		f.Fitted = f.Seen
		for k := range f.Fit {
			copy(f.Fit[k], f.Scatter[k])
		}
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

// along appends x, or its projections, to z.
func (f *Inputs) along(z, x []float64) []float64 {
	if len(x) <= mostDims {
		return append(z, x...)
	}
	for _, direction := range f.directions() {
		z = append(z, kernel.Dot(direction, x))
	}
	return z
}

// factorize sets the factors. It reports false if a covariance is not positive definite, whose factor stays.
func (f *Inputs) factorize() bool {
	done := true
	for k, c := range f.Fit {
		c, d, n, mean := slices.Clone(c), float64(len(f.Means[0])), float64(f.Fitted), 0.0
		for i := range f.Means[0] {
			row := c.Row(i)
			for j := range i {
				row[j] /= n + d
			}
			row[i] /= n
			mean += row[i] / d
		}
		c.AddDiagonal(mean/n + 1e-300)
		root := c.Cholesky()
		f.factors[k], done = cmp.Or(root, f.factors[k]), done && root != nil
	}
	return done
}

// score returns the score of x.
func (f *Inputs) score(x []float64) float64 {
	z, _ := f.scratch.Get().(*[]float64)
	if z == nil {
		z = new([]float64)
	}
	defer f.scratch.Put(z)
	near, far := f.distances(z, x)
	var width, outside float64
	for j, low := range f.Low {
		width += f.High[j] - low
	}
	width = width/float64(len(x)*f.Seen) + 1e-300
	for j, x := range x {
		if e := max(f.Low[j]-x, x-f.High[j]); e > 0 {
			e /= f.High[j] - f.Low[j] + width
			outside += float64(e * e)
		}
	}
	s := (near-far/4)/float64(len(f.Means[0])) + 12*outside/float64(len(x))
	if !(math.Abs(s) < farthest) {
		s = farthest
	}
	return math.Copysign(kernel.Log(math.Abs(s)+kernel.Hypot(1, s)), s) // asinh(s)
}

// distances returns the squared distances d·q and d·q₀ of x, with scratch space.
func (f *Inputs) distances(scratch *[]float64, x []float64) (near, far float64) {
	d := len(f.Means[0])
	z := f.along((*scratch)[:0], x)
	for _, mean := range f.Means[1:] {
		z = append(z, z[:d]...)
		floats.Sub(z[len(z)-d:], mean)
	}
	floats.Sub(z[:d], f.Means[0])
	*scratch = z
	f.factors[0].Solve(z[:d])
	f.factors[1].Solve(z[d:])
	near = math.Inf(1)
	for c, n := range f.Counts {
		if z := z[c*d:][:d]; c > 0 && n > 0 {
			near = min(near, kernel.Dot(z, z)*float64(n)/float64(n+1))
		}
	}
	return near, kernel.Dot(z[:d], z[:d])
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
	score := f.score(x)
	p := tail(f.Scores, nil, score, 1)
	if len(f.Means[0]) < typical {
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
	inputs, d, counted := len(s.Low), min(len(s.Low), mostDims), 0
	fits := inputs >= 1 && len(s.High) == inputs && len(s.Counts) >= 1 && len(s.Counts) == len(s.Means)
	for k := range s.Fit {
		fits = fits && len(s.Scatter[k]) == d*(d+1)/2 && len(s.Fit[k]) == d*(d+1)/2
	}
	for _, mean := range s.Means {
		fits = fits && len(mean) == d
	}
	for _, n := range s.Counts {
		fits = fits && n >= 0 && n <= s.Seen
		counted += n
	}
	fits = fits && counted == 2*s.Seen && s.Counts[0] == s.Seen
	if !fits || s.Fitted < 0 || s.Seen < s.Fitted || s.Step < 1 || len(s.Scores) > min(mostScores, s.Seen) {
		return fmt.Errorf("familiar: inputs of %d numbers, %d examples, %d counts, %d means, %d scores: these do "+
			"not fit", inputs, s.Seen, len(s.Counts), len(s.Means), len(s.Scores))
	}
	read := &Inputs{state: s}
	if s.Fitted >= 2 && !read.factorize() {
		return fmt.Errorf("familiar: the covariance is not positive definite")
	}
	f.state, f.directions, f.factors = s, directions(d, inputs), read.factors
	return nil
}
