// Package command is a learner in any language: a program that reads examples and inputs from its standard
// input, and writes the probabilities of the classes to its standard output.
//
// A line with a JSON object of keys inputs, classes, seed, stream and settings begins a model, and ends the
// one before it. Blocks follow. The line "learn n" comes before n lines of examples: the inputs, and the
// class from 0, with commas. The line "predict n" comes before n lines of inputs; the program answers with n
// lines, the probability of each class. With stream each example is a block learn; without, all examples are
// one block, the first of the model. The program ends when its input does. Errors quote its standard error.
package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"closedform/baselines/learners/mlp"
	"closedform/core/bnn"
	"closedform/internal/field"
)

// Config describes a program. Fields without JSON change no number.
type Config struct {
	Command []string `toml:"command" check:"required"` // the program that learns, and its arguments
	// Version is a command that prints the version of the program.
	Version  []string       `toml:"version" check:"required" json:"-"`
	Settings map[string]any `toml:"settings,omitempty"` // values for the program; default none
	// Stream makes it learn one example after another; default false.
	Stream  bool    `toml:"stream"`
	Timeout float64 `toml:"timeout" json:"-" default:"600" range:"0.01 86400"` // seconds until an answer

	// Find sets the rest.

	Program string    `toml:"program,omitempty"` // written into the manifest of the results: what version prints
	Sums    []string  `toml:"sums,omitempty"`    // written, too: SHA-256 of the files that command names
	folder  string    // the program runs in this folder
	idle    *sync.Map // released processes, by the context that ends them
}

// Online reports whether the program sees one example after another.
func (c Config) Online() bool { return c.Stream }

// Find sets Sums, runs Version, and sets and returns Program, once. Paths are relative to the folder.
func (c *Config) Find(folder string) (string, error) {
	if c.folder != "" {
		return c.Program, nil
	}
	c.Sums = nil
	for _, name := range c.Command {
		if data, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			c.Sums = append(c.Sums, fmt.Sprintf("%s %x", name, sha256.Sum256(data)))
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, c.Version[0], c.Version[1:]...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	text := strings.Join(strings.Fields(string(out)), " ")
	if err != nil || text == "" {
		problem := cmp.Or(lastLines(out), fmt.Sprint(err))
		return "", field.Errorf("version", "%s: %s", strings.Join(c.Version, " "), problem)
	}
	c.Program, c.folder, c.idle = text, folder, &sync.Map{}
	return text, nil
}

// Model is a trained program. The program runs from the first example or input that it gets until Close,
// Release, a failure, or the end of the context of Bind. After a failure every call returns its error.
type Model struct {
	cfg             Config
	inputs, classes int
	seed            uint64
	ctx             context.Context
	onFailure       func(error)

	x     [][]float64 // the examples, if the program does not learn a stream
	class []int

	*process         // nil: the program is not running
	begun    bool    // whether the program has received all examples
	spent    float64 // processor seconds of the processes that have ended
	failed   error
}

// New returns a model without examples. The seed of the program is drawn from src.
func New(cfg Config, inputs, classes int, src rand.Source) (*Model, error) {
	if err := field.Resolve(&cfg); err != nil {
		return nil, err
	}
	return &Model{
		cfg: cfg, inputs: inputs, classes: classes, seed: src.Uint64() >> 33,
		ctx: context.Background(), onFailure: func(error) {},
	}, nil
}

// Bind kills the program when ctx ends, and calls onFailure with errors of the program, but not with those of
// invalid examples and inputs. Call it before the first example or input.
func (m *Model) Bind(ctx context.Context, onFailure func(error)) { m.ctx, m.onFailure = ctx, onFailure }

// Observe hands an example to the program, or without a stream keeps it until the next prediction.
func (m *Model) Observe(x []float64, class int) error {
	if err := cmp.Or(field.Class(class, m.classes), field.Input(x, m.inputs)); err != nil {
		return err
	}
	if m.cfg.Stream {
		return m.during(func() error { return m.write("learn", [][]float64{x}, []int{class}) })
	}
	m.x, m.class, m.begun = append(m.x, slices.Clone(x)), append(m.class, class), false
	return m.failed
}

// Predict sets p to the probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error {
	_, err := m.PredictAll([][]float64{p}, [][]float64{x})
	return err
}

