package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/BurntSushi/toml"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

const ownUsage = `Usage: runner run -data FILE -class COLUMN [flags]

Looks at the columns of a table, writes a manifest beside it, and runs that: it learns
three quarters of the rows, tests the others, or the rows of -test, and keeps the network. Edit the manifest
and run it by -exp to do otherwise.

Flags:
`

// ownTable is the command "run" with -data.
func ownTable(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("data", "", "CSV `file` with a header line: commas, semicolons or tabs; or packed, .csv.gz")
	class := flags.String("class", "class", "`column` of the classes")
	test := flags.String("test", "", "CSV `file` of test rows with the same columns; default: a quarter of the rows of -data")
	out := flags.String("out", "results", "`folder` in which the results folder is")
	quiet := flags.Bool("quiet", false, "show no progress on stderr")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, ownUsage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return err
	} else if err != nil {
		return fmt.Errorf("%w: run -data: %v", errUsage, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: run -data: unexpected argument %q", errUsage, flags.Arg(0))
	}
	t, err := dataset.ReadTable(*file)
	if err != nil {
		return err
	}
	p, err := t.Profile(*class)
	if err != nil {
		return err
	}
	printProfile(stdout, *file, t, p)
	if len(p.Problems) > 0 {
		return fmt.Errorf("%s: nothing can be learned: %s", *file, strings.Join(p.Problems, "; "))
	}
	manifest, err := ownManifest(*file, *test, t, p)
	if err != nil {
		return err
	}
	path := strings.TrimSuffix(strings.TrimSuffix(*file, ".gz"), filepath.Ext(strings.TrimSuffix(*file, ".gz"))) + ".toml"
	switch old, err := os.ReadFile(path); {
	case err == nil && string(old) != manifest:
		return fmt.Errorf("%s is there, and is not what would be written: run it by -exp %[1]s, or remove it", path)
	case err != nil:
		if err := store.WriteFile(path, []byte(manifest)); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "\nmanifest: %s\n", path)
	rest := []string{"-exp", path, "-out", *out}
	if *quiet {
		rest = append(rest, "-quiet")
	}
	if err := run(ctx, stdout, stderr, rest); err != nil {
		return err
	}
	network := filepath.Join(*out, ownName(*file), "network.npz")
	fmt.Fprintf(stdout, "\nnew rows: go run ./runner -predict %s -data FILE -wrong 0.05\n", network)
	return nil
}

func printProfile(w io.Writer, file string, t *dataset.Table, p *dataset.Profile) {
	fmt.Fprintf(w, "%s: %d rows\n\n", file, len(t.Cells))
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "  column\tkind\tvalues\tmissing\t\n")
	for _, c := range p.Columns {
		fmt.Fprintf(tab, "  %s\t%s\t%d\t%d\t%s\n", c.Name, c.Kind, c.Distinct, c.Missing, map[bool]string{true: "ignored"}[c.Ignored])
	}
	tab.Flush()
	for _, text := range p.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", text)
	}
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// ownName returns the name of the experiment with a file.
func ownName(file string) string {
	base, _, _ := strings.Cut(filepath.Base(file), ".")
	return cmp.Or(strings.Trim(notName.ReplaceAllString(base, "_"), "_"), "own")
}

// ownManifest returns the manifest for a table and, if there is one, a test table.
func ownManifest(file, test string, t *dataset.Table, p *dataset.Profile) (string, error) {
	type data struct {
		File string `toml:"file"`
		dataset.Format
		TestFile     string  `toml:"test_file,omitempty"`
		TestFraction float64 `toml:"test_fraction,omitzero"`
	}
	d := data{filepath.Base(file), p.Format, "", 0.25}
	if test != "" {
		d.Missing = cmp.Or(d.Missing, dataset.MissingMean) // the test table may have gaps that the other has not
		if d.TestFile, d.TestFraction = test, 0; !filepath.IsAbs(test) {
			relative, err := filepath.Rel(filepath.Dir(file), test)
			if err != nil {
				return "", err
			}
			d.TestFile = relative
		}
	}
	seeds, snapshots := `"1..5"`, ""
	if len(t.Cells) > 5000 {
		seeds, snapshots = "[1]", "\nsnapshots = [1000]          # and after all: predicting the test rows takes time"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Written by run -data, to be edited. experiments/README.md lists all keys.

name  = %q
study = "learn"
seed  = 1

`, ownName(file))
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(map[string]any{"data": d})
	fmt.Fprintf(&b, `
[sweep]
seed = %s                # splits into training and test rows

[evaluate]
classes = true              # recall, precision and AUROC of each class, and what is taken for what%s

[[method]]
name = "network"
kind = "closed-form"
hidden_layers = [50]

# Two to compare with: a network without hidden layers, and the frequencies of the classes.

[[method]]
name = "linear"
kind = "closed-form"
hidden_layers = []

[[method]]
name = "majority"
kind = "majority"

[save]
network = true
`, seeds, snapshots)
	return b.String(), err
}
