package mvn

import (
	"cmp"
	"math"
	"slices"
)

// pair is a node x > 0 of a symmetric rule on [−1, 1] with its weight, which −x
// has too.
type pair struct{ x, w float64 }

// The nodes of the Gauss–Legendre rules of 6, 12, 16 and 20 points.
var (
	legendre6 = [...]pair{
		{0.238619186083196909, 0.467913934572691047},
		{0.661209386466264514, 0.360761573048138608},
		{0.932469514203152028, 0.171324492379170345},
	}
	legendre12 = [...]pair{
		{0.125233408511468915, 0.249147045813402785},
		{0.367831498998180194, 0.233492536538354809},
		{0.587317954286617447, 0.203167426723065922},
		{0.769902674194304687, 0.160078328543346226},
		{0.904117256370474857, 0.106939325995318431},
		{0.981560634246719251, 0.0471753363865118272},
	}
	legendre16 = [...]pair{
		{0.0950125098376374402, 0.189450610455068496},
		{0.281603550779258913, 0.182603415044923589},
		{0.458016777657227386, 0.169156519395002538},
		{0.617876244402643748, 0.149595988816576732},
		{0.755404408355003034, 0.124628971255533872},
		{0.865631202387831744, 0.0951585116824927848},
		{0.944575023073232576, 0.0622535239386478929},
		{0.989400934991649933, 0.0271524594117540949},
	}
	legendre20 = [...]pair{
		{0.0765265211334973338, 0.152753387130725851},
		{0.227785851141645078, 0.149172986472603747},
		{0.373706088715419561, 0.142096109318382051},
		{0.510867001950827098, 0.131688638449176627},
		{0.636053680726515025, 0.118194531961518417},
		{0.746331906460150793, 0.101930119817240435},
		{0.839116971822218823, 0.0832767415767047487},
		{0.912234428251325906, 0.0626720483341090636},
		{0.963971927277913791, 0.0406014298003869413},
		{0.993128599185094925, 0.0176140071391521183},
	}
)

// kronrod21 are the nodes x > 0 of the Gauss–Kronrod rule of 21 points, its
// weights, and those of the Gauss rule of 10 points on every second node.
var kronrod21 = [...]struct{ x, kronrod, gauss float64 }{
	{0.148874338981631211, 0.147739104901338491, 0.295524224714752870},
	{0.294392862701460198, 0.142775938577060081, 0},
	{0.433395394129247191, 0.134709217311473326, 0.269266719309996355},
	{0.562757134668604683, 0.123491976262065851, 0},
	{0.679409568299024406, 0.109387158802297642, 0.219086362515982044},
	{0.780817726586416897, 0.093125454583697606, 0},
	{0.865063366688984511, 0.075039674810919953, 0.149451349150580593},
	{0.930157491355708226, 0.054755896574351996, 0},
	{0.973906528517171720, 0.032558162307964727, 0.066671344308688138},
	{0.995657163025808081, 0.011694638867371874, 0},
}

const kronrod21Centre = 0.149445554002916906

// integrate returns ∫_a^b f(t) dt by the Gauss–Kronrod rule of 10 and 21 points
// with bisection (Piessens et al. 1983): a piece is accepted when its two rules
// agree to tol. The error of the accepted value is smaller by orders of
// magnitude for a smooth f. A piece that is not wider than the rounding error of
// its ends is accepted as it is.
func integrate(f func(t float64) float64, a, b, tol float64) float64 {
	const depth = 64
	var ends [depth + 1]float64 // the right ends of the pieces still to do
	ends[0] = b
	var sum float64
	for left := 1; left > 0; {
		b = ends[left-1]
		mid, half := 0.5*(a+b), 0.5*(b-a)
		kronrod, gauss := kronrod21Centre*f(mid), 0.0
		for i := range kronrod21 {
			node := &kronrod21[i]
			y := f(mid-half*node.x) + f(mid+half*node.x)
			kronrod += node.kronrod * y
			gauss += node.gauss * y
		}
		if half*math.Abs(kronrod-gauss) > tol && left < depth && a < mid && mid < b {
			ends[left] = mid
			left++
			continue
		}
		sum += half * kronrod
		a = b
		left--
	}
	return sum
}

// cut is a point at which an integral is cut, because of a transition of the
// integrand of a certain width.
type cut struct{ at, width float64 }

// cuts are those of one integral. The two formulas of the adaptive rule also agree
// where none of their nodes sees a narrow transition: the pieces must not be much
// wider than the transitions in them.
type cuts []cut

// narrow is the width from which on a transition needs no cuts.
const narrow = 0.25

// add adds those of a transition like that of Φ((t − centre)/width).
func (c *cuts) add(centre, width float64) {
	for _, k := range [...]float64{-9, -3, 0, 3, 9} {
		*c = append(*c, cut{centre + k*width, width})
	}
}

// addLinear adds those of Φ((a + bt)/e) if it is narrow.
func (c *cuts) addLinear(a, b, e float64) {
	if width := e / math.Abs(b); width < narrow {
		c.add(-a/b, width)
	}
}

// integrate returns ∫_a^b f(t) dt by [integrate] on each piece. A cut less than
// its width away from another is left out.
func (c cuts) integrate(f func(t float64) float64, a, b, tol float64) float64 {
	slices.SortFunc(c, func(p, q cut) int { return cmp.Compare(p.at, q.at) })
	var sum float64
	for _, p := range c {
		if p.at < b && p.at-a > p.width {
			sum += integrate(f, a, p.at, tol)
			a = p.at
		}
	}
	return sum + integrate(f, a, b, tol)
}
