package unknown

import (
	"fmt"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/study/studytest"
)

func openManifest(t *testing.T) string {
	return fmt.Sprintf(`
name = "small_open_set"; study = "open_set"; seed = 1
[data]; file = %q; train_rows = "1-100"
[open_set]; known = [["a", "b", "c"]]; validation = 0.3; choose = ["gaussian"]
[sweep]; seed = [1, 2]
[[method]]; name = "gaussian"; features = "relu"; feature_size = 8; output = "gaussian"
[[method]]; name = "network"; members = 2
`, studytest.File(t, studytest.Corners(160)))
}

// Of four separate clusters one is told from the three that were learned; and so is each of the three
// that is kept back, without a test example.
func TestTold(t *testing.T) {
	tables := studytest.Run(t, OpenSet, openManifest(t))
	runs := tables.Get("runs")
	for _, method := range []string{"gaussian", "network"} {
		rows := runs.Where("method", method).Where("left", "").Where("seed", 1)
		for i, s := range rows.Texts("score") {
			auroc, oscr, accuracy := rows.Nums("auroc")[i], rows.Nums("oscr")[i], rows.Nums("accuracy")[i]
			if !(auroc >= 0 && auroc <= 1) || oscr > accuracy+1e-12 || rows.Nums("excess_aurc")[i] < -1e-12 {
				t.Errorf("%s %s: AUROC %g, OSCR %g, accuracy %g", method, s, auroc, oscr, accuracy)
			}
			if method == "gaussian" && (s == "combined" || s == "density") && !(auroc > 0.95 && accuracy > 0.95) {
				t.Errorf("%s: AUROC %g, accuracy %g", s, auroc, accuracy)
			}
		}
		check.Equal(t, method, strings.Join(rows.Texts("score"), " "), map[string]string{
			"gaussian": "probability entropy density density-ratio ridge ridge-density combined", "network": "probability entropy mutual-information",
		}[method])
	}
	chosen := tables.Get("chosen")
	check.Equal(t, "chosen", []int{chosen.Where("method", "gaussian").Len(), chosen.Where("method", "network").Len()}, []int{7, 0})
	check.Equal(t, "rows without class b", runs.Where("left", "b").Len(), 2*7)
}

func TestOpenSpecs(t *testing.T) {
	studytest.Differ(t, OpenSet, openManifest(t), "name=other", "sweep.seed=[2, 1]", `open_set.known=[["a", "b"]]`, "open_set.validation=0.2", "data.train_rows=1-80", "method.gaussian.feature_size=9")
	studytest.Refused(t, OpenSet, openManifest(t), map[string]string{
		`open_set.known=[["a", "z"]]`: `"z" is not allowed; allowed: a, b, c, d`, `open_set.known=[["a"]]`: "two or more", `open_set.known=[["a", "a"]]`: "twice",
		`open_set.known=[["a", "b", "c", "d"]]`: "all but one", "open_set.validation=1": "open_set.validation",
		`open_set.choose=["x"]`: "open_set.choose",
	})
}
