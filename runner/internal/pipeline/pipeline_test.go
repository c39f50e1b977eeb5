package pipeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"closedform/core/random"
	"closedform/figures"
	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

func TestMain(m *testing.M) {
	SourceDigest = func() string { return "1" }
	if os.Getenv(check.AsProgram) == "" {
		os.Exit(m.Run())
	}
	limitFiles()
	if err := command(context.Background(), os.Stdout, os.Stderr, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var program = check.Program(command)

// command does what the program does with these arguments.
func command(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	r := &Request{Words: args, Stdout: stdout, Stderr: stderr}
	name := "run"
	if !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	f := flag.NewFlagSet(name, flag.PanicOnError)
	for name, list := range map[string]*[]string{"exp": &r.Names, "set": &r.Overrides} {
		f.Func(name, "", func(s string) error {
			*list = append(*list, s)
			return nil
		})
	}
	f.BoolVar(&r.All, "all", false, "")
	f.BoolVar(&r.Short, "short", false, "")
	f.BoolVar(&r.Again, "confirm-again", false, "")
	f.StringVar(&r.Out, "out", "", "")
	f.UintVar(&r.Workers, "workers", 2, "")
	f.BoolVar(&r.Quiet, "quiet", false, "")
	behind := f.Bool("check", false, "")
	for f.Parse(args); f.NArg() > 0; f.Parse(f.Args()[1:]) {
		r.Names = append(r.Names, f.Arg(0))
	}
	switch {
	case *behind:
		return Check(stdout)
	case name == "list":
		return List(stdout)
	case name == "verify":
		return r.Verify(ctx)
	case name == "draw":
		return r.Draw(ctx)
	}
	return check.Err(r.Run(ctx))
}

// published is a run of a manifest of the name small.
func published(t *testing.T, manifest string) (m, out, dir string) {
	t.Helper()
	m, out = check.Write(t, manifest), t.TempDir()
	program.Run(t, "-exp", m, "-out", out)
	return m, out, filepath.Join(out, "small")
}

// changeSources makes the program one of other sources, until the end of the test.
func changeSources(t *testing.T, digest string) {
	t.Helper()
	was := SourceDigest
	SourceDigest = func() string { return digest }
	t.Cleanup(func() { SourceDigest = was })
}

// edit returns the text with each old, which is there once, replaced by the new after it.
func edit(t testing.TB, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i < len(oldNew); i += 2 {
		if n := strings.Count(text, oldNew[i]); n != 1 {
			t.Fatalf("%q is there %d times, not once", oldNew[i], n)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

// cellFiles returns the files of the finished cells of a results folder.
func cellFiles(dir string) []string { return check.Glob(dir, "cells", "*.cell") }

// checksummed returns by name all files of a results folder that must be the same bytes on every run, after
// comparing them with SHA256SUMS.
func checksummed(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range check.Glob(dir, "*") {
		if name := filepath.Base(path); !slices.Contains([]string{"cells", "run.json", "README.md"}, name) {
			files[name] = check.Read(path)
		}
	}
	differing := check.Must(store.OpenResults(dir)).Differing(true)
	check.Equal(t, "files that differ from SHA256SUMS", len(differing), 0)
	return files
}

// same compares two sets of files, of which want must not be empty.
func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	check.Equal(t, "files", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	for name, text := range want {
		check.True(t, got[name] == text, "%s: other bytes", name)
	}
	check.Equal(t, "nothing to compare with", len(want) == 0, false)
}

// snapshot returns all that is under a folder, with its time, to compare by same.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			files[path] = ""
			return err
		}
		info, err := e.Info()
		if err == nil {
			files[path] = info.ModTime().String() + check.Read(path)
		}
		return err
	})
	check.OK(t, err)
	return files
}

// Toy is a study that draws random walks, with its manifest.
type Toy struct {
	Threshold float64        `toml:"threshold"` // of the summary
	Title     string         `toml:"title"`     // of the figures
	File      string         `toml:"file,omitempty"`
	Reads     []string       `toml:"sources,omitempty"`
	Noted     bool           `toml:"noted"` // with a note
	Model     ToyModel       `toml:"model"`
	Methods   []toyMethod    `toml:"method" inherit:"model"`
	Sweep     manifest.Sweep `toml:"sweep"`
	study.Plain
	manifest *manifest.Manifest
	seeds    []int
	data     string
	source   *table.Table
}

// ToyModel is embedded, so that its name must be exported.
type ToyModel struct {
	Scale  float64 `toml:"scale" check:"required" range:"1e-300 1e300"`
	Points int     `toml:"points"`
	Sleep  int     `toml:"sleep"` // milliseconds of each point
	Fail   bool    `toml:"fail"`
}

type toyMethod struct {
	Name string `toml:"name"`
	ToyModel
}

type toyDerived struct{ Toy } // reads results

func newToy(m *manifest.Manifest) (study.Experiment, error) {
	t := &Toy{Title: "Walks", Model: ToyModel{Scale: 1, Points: 5}}
	e, err := study.Decode(m, t)
	if len(t.Reads) > 0 {
		e = &toyDerived{*t}
	}
	return e, err
}

func (t *Toy) SetUp(m *manifest.Manifest) (err error) {
	t.manifest = m
	t.seeds, err = m.Seeds(t.Sweep.Seed)
	return err
}

func (t *Toy) Files() (paths, about []string) {
	if t.File == "" {
		return nil, nil
	}
	return []string{filepath.Join(t.manifest.Folder, t.File)}, []string{t.File + ": so many points"}
}

func (t *Toy) Prepare(context.Context) error {
	if t.File == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(t.manifest.Folder, t.File))
	t.data = string(data)
	return err
}

