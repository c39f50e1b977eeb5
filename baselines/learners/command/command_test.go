package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// TestMain is also the program of the tests: it predicts the frequencies of the classes that it has read, or
// goes wrong as its settings say.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "program" {
		program()
	}
	os.Exit(m.Run())
}

func program() {
	var head struct {
		Classes  int
		Seed     int
		Settings map[string]string
	}
	var counts []float64
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text()[0] == '{' {
			if err := json.Unmarshal(in.Bytes(), &head); err != nil {
				panic(err)
			}
			counts = slices.Repeat([]float64{1}, head.Classes)
			continue
		}
		word, number, _ := strings.Cut(in.Text(), " ")
		n, _ := strconv.Atoi(number)
		for range n {
			in.Scan()
			columns := strings.Split(in.Text(), ",")
			if word == "learn" {
				class, _ := strconv.Atoi(columns[len(columns)-1])
				counts[class]++
				continue
			}
			switch wrong := head.Settings["wrong"]; wrong {
			case "exit":
				fmt.Fprintln(os.Stderr, "Traceback\nno such column")
				os.Exit(3)
			case "hang":
				time.Sleep(time.Minute)
			case "":
				p := floats.ScaleTo(make([]float64, head.Classes), 1/floats.Sum(counts), counts)
				fmt.Println(strings.Trim(strings.ReplaceAll(fmt.Sprint(p), " ", ","), "[]"))
			default:
				fmt.Println(wrong)
			}
		}
	}
	os.Exit(0)
}

func model(t *testing.T, wrong string, timeout float64) *Model {
	t.Helper()
	c := Config{
		Command: []string{check.Must(os.Executable()), "program"}, Version: []string{"echo", "toy", "1"},
		Settings: map[string]any{"wrong": wrong}, Timeout: timeout,
	}
	check.Must(c.Find(t.TempDir()))
	m := check.Must(New(c, 2, 3, random.Source("test")))
	for _, class := range []int{0, 0, 2} {
		check.OK(t, m.Observe([]float64{1, float64(class)}, class))
	}
	return m
}

// A program answers several inputs at once. It learns a stream, or before a prediction all examples so far.
// One program serves one model after the other.
func TestAnswers(t *testing.T) {
	m := model(t, "", 0)
	p := [][]float64{make([]float64, 3), make([]float64, 3)}
	check.Must(m.PredictAll(p, [][]float64{{1, 1}, {2, 2}}))
	for _, p := range p {
		check.NearAll(t, "p", p, []float64{3 / 6., 1 / 6., 2 / 6.}, 1e-15)
	}
	check.OK(t, m.Observe([]float64{1, 1}, 1))
	check.NearAll(t, "p", check.Predict(t, m, 3, 1, 1), []float64{3 / 7., 2 / 7., 2 / 7.}, 1e-15)
	pid := m.cmd.Process.Pid
	m.Release()
	m.cfg.Stream = true
	s := check.Must(New(m.cfg, 2, 3, random.Source("stream")))
	for k := range 3 {
		total := float64(3 + k)
		want := []float64{1 / total, float64(1+k) / total, 1 / total}
		check.NearAll(t, "p", check.Predict(t, s, 3, 0, float64(k)), want, 1e-15)
		check.OK(t, s.Observe([]float64{1, 1}, 1))
	}
	check.True(t, s.cmd.Process.Pid == pid, "another program for the next model")
	check.True(t, s.Close() > 0 && syscall.Kill(pid, 0) != nil, "the program runs after Close, or took no time")
}

