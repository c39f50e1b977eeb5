package tagi

// layer is one layer of weights and what flows through it. The weights are
// stored input by input: those of input i are mean[i·out : (i+1)·out].
type layer struct {
	in, out        int
	mean, variance []float64

	y []float64 // means of the inputs, the last of which is 1
	s []float64 // variances of the inputs but the bias; nil if they are certain

	m, v  []float64 // of the neurons' inputs z
	slope []float64 // Cov(z, output)/v; nil in the output layer
	d, e  []float64 // (m̃ − m)/v and (ṽ − v)/v²
}

func newLayer(in, out int) *layer {
	l := &layer{in: in, out: out, y: make([]float64, in)}
	for _, x := range []*[]float64{&l.mean, &l.variance} {
		*x = make([]float64, in*out)
	}
	for _, x := range []*[]float64{&l.m, &l.v, &l.d, &l.e} {
		*x = make([]float64, out)
	}
	l.y[in-1] = 1
	return l
}

// input returns the weights of input i.
func (l *layer) input(i int) (mean, variance []float64) {
	return l.mean[i*l.out : (i+1)*l.out], l.variance[i*l.out : (i+1)*l.out]
}

// forward sets the moments of z_j = Σ_i w_ji y_i, all factors independent
// (paper, Sec. 3.1):
//
//	m_j = Σ_i μ_ji ŷ_i,   v_j = Σ_i (σ²_ji s_i + σ²_ji ŷ_i² + μ_ji² s_i).
func (l *layer) forward() {
	clear(l.m)
	clear(l.v)
	for i, y := range l.y {
		var s float64
		if i < len(l.s) {
			s = l.s[i]
		}
		if y == 0 && s == 0 {
			continue
		}
		mean, variance := l.input(i)
		m, v, square := l.m[:len(mean)], l.v[:len(mean)], y*y+s
		variance = variance[:len(mean)]
		for j, mu := range mean {
			m[j] += y * mu
			v[j] += square*variance[j] + s*(mu*mu)
		}
	}
}

// leastRatio is the smallest ṽ/v that the backward pass leaves to a hidden unit.
const leastRatio = 1e-3

// backward sets d and e of the layer below from those of l (paper, Sec. 3.3). The
// covariance of input z_i below and z_j is a_i v_i μ_ji, with a_i the slope of
// unit i, so that the smoother
//
//	m̃_i = m_i + Σ_j (a_i v_i μ_ji/v_j)(m̃_j − m_j),   ṽ_i = v_i + Σ_j (a_i v_i μ_ji/v_j)²(ṽ_j − v_j)
//
// is d_i = a_i Σ_j μ_ji d_j, e_i = a_i² Σ_j μ_ji² e_j. It takes the z_j for
// independent: together they may take away more variance than there is, and ṽ_i
// is then raised to its least. backward returns how often.
func (l *layer) backward(below *layer) (raised int) {
	for i, a := range below.slope {
		var first, second float64
		if a > 0 {
			mean, _ := l.input(i)
			d, e := l.d[:len(mean)], l.e[:len(mean)]
			for j, mu := range mean {
				first += mu * d[j]
				second += mu * mu * e[j]
			}
		}
		below.d[i], below.e[i] = a*first, a*a*second
		if below.e[i]*below.v[i] < leastRatio-1 {
			below.e[i] = (leastRatio - 1) / below.v[i]
			raised++
		}
	}
	return raised
}

// update moves the weights, whose covariances with z_j are σ²_ji ŷ_i:
//
//	μ_ji += σ²_ji ŷ_i d_j,   σ²_ji += (σ²_ji ŷ_i)² e_j.
func (l *layer) update() {
	for i, y := range l.y {
		if y == 0 {
			continue
		}
		mean, variance := l.input(i)
		d, e := l.d[:len(mean)], l.e[:len(mean)]
		variance = variance[:len(mean)]
		for j, x := range variance {
			u := x * y
			mean[j] += u * d[j]
			// Not negative, as −e_j < 1/v_j and v_j ≥ u y, but for rounding.
			variance[j] = x * max(0, 1+u*y*e[j])
		}
	}
}
