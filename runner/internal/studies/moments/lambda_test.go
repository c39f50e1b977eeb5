package moments

import (
	"testing"

	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
)

// Each row holds the errors of its λ, and each criterion is best by its own measure.
func TestLambda(t *testing.T) {
	lambda := studytest.Run(t, Kind, manifest).Get("lambda")
	check.Equal(t, "rows", lambda.Len(), 2*len(softmax.Criteria))
	for _, n := range []int{2, 3} {
		of := lambda.Where("classes", n)
		check.Equal(t, "criteria", of.Texts("criterion"), softmax.Criteria)
		rms, largest, ratio := of.Nums("rms"), of.Nums("max"), of.Nums("rms_ratio")
		for i, l := range of.Nums("lambda") {
			r, m := softmax.Probit{Lambda: l, Rho: 0.5}.BoxErrors(n)
			check.NearAll(t, "errors", []float64{rms[i], largest[i], ratio[i]}, []float64{r, m, r / rms[0]}, 1e-12)
			if rms[1] > r || largest[2] > m*(1+1e-9) {
				t.Errorf("n = %d: the fitted λ have rms %g and max %g, row %d %g and %g", n, rms[1], largest[2], i, r, m)
			}
		}
	}
}