// A failure of a program is an error with its last lines, of every later call, too. It is reported once.
func TestFailures(t *testing.T) {
	for wrong, want := range map[string]string{
		"exit": "ended without an answer: exit status 3; its last lines:\n  Traceback\n  no such column",
		"hang": "no answer after 300ms", "0.5,0.5": "allowed: 3 probabilities", "0.5,0.5,0.5": "with the sum 1",
		"NaN,0,1": `answered "NaN,0,1"`, "-1,1,1": `answered "-1,1,1"`,
		"loading": `answered "loading"`, "0,0,1\n0,0,1": "more lines",
	} {
		timeout := 60.
		if wrong == "hang" {
			timeout = 0.3
		}
		m, p := model(t, wrong, timeout), make([]float64, 3)
		var failures []error
		m.Bind(t.Context(), func(err error) { failures = append(failures, err) })
		check.Refuses(t, "class", m.Observe([]float64{1, 1}, 3), "class 3")
		err := m.Predict(p, []float64{1, 1})
		check.Refuses(t, wrong, err, want)
		check.Equal(t, wrong, []error{m.Predict(p, []float64{1, 1})}, failures)
	}
	gone := model(t, "", 0)
	gone.cfg.Command = []string{"no-such-program"}
	check.Refuses(t, "command", gone.Predict(make([]float64, 3), []float64{1, 1}), "no-such-program")
	c := Config{Command: []string{"x"}, Version: []string{"sh", "-c", "echo not installed >&2; exit 1"}}
	check.Refuses(t, "version", check.Err(c.Find(".")), "version", "not installed")
	ctx, cancel := context.WithCancel(t.Context())
	m := model(t, "hang", 60)
	m.Bind(ctx, func(error) {})
	time.AfterFunc(100*time.Millisecond, cancel)
	check.Refuses(t, "context", m.Predict(make([]float64, 3), []float64{1, 1}), context.Canceled.Error())
}

// The version of a program, and the bytes of its script, are part of what a cell follows from; a time limit
// is not.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	spec := func(script, version string, timeout float64) string {
		check.OK(t, os.WriteFile(filepath.Join(folder, "x.py"), []byte(script), 0o644))
		c := Config{Command: []string{"python3", "x.py"}, Version: []string{"echo", version}, Timeout: timeout}
		check.Must(c.Find(folder))
		return string(check.Must(json.Marshal(c)))
	}
	a := spec("1", "v1", 1)
	same := []bool{spec("1", "v1", 2) == a, spec("2", "v1", 1) == a, spec("1", "v2", 1) == a}
	check.Equal(t, a, same, []bool{true, false, false})
}

// No program outlives this one, even killed while the program computes.
func TestNoOrphan(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere it ends when it next reads")
	}
	if os.Getenv("COMMAND_TEST_PARENT") != "" {
		m := model(t, "hang", 60)
		time.AfterFunc(300*time.Millisecond, func() {
			fmt.Println("pid", m.cmd.Process.Pid)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
		_ = m.Predict(make([]float64, 3), []float64{1, 1})
	}
	cmd := exec.Command(os.Args[0], "-test.run", "TestNoOrphan")
	cmd.Env = append(os.Environ(), "COMMAND_TEST_PARENT=1")
	out, _ := cmd.Output()
	var pid int
	if _, err := fmt.Sscanf(string(out), "pid %d", &pid); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	for range 100 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d runs on", pid)
}

// Each method of scikit-learn knows separate clusters, answers the same from the same seed, and has no
// probability of 0 for a class that it has not seen.
func TestScikitLearn(t *testing.T) {
	var x [][]float64
	var class []int
	for k := range 60 {
		angle := float64(k%3) + float64(k)/300
		x, class = append(x, []float64{2 * math.Cos(2*angle), 2 * math.Sin(2*angle)}), append(class, k%3)
	}
	few := map[string]any{"n_estimators": 20}
	for method, settings := range map[string]map[string]any{
		"forest": few, "extra-trees": few, "boosting": {"min_samples_leaf": 5}, "svm": {"probability": true},
		"logistic": nil, "gaussian-process": nil,
		"mlp": {"max_iter": 500}, "mlp stream": {"learning_rate_init": 0.05},
	} {
		name, mode, _ := strings.Cut(method, " ")
		script := []string{"python3", "../../peers/scikit_learn.py"}
		c := Config{
			Settings: settings, Stream: mode != "",
			Command: append(script[:2:2], name), Version: append(script[:2:2], "--version"),
		}
		if _, err := c.Find("."); err != nil {
			t.Skip(err)
		}
		var before [][]float64
		for range 2 {
			m := check.Must(New(c, 2, 4, random.Source("sklearn")))
			for i := range x {
				check.OK(t, m.Observe(x[i], class[i]))
			}
			p := slices.Collect(slices.Chunk(make([]float64, 4*len(x)), 4))
			check.Must(m.PredictAll(p, x))
			for i, p := range p {
				if slices.Index(p, slices.Max(p)) != class[i] || !(slices.Min(p) > 0) ||
					before != nil && !slices.Equal(p, before[i]) {
					t.Errorf("%s: %v of class %d, before %v", method, p, class[i], before)
					break
				}
			}
			before = p
			m.Release()
			defer m.Close()
		}
	}
}
