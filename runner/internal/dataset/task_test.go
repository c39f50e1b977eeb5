package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
)

func TestValidateNamesWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		task Task
		want []string
	}{
		{Task{}, Names()},
		{Task{Name: "moon"}, Names()},
		{Task{Name: "moons", Noise: -1}, []string{"moons", "noise = -1", "from 1e-06 to 10", "0.1"}},
		{Task{Name: "xor", Noise: math.NaN()}, []string{"noise = NaN", "0.4"}},
		{Task{Name: "xor", Noise: math.Inf(1)}, []string{"noise = +Inf"}},
		{Task{Name: "xor", Noise: 1e-7}, []string{"noise = 1e-07"}},
		{Task{Name: "wedges", Noise: 0.1}, []string{"wedges", "no noise"}},
		{Task{Name: "moons", Arms: 3}, []string{"moons", "no arms"}},
		{Task{Name: "spirals", Rings: 3}, []string{"spirals", "no rings"}},
		{Task{Name: "spirals", Arms: 1}, []string{"arms = 1", "from 2 to 100", "3"}},
		{Task{Name: "rings", Rings: 101}, []string{"rings = 101", "from 2 to 100"}},
	} {
		err := c.task.Validate()
		if err == nil {
			t.Errorf("%+v is valid", c.task)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: error %q does not say %q", c.task, err, want)
			}
		}
	}
	for _, name := range Names() {
		if err := (Task{Name: name}).Validate(); err != nil {
			t.Errorf("the default %s: %v", name, err)
		}
	}
}

func TestResolved(t *testing.T) {
	for _, c := range []struct{ task, want Task }{
		{Task{Name: "logistic"}, Task{Name: "logistic", Noise: 1}},
		{Task{Name: "moons"}, Task{Name: "moons", Noise: 0.1}},
		{Task{Name: "rings"}, Task{Name: "rings", Noise: 0.05, Rings: 3}},
		{Task{Name: "spirals"}, Task{Name: "spirals", Noise: 0.12, Arms: 3}},
		{Task{Name: "wedges"}, Task{Name: "wedges"}},
		{Task{Name: "xor"}, Task{Name: "xor", Noise: 0.4}},
		{Task{Name: "spirals", Noise: 1, Arms: 7}, Task{Name: "spirals", Noise: 1, Arms: 7}},
	} {
		if got := c.task.Resolved(); got != c.want {
			t.Errorf("%+v resolves to %+v, want %+v", c.task, got, c.want)
		}
	}
	if got := (Task{Name: "spirals", Arms: 7}).Classes(); got != 7 {
		t.Errorf("seven arms, %d classes", got)
	}
}

// A value that was drawn once is drawn ever after: committed results depend on
// it. Digits that a fused multiplication would move are not compared.
func TestGenerateIsPinned(t *testing.T) {
	for name, want := range map[string]struct {
		x     []float64
		class int
	}{
		"logistic": {[]float64{-3.855958383766872, -4.694889581395232}, 0},
		"moons":    {[]float64{1.75306967685446, 0.1779017761456288}, 1},
		"rings":    {[]float64{0.6836427638126094, 0.132688271523348}, 1},
		"spirals":  {[]float64{0.9418226980441164, -0.2299540071478621}, 1},
		"wedges":   {[]float64{1.018316491380106, -1.09096236017741}, 1},
		"xor":      {[]float64{1.575331149821412, 1.237870376678051}, 0},
	} {
		set := Task{Name: name}.Generate(3, random.Source("dataset", "pinned"))
		if !floats.EqualApprox(set.X[2], want.x, 1e-12) || set.Class[2] != want.class {
			t.Errorf("%s draws {[]float64{%.16g, %.16g}, %d}, want %v", name, set.X[2][0], set.X[2][1], set.Class[2], want)
		}
	}
}

func TestGenerateDependsOnTheStreamAlone(t *testing.T) {
	for _, name := range Names() {
		task := Task{Name: name}
		long := task.Generate(20, random.Source("dataset", 1))
		short := task.Generate(5, random.Source("dataset", 1))
		if !slices.EqualFunc(short.X, long.X[:5], slices.Equal) || !slices.Equal(short.Class, long.Class[:5]) {
			t.Errorf("%s: a longer list begins otherwise", name)
		}
		if cap(long.X[0]) != task.Inputs() {
			t.Errorf("%s: appending to an example writes into the next", name)
		}
		other := task.Generate(5, random.Source("dataset", 2))
		if slices.EqualFunc(short.X, other.X, slices.Equal) {
			t.Errorf("%s: two streams, the same examples", name)
		}
		if resolved := task.Resolved().Generate(5, random.Source("dataset", 1)); !slices.EqualFunc(short.X, resolved.X, slices.Equal) {
			t.Errorf("%s: its defaults written out draw other examples", name)
		}
		if empty := task.Generate(0, random.Source("dataset", 1)); len(empty.X) != 0 || len(empty.Class) != 0 {
			t.Errorf("%s: 0 examples are %v", name, empty)
		}
	}
}