func (t *toyDerived) Sources() []string { return t.Reads }

func (t *toyDerived) Use(read func(name string) (*table.Table, error)) (err error) {
	t.source, err = read(t.Reads[0] + "/summary")
	return err
}

func (t *Toy) Result(tables table.Tables, _ map[string]float64) (r study.Result) {
	if t.Noted {
		runs := tables.Get("runs")
		_ = runs.Where("method", t.Methods[0].Name).Texts("end")[0] // panics if the method has no rows
		r.Notes = []string{fmt.Sprintf("%d walks", runs.Len())}
	}
	return r
}

func (t *Toy) Cells() (cells []study.Cell) {
	for _, m := range t.Methods {
		for _, seed := range t.seeds {
			cells = append(cells, study.Cell{
				Key: fmt.Sprintf("%s seed=%d", m.Name, seed), Spec: []any{m, seed, t.data},
				Run: study.Tables(func(ctx context.Context) (table.Tables, error) { return t.walk(ctx, m, seed) }),
			})
		}
	}
	return cells
}

func (t *Toy) walk(ctx context.Context, m toyMethod, number int) (table.Tables, error) {
	if m.Fail {
		return nil, errors.New("lost its way")
	}
	method, seed := table.Text("method", "who walks"), table.Int("seed", "of the walk")
	walks := table.New("walks", method, seed, table.Int("k", "steps"), table.Num("x", "place").Rounded(6))
	walks.Packed = true
	runs := table.New("runs", method, seed, table.Num("end", "last |place|"))
	r := rand.New(random.Source(t.manifest.Name, number, "walk"))
	x := float64(len(t.data))
	for k := range m.Points {
		for range m.Sleep {
			time.Sleep(time.Millisecond)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		x += m.Scale * r.NormFloat64()
		walks.Add(m.Name, number, k+1, x)
	}
	runs.Add(m.Name, number, x)
	return table.Tables{walks, runs}, nil
}

func (t *Toy) Tables(cells []table.Tables) table.Tables {
	set := table.Merge(cells)
	if t.source != nil {
		return table.Tables{t.source}
	}
	above := table.Int("above", "how many end above the threshold")
	summary := table.New("summary", table.Text("method", "who walks"), above)
	for _, g := range set.Get("runs").GroupBy("method") {
		n := 0
		for _, x := range g.Nums("end") {
			if x > t.Threshold {
				n++
			}
		}
		summary.Add(g.Texts("method")[0], n)
	}
	return append(set, summary)
}

func (t *Toy) Figures() []study.Figure {
	chart := func(name, x, y string) study.Figure {
		return plots.Drawing(name, name, func(of *table.Table) *figures.Figure {
			c := figures.Chart{Title: t.Title, X: figures.Axis{Label: x}, Y: figures.Axis{Label: y}}
			for _, m := range t.Methods {
				rows := of.Where("method", m.Name)
				if rows.Len() == 0 {
					panic("no rows of " + m.Name)
				}
				c.Curves = append(c.Curves, figures.Curve{Name: m.Name, X: rows.Nums(x), Y: rows.Nums(y)})
			}
			return figures.Charts([][]figures.Chart{{c}})
		})
	}
	switch {
	case t.Title == "":
		return nil
	case t.Noted:
		return []study.Figure{chart("runs", "seed", "end")}
	}
	return []study.Figure{chart("walks", "k", "x"), chart("runs", "seed", "end")}
}

// small is a manifest of the toy study with 4 cells and no figures; drawn has them.
const small = `name  = "small"
study = "toy"
seed  = 2
title = ""
threshold = 0.5

[model]
scale  = 0.3
points = 5

[sweep]
seed = [1, 2]

[[method]]
name = "joint"

[[method]]
name  = "total"
scale = 2
`

var drawn = strings.Replace(small, `title = ""`, `title = "Walks"`, 1)

// named returns the manifest small with another name.
func named(name string) string { return strings.Replace(small, "small", name, 1) }

func init() {
	Kinds = append(Kinds, study.Kind{Name: "toy", Asks: "Where do they end?", New: newToy})
}
