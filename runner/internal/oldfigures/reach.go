package figures

import "math"

// A reach is the range of values along an axis so far.
type reach struct {
	extent           // of the curves
	reference extent // of the references, for charts that have nothing else
}

func newReach(log bool) reach {
	none := extent{math.Inf(1), math.Inf(-1), log}
	return reach{none, none}
}

// add adds the values of a curve that the axis can show.
func (r *reach) add(c Curve, values ...[]float64) {
	to := &r.extent
	if c.Style == Reference {
		to = &r.reference
	}
	for _, vs := range values {
		for _, v := range vs {
			if to.shows(v) {
				to.lo, to.hi = min(to.lo, v), max(to.hi, v)
			}
		}
	}
}

// dataMargin is the part of an axis from the data that stays free at each end.
const dataMargin = 0.04

// axis returns ends about the values, with a margin on both sides.
func (r reach) axis() extent {
	e := r.extent
	if e.lo > e.hi {
		e = r.reference
	}
	switch {
	case e.lo > e.hi && e.log: // no values
		e.lo, e.hi = 0.1, 10
	case e.lo > e.hi:
		e.lo, e.hi = -1, 1
	case e.lo == e.hi && e.log:
		e.lo, e.hi = e.lo/2, e.hi*2
	case e.lo == e.hi:
		half := math.Abs(e.lo) / 2
		if half == 0 {
			half = 1
		}
		e.lo, e.hi = e.lo-half, e.hi+half
	}
	if e.log {
		margin := math.Pow(e.hi/e.lo, dataMargin)
		e.lo, e.hi = e.lo/margin, e.hi*margin
	} else {
		margin := (e.hi - e.lo) * dataMargin
		e.lo, e.hi = e.lo-margin, e.hi+margin
	}
	e.check("axis")
	return e
}
