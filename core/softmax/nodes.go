package softmax

import (
	"math"
	"slices"

	"closedform/internal/kernel"
)

// reach is the quantile at which a single normal distribution is cut: Φ(−7.7) = 7e-15.
const reach = 7.7

// newtonBelow takes three Newton steps to the root of the concave, increasing log f = level, from below.
func newtonBelow(t, level float64, f func(t float64) (log, gradient float64)) float64 {
	for range 3 {
		log, gradient := f(t)
		if !(log < level) {
			break
		}
		t += (level - log) / gradient
	}
	return t
}

// logProduct returns the logarithm of the product of numbers from 2e-308 to 1.
func logProduct(x []float64) (log float64) {
	product := 1.0
	for _, x := range x {
		if product*x < 1e-300 {
			log += kernel.Log(product)
			product = 1
		}
		product *= x
	}
	return log + kernel.Log(product)
}

// mesh iterates over the nodes of the trapezoidal rule in u for the integral over t = lo + a sinh(u) from lo
// to hi. For entire integrands with Gaussian decay at both ends it converges faster than any power of the
// step (Trefethen and Weideman 2014). A class with scale s has its transition within ±reach·s of its mean,
// at most reach·s above the lowest node. At distance d from it only scales above d/(2·reach) remain to be
// resolved, so the step may grow: with a = 2·reach·s_min it is almost constant over the smallest reach. For ρ
// < ½ the f_j are narrower than the F_j, by the factor narrow. For ρ > ½ the step stays small over the gap.
type mesh struct {
	lo, a, du    float64
	up, down     float64 // exp(±u) of the next node
	grow, shrink float64 // exp(±du)
	left         int     // number of nodes left
}

// newMesh covers [lo, hi] with steps of h, in units of the smallest scale s of an F_j times narrow.
func newMesh(lo, hi, s, narrow, gap, h float64) mesh {
	a := max(2*reach*s, gap)
	return sinhMesh(lo, hi, a, h*s*narrow/kernel.Hypot(a, gap))
}

func sinhMesh(lo, hi, a, du float64) mesh {
	grow := kernel.Exp(du)
	x := (hi - lo) / a
	asinh := kernel.Log(x + kernel.Hypot(1, x))
	left := int(math.Ceil(asinh/du)) + 1
	return mesh{lo: lo, a: a, du: du, up: 1, down: 1, grow: grow, shrink: 1 / grow, left: left}
}

func (m *mesh) next() (t, dt float64) {
	t, dt = m.lo+0.5*m.a*(m.up-m.down), 0.5*m.a*m.du*(m.up+m.down)
	m.up *= m.grow
	m.down *= m.shrink
	m.left--
	return t, dt
}

// refine returns the factor by which the product of n distribution functions needs smaller steps than that of
// two, where normal is the normal share of the variances: the distribution of the largest of n normal
// variables is narrower by about √log n, that of n Gumbel variables is not.
func refine(n int, normal float64) float64 {
	return 1 / (1 + 0.38*kernel.Log(0.5*float64(n))*normal)
}

const mostNodes = 64

type nodeBlock struct {
	node, weight []float64
	room         [2 * mostNodes]float64
}

func (n *nodeBlock) next(nodes *mesh) {
	blocks := (nodes.left + mostNodes - 1) / mostNodes
	q := ((nodes.left+blocks-1)/blocks + 3) &^ 3
	n.node, n.weight = n.room[:q], n.room[mostNodes:mostNodes+q]
	for b := range q {
		n.node[b], n.weight[b] = nodes.next()
	}
}

// momentBlock has tables, class × node: node b adds a_jb g_ib to E_ji, up to a factor of i.
type momentBlock struct {
	nodeBlock
	a, g      []float64
	mu, below []float64 // location of F_j; F_j is negligible below mu_j − below_j
}

func (n *momentBlock) forClasses(classes int) {
	fit((classes+3)&^3*mostNodes, &n.a, &n.g) // the sums are done for four classes at a time
	fit(classes, &n.mu, &n.below)
}

// locate sets mu to λ mean, relative to the lowest point, near which small scales need all digits.
func (n *momentBlock) locate(lambda float64, mean []float64) {
	top := slices.Max(mean)
	for j, m := range mean {
		n.mu[j] = lambda * (m - top) // −Inf where the difference overflows: a class that never wins
	}
	start := n.lowest(-1)
	for j := range n.mu {
		n.mu[j] -= start
	}
}

// lowest returns the point below which the product of all F_i except class j's is negligible.
func (n *momentBlock) lowest(j int) float64 {
	t := math.Inf(-1)
	for i, mu := range n.mu {
		if i != j {
			t = max(t, mu-n.below[i])
		}
	}
	return t
}

// add adds factorF_j Σ_b weight_b f_jb to p_j, and all nodes' contributions to E, with a_jb = factorF_j
// weight_b f_jb times perA, and factorG_i in E_ji. If f is g it fills only the part above the diagonal.
func (n *momentBlock) add(dst *Moments, f, factorF, factorG []float64, perA float64) {
	q := len(n.node)
	for j, r := range factorF {
		row, a := f[j*q:(j+1)*q], n.a[j*q:(j+1)*q]
		dst.P[j] += r * kernel.Dot(n.weight, row)
		r *= perA
		for b, w := range n.weight {
			a[b] = w * r * row[b]
		}
	}
	if dst.E == nil {
		return
	}
	var sums [8]float64
	e := dst.E.RawMatrix()
	for i := 0; i < e.Rows; i += 4 {
		end := e.Rows
		if &f[0] == &n.g[0] {
			end = min(end, i+4)
		}
		for j := 0; j < end; j += 2 {
			kernel.Products(&sums, n.a[j*q:(j+2)*q], n.g[i*q:(i+4)*q])
			for k := range min(2, e.Rows-j) {
				row := e.Data[(j+k)*e.Stride+i : (j+k)*e.Stride+min(i+4, e.Rows)]
				for l := range row {
					row[l] += sums[4*k+l] * factorG[i+l]
				}
			}
		}
	}
}

// mirror copies E above the diagonal to below if it is symmetric, and clears the diagonal.
func (m *Moments) mirror(symmetric bool) {
	if m.E == nil {
		return
	}
	e := m.E.RawMatrix()
	for j := range e.Rows {
		for i := range j {
			if symmetric {
				e.Data[j*e.Stride+i] = e.Data[i*e.Stride+j]
			}
		}
		e.Data[j*e.Stride+j] = 0
	}
}