func TestWedgesAsTask(t *testing.T) {
	task := Task{Name: "wedges"}
	got, want := task.Generate(50, random.Source("dataset", 1)), wedges.Draw(50, random.Source("dataset", 1))
	if !slices.EqualFunc(got.X, want.X, slices.Equal) || !slices.Equal(got.Class, want.Class) {
		t.Error("the task draws other examples than the generator")
	}
	p := []float64{7, 7, 7}
	if task.ClassProbabilities(p, []float64{1, -1}) || p[0] != 7 {
		t.Errorf("on a boundary: %v", p)
	}
	if !task.ClassProbabilities(p, []float64{1, 0}) || !slices.Equal(p, []float64{0, 0, 1}) {
		t.Errorf("in class 2: %v", p)
	}
	if got, want := task.Region().Axis(1, 81), wedges.Axis(81); !slices.Equal(got, want) {
		t.Errorf("axis %v, want %v", got, want)
	}
}

func TestPanicsSayWhatIsNeeded(t *testing.T) {
	task := Task{Name: "moons"}
	for want, f := range map[string]func(){
		"no task":                      func() { Task{Name: "sun"}.Classes() },
		"length 3, need 2, one per":    func() { task.ClassProbabilities(make([]float64, 3), make([]float64, 2)) },
		"has length 1, need 2":         func() { task.ClassProbabilities(make([]float64, 2), make([]float64, 1)) },
		"need finite numbers":          func() { task.ClassProbabilities(make([]float64, 2), []float64{math.NaN(), 0}) },
		"[0 +Inf], need finite number": func() { task.ClassProbabilities(make([]float64, 2), []float64{0, math.Inf(1)}) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "dataset: ") || !strings.Contains(r, want) {
					t.Errorf("panic %q, want %q", r, want)
				}
			}()
			f()
		}()
	}
}

// Class probabilities are probabilities wherever the point is.
func FuzzClassProbabilities(f *testing.F) {
	for _, x := range [][2]float64{{0, 0}, {1, 0}, {-1, 0}, {0.5, 0.25}, {1e6, -1e6}, {-1e100, 1e-300}, {0, -1}} {
		for _, noise := range []float64{minNoise, 0.1, maxNoise} {
			f.Add(x[0], x[1], noise)
		}
	}
	f.Fuzz(func(t *testing.T, x1, x2, noise float64) {
		if !(math.Abs(x1) <= 1e100 && math.Abs(x2) <= 1e100) {
			t.Skip()
		}
		for _, name := range Names() {
			task := Task{Name: name, Noise: noise}
			if name == "wedges" {
				task.Noise = 0
			}
			if task.Validate() != nil {
				continue
			}
			p := make([]float64, task.Classes())
			if !task.ClassProbabilities(p, []float64{x1, x2}) {
				continue
			}
			for _, v := range p {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%v at (%g, %g): probabilities %v", task, x1, x2, p)
				}
			}
			if !(math.Abs(floats.Sum(p)-1) <= 1e-13) {
				t.Fatalf("%v at (%g, %g): probabilities %v do not add up to 1", task, x1, x2, p)
			}
		}
	})
}

func TestClassProbabilitiesAllocateNothing(t *testing.T) {
	x := []float64{0.3, 0.4}
	for _, name := range Names() {
		task := Task{Name: name}
		p := make([]float64, task.Classes())
		if n := testing.AllocsPerRun(10, func() { task.ClassProbabilities(p, x) }); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

func BenchmarkClassProbabilities(b *testing.B) {
	x := []float64{0.3, 0.4}
	for _, name := range Names() {
		task := Task{Name: name}
		p := make([]float64, task.Classes())
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				task.ClassProbabilities(p, x)
			}
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, name := range Names() {
		task := Task{Name: name}
		b.Run(name, func(b *testing.B) {
			src := random.Source("dataset", "benchmark")
			for b.Loop() {
				task.Generate(1000, src)
			}
		})
	}
}
