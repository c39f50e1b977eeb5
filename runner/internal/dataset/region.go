package dataset

// Region is a rectangle in the plane: where maps of a task are drawn.
type Region struct{ Low, High [2]float64 }

// square returns [−half, half]².
func square(half float64) Region {
	return Region{Low: [2]float64{-half, -half}, High: [2]float64{half, half}}
}

// Axis returns n ≥ 2 coordinates of input i from Low[i] to High[i]. In a
// rectangle that is symmetric about 0 they are symmetric to the last digit.
func (r Region) Axis(i, n int) []float64 { return axis(r.Low[i], r.High[i], n) }

// axis returns n evenly spaced numbers from low to high, so rounded that
// axis(−a, a, n) is symmetric.
func axis(low, high float64, n int) []float64 {
	axis := make([]float64, n)
	for i := range axis {
		axis[i] = (high*float64(i) + low*float64(n-1-i)) / float64(n-1)
	}
	return axis
}
