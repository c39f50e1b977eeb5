package sorted

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/baselines/learners/kalman"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

func manifest(file string) string {
	return fmt.Sprintf(`
name = "small_sorted"; study = "sorted"; seed = 1
[sweep]; seed = [1, 2, 3]
[[set]]; name = "clusters"; file = %q; train_rows = "1-30"
[[set]]; name = "moons"; generator = "moons"; train = 20; test = 10; splits = 2
[[method]]; name = "filter"; kind = "kalman"; prior_var = 0.3; hidden_layers = [4]; sets = ["clusters"]
[[method]]; name = "network"; kind = "closed-form"; members = 1
[[method]]; name = "other"; label = "filter"; kind = "kalman"; sets = ["moons"]
`, file)
}

// The tables are those of a filter that is trained by hand, one class after another.
func TestByHand(t *testing.T) {
	set := studytest.Clusters(90)
	tables := studytest.Run(t, Kind, manifest(studytest.File(t, set)))
	if n := tables.Get("runs").Len(); n != 2*(3*2+2*2) {
		t.Errorf("%d runs", n)
	}
	train := dataset.NewExamples(data.Set{X: set.X[:30], Class: set.Class[:30]}, 3)
	scaler := check.Must(train.Scaler(dataset.Standard))
	train = scaler.Apply(train)
	examples := train.Set(0, train.Len())
	test := scaler.Apply(dataset.NewExamples(data.Set{X: set.X[30:], Class: set.Class[30:]}, 3)).Set(0, 60)
	differ := false
	for seed := 1; seed <= 3; seed++ {
		rnd := rand.New(study.Stream("small_sorted", seed, "order", "clusters"))
		order, place := rnd.Perm(30), rnd.Perm(3)
		stream := slices.Clone(order)
		slices.SortStableFunc(stream, func(a, b int) int { return place[examples.Class[a]] - place[examples.Class[b]] })
		rows := func(name string) *table.Table {
			return tables.Get(name).Where("set", "clusters").Where("method", "filter").Where("seed", seed)
		}
		var errors []float64
		for _, of := range []struct {
			name   string
			stream []int
		}{{byClass, stream}, {shuffled, order}} {
			model, err := kalman.New(kalman.Config{Layers: []int{2, 4, 3}, PriorVar: 0.3, PriorMeanVar: 2},
				study.Stream("small_sorted", seed, "method", "clusters", "filter"))
			check.OK(t, err)
			var a [3][3]float64 // accuracy on the j-th class after the k-th
			var p [][]float64
			for k, i := range of.stream {
				check.OK(t, model.Observe(examples.X[i], examples.Class[i]))
				if p = nil; (k+1)%10 > 0 { // 10 of each class
					continue
				}
				for i, x := range test.X {
					p = append(p, check.Predict(t, model, 3, x...))
					if floats.MaxIdx(p[i]) == test.Class[i] {
						a[k/10][place[test.Class[i]]] += 1. / 20 // 20 of each class
					}
				}
			}
			r := rows("runs").Where("order", of.name)
			for i, want := range learner.Scores(p, test.Class) {
				check.Near(t, learner.ScoreNames[i], r.Nums(learner.ScoreNames[i])[0], want, 1e-12)
			}
			if errors = append(errors, r.Nums("error")[0]); of.name == shuffled {
				continue
			}
			after := []float64{a[0][0], (a[1][0] + a[1][1]) / 2, (a[2][0] + a[2][1] + a[2][2]) / 3}
			check.Near(t, "average accuracy", r.Nums("average_accuracy")[0], stat.Mean(after, nil), 1e-12)
			check.Near(t, "backward transfer", r.Nums("backward_transfer")[0], (a[2][0]-a[0][0]+a[2][1]-a[1][1])/2, 1e-12)
			course := rows("course")
			check.NearAll(t, "accuracy", course.Nums("accuracy"), after, 1e-12)
			check.NearAll(t, "seen", course.Nums("seen"), []float64{10, 20, 30}, 0)
			for k, text := range course.Texts("each") {
				class := int(course.Texts("class")[k][0] - 'a')
				if want := table.List(a[k][:k+1], 6); text != want || place[class] != k {
					t.Errorf("after class %d, %c, each %s, want %s", k+1, 'a'+class, text, want)
				}
			}
		}
		lost := rows("runs").Nums("loss_by_sorting")
		check.Near(t, "loss by sorting", lost[0], errors[0]-errors[1], 1e-12)
		if !math.IsNaN(lost[1]) {
			t.Errorf("a shuffled stream has lost %g by sorting", lost[1])
		}
		differ = differ || errors[0] != errors[1]
	}
	if !differ {
		t.Error("both orders have the same errors")
	}
}

// What was learned just now does not count as transfer, nor what is better in between.
func TestBackwardTransfer(t *testing.T) {
	check.Near(t, "backward transfer", backwardTransfer([][]float64{{1}, {0.9, 0.7}, {0.2, 0.8, 1}}), ((0.2-1)+(0.8-0.7))/2, 1e-12)
}

func TestSpecs(t *testing.T) {
	text := manifest(studytest.File(t, studytest.Clusters(36)))
	studytest.Differ(t, Kind, text, "name=other", "sweep.seed=[2, 1]", "set.clusters.scale=none", "set.clusters.train_rows=1-25", "method.filter.prior_var=3")
	studytest.Refused(t, Kind, text, map[string]string{
		"method.filter.sets=[\"iris\"]":     `method.filter.sets: "iris" is not allowed; allowed: clusters, moons`,
		"method.filter.passes=2":            "method.filter.passes",
		"method.other.kind=neighbours":      `method.other.kind: "neighbours" is not allowed`,
		"set.moons.splits=-1":               "set.moons.splits",
		"set.clusters.file=gone.csv":        "no such file",
		"method.network.hidden_layers=[-1]": "method.network.hidden_layers",
	})
	keys := []string{}
	for _, c := range studytest.New(t, Kind, text, "sweep.seed=[1]").Cells() {
		keys = append(keys, c.Key)
	}
	if got := strings.Join(keys[2:6], ", "); got != "network clusters sorted seed=1, network clusters shuffled seed=1, network moons sorted seed=1, network moons shuffled seed=1" {
		t.Error(got)
	}
}
