package discover

import (
	"fmt"
	"strings"
	"testing"

	"closedform/runner/internal/study/studytest"

	"closedform/internal/check"
)

func manifest(t *testing.T) string {
	return fmt.Sprintf(`
name = "small_discover"; study = "discover"; seed = 1
[discover]; examples = 240; block = 40
[sweep]; seed = [1, 2]
[[set]]; name = "corners"; file = %q; train_rows = "1-280"
[[method]]; name = "gaussian"; output = "gaussian"
[[method]]; name = "network"; members = 1
`, studytest.File(t, studytest.Corners(300)))
}

// Of four separate clusters, two of which turn up later, all are found for few labels, and answered right.
func TestFinds(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest(t))
	runs := tables.Get("runs")
	for _, method := range []string{"gaussian", "network"} {
		of := func(labels, column string) float64 {
			return runs.Where("method", method).Where("labels", labels).Where("seed", 1).Nums(column)[0]
		}
		if of("unknown", "found") != 4 || of("unknown", "accuracy") < 0.95 || of("unknown", "bought") > 140 {
			t.Errorf("%s: %s", method, runs.CSV())
		}
		check.Equal(t, method, of("random", "bought"), of("unknown", "bought"))
		if of("oracle", "wrong") != 0 || of("oracle", "bought") > of("unknown", "bought") || of("oracle", "delay") < 1 {
			t.Errorf("%s: by the oracle %g wrong, %g bought", method, of("oracle", "wrong"), of("oracle", "bought"))
		}
		// The blocks add up to the stream, and classes turn up at its second and third third.
		curve := tables.Get("curve").Where("method", method).Where("labels", "unknown").Where("seed", 1)
		bought := 0.0
		for _, share := range curve.Nums("bought_share") {
			bought += 40 * share
		}
		if got := fmt.Sprint(curve.Nums("classes")); got != "[2 2 3 3 4 4]" || int(bought+0.5) != int(of("unknown", "bought")) {
			t.Errorf("%s: classes %s, %g labels in blocks of %g", method, got, bought, of("unknown", "bought"))
		}
	}
}

// A class that turns up is found by its label alone: with labels of what is unknown a class whose
// examples look like none before is bought at its first example.
func TestFirstIsBought(t *testing.T) {
	runs := studytest.Run(t, Kind, manifest(t), "discover.threshold=0").Get("runs").Where("method", "gaussian").Where("labels", "unknown")
	for i, found := range runs.Nums("found") {
		if found != 4 || runs.Nums("accuracy")[i] < 0.95 {
			t.Errorf("%s", runs.CSV())
		}
	}
}

func TestSpecs(t *testing.T) {
	studytest.Differ(t, Kind, manifest(t), "name=other", "sweep.seed=[2, 1]", "discover.start=3", "discover.every=3", "discover.tail=0.1", "set.corners.train_rows=1-270")
	studytest.Refused(t, Kind, manifest(t), map[string]string{
		"discover.start=4": "fewer than the 4 classes", "discover.start=1": "discover.start", "discover.examples=0": "discover.examples: 0 ",
		"discover.tail=2": "discover.tail", "method.network.kind=tagi": "to which classes can be added", `method.network.sets=["x"]`: "method.network.sets",
	})
	if cells := studytest.New(t, Kind, manifest(t)).Cells(); len(cells) != 4 || !strings.HasPrefix(cells[0].Key, "gaussian corners") {
		t.Errorf("%d cells, the first %s", len(cells), cells[0].Key)
	}
}
