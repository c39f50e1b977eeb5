package mvn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestQuantile(t *testing.T) {
	for p := 1e-300; p < 1; p = min(p*1.7, p+0.01) {
		if got, want := quantile(p), mathext.NormalQuantile(p); !(math.Abs(got-want) < 1e-11*math.Max(1, -want)) {
			t.Errorf("Φ⁻¹(%g) = %v, want %v", p, got, want)
		}
	}
}