// PredictAll sets p_i to the probabilities at x_i, all of one block.
func (m *Model) PredictAll(p, x [][]float64) ([][]bnn.Layer, error) {
	for i := range x {
		mlp.CheckProbabilities(p[i], m.classes)
		if err := field.Input(x[i], m.inputs); err != nil {
			return nil, err
		}
	}
	return nil, m.during(func() error {
		if err := cmp.Or(m.write("predict", x, nil), m.in.Flush()); err != nil {
			return err
		}
		for i := range p {
			line, err := m.out.ReadString('\n')
			if err != nil {
				return err
			}
			if err := parse(p[i], strings.TrimSpace(line)); err != nil {
				return err
			}
		}
		if m.out.Buffered() > 0 {
			return fmt.Errorf("answered %d inputs with more lines than that", len(p))
		}
		return nil
	})
}

func parse(p []float64, line string) error {
	numbers, sum := strings.Split(line, ","), 0.
	for i := 0; i < len(p) && len(numbers) == len(p); i++ {
		var err error
		if p[i], err = strconv.ParseFloat(strings.TrimSpace(numbers[i]), 64); err != nil || !(p[i] >= 0) {
			sum = math.NaN()
		}
		sum += p[i]
	}
	if !(math.Abs(sum-1) <= 1e-6) {
		return fmt.Errorf("answered %.200q; allowed: %d probabilities with the sum 1, separated by commas",
			line, len(p))
	}
	return nil
}

func (m *Model) write(word string, x [][]float64, class []int) error {
	fmt.Fprintf(m.in, "%s %d\n", word, len(x))
	for i, x := range x {
		line := m.in.AvailableBuffer()
		for _, v := range x {
			line = append(strconv.AppendFloat(line, v, 'g', -1, 64), ',')
		}
		if class != nil {
			line = append(strconv.AppendInt(line, int64(class[i]), 10), ',')
		}
		line[len(line)-1] = '\n'
		m.in.Write(line)
	}
	_, err := m.in.Write(nil) // Write returns the error of an earlier write, too
	return err
}

func (m *Model) during(do func() error) (err error) {
	if m.failed != nil {
		return m.failed
	}
	if m.process == nil {
		if p, idle := m.cfg.idle.LoadAndDelete(m.ctx); idle {
			m.process = p.(*process)
		} else if m.process, err = start(m.ctx, m.cfg.folder, m.cfg.Command); err != nil {
			return m.fail(err)
		}
	}
	timeout := time.Duration(m.cfg.Timeout * float64(time.Second))
	timer := time.AfterFunc(timeout, m.kill)
	if !m.begun {
		err = m.begin()
		m.begun = true
	}
	if err == nil {
		err = do()
	}
	if !timer.Stop() {
		err = fmt.Errorf("no answer after %v", timeout)
	}
	if err = cmp.Or(m.ctx.Err(), err); err != nil {
		return m.fail(err)
	}
	return nil
}

func (m *Model) begin() error {
	head, err := json.Marshal(map[string]any{
		"inputs": m.inputs, "classes": m.classes, "seed": m.seed,
		"stream": m.cfg.Stream, "settings": m.cfg.Settings,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(m.in, "%s\n", head)
	if !m.cfg.Stream && err == nil {
		err = m.write("learn", m.x, m.class)
	}
	return err
}

func (m *Model) fail(err error) error {
	lines := ""
	if p := m.process; p != nil {
		m.spent += p.end()
		m.process = nil
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
			err = fmt.Errorf("ended without an answer: %v", p.cmd.ProcessState)
		}
		if lines = lastLines(p.stderr); lines != "" {
			lines = "; its last lines:\n  " + strings.ReplaceAll(lines, "\n", "\n  ")
		}
	}
	m.failed = fmt.Errorf("%s: %w%s", strings.Join(m.cfg.Command, " "), err, lines)
	m.onFailure(m.failed)
	return m.failed
}

// Release leaves the program to the next model of the same context and method.
func (m *Model) Release() {
	if m.process != nil {
		if other, ok := m.cfg.idle.Swap(m.ctx, m.process); ok {
			m.spent += other.(*process).end()
		}
		m.process, m.failed = nil, errors.New("command: used after Release")
	}
}

// Close ends the program, also a released one, and returns the processor seconds of those that have ended.
func (m *Model) Close() (seconds float64) {
	m.Release()
	if p, ok := m.cfg.idle.LoadAndDelete(m.ctx); ok {
		m.spent += p.(*process).end()
	}
	return m.spent
}
