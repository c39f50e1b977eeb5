package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	store "closedform/runner/internal/oldstore"
)

// foreignTolerance is the largest relative difference of two numbers that
// -verify accepts if the results were made on another processor architecture,
// whose fused multiply-adds move last digits.
const foreignTolerance = 1e-6

// verify runs the experiments into a temporary folder and compares the results
// with those in o.out. It names every file that differs. What follows from other
// results follows from those in o.out, too, which are compared themselves.
func verify(ctx context.Context, stdout, stderr io.Writer, o *options, experiments []*experiment, args []string) error {
	for _, e := range experiments {
		if _, err := os.Stat(filepath.Join(o.out, e.m.Name, "SHA256SUMS")); err != nil {
			return fmt.Errorf("%s: no results to compare with: %w", e.m.Name, err)
		}
	}
	temporary, err := os.MkdirTemp("", "closedform-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	fresh := *o
	fresh.out = temporary
	bad := 0
	for _, e := range experiments {
		committed := filepath.Join(o.out, e.m.Name)
		err := e.run(ctx, io.Discard, stderr, &fresh, args)
		if errors.Is(err, context.Canceled) {
			// The finished cells go with the temporary folder.
			return fmt.Errorf("%s: interrupted, not compared: %w", e.m.Name, context.Canceled)
		}
		if err != nil {
			return err
		}
		tolerance := 0.0
		if made, here, err := architectures(committed, filepath.Join(temporary, e.m.Name)); err != nil {
			return err
		} else if made != here {
			tolerance = foreignTolerance
			fmt.Fprintf(stdout, "%s: made on %s, verified on %s: numbers are compared within a relative tolerance of %g, figures are not compared\n", e.m.Name, made, here, tolerance)
		}
		differences, err := store.Compare(committed, filepath.Join(temporary, e.m.Name), tolerance)
		if err != nil {
			return fmt.Errorf("%s: %w", e.m.Name, err)
		}
		before := bad
		for _, d := range differences {
			if !d.Accepted {
				bad++
			}
			fmt.Fprintf(stdout, "%s: %v\n", e.m.Name, d)
		}
		if bad == before {
			fmt.Fprintf(stdout, "%s: verified\n", e.m.Name)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d files differ from the results in %s", bad, o.out)
	}
	return nil
}

// architectures returns on what processor architecture the results in two
// folders were made. Where the first does not tell, it counts as that of the
// second.
func architectures(committed, fresh string) (made, here string, err error) {
	if here, err = architecture(fresh); err != nil {
		return "", "", err
	}
	made, err = architecture(committed)
	if errors.Is(err, os.ErrNotExist) {
		return here, here, nil
	}
	return made, here, err
}

func architecture(folder string) (string, error) {
	data, err := os.ReadFile(filepath.Join(folder, "run.json"))
	if err != nil {
		return "", err
	}
	var run store.Run
	if err := json.Unmarshal(data, &run); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(folder, "run.json"), err)
	}
	return fmt.Sprintf("%s %s", run.GOARCH, run.GOAMD64), nil
}
