package checkpoint

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os/exec"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

//go:embed testdata/read.py
var readPy string

// NumPy reads what Write writes, as the README shows.
func TestPython(t *testing.T) {
	python := findNumPy()
	if python == "" {
		t.Skip("no python3 with numpy")
	}
	for _, cfg := range configs {
		n := trained(cfg)
		cmd := exec.Command(python, "-c", readPy)
		cmd.Stdin = bytes.NewReader(written(t, n))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr.Bytes())
		}
		var got struct {
			Format int
			Layers []int
			Rule   string
			Mean   [][][]float64   // layer, neuron, input
			Cov    [][][][]float64 // layer, neuron, input, input
		}
		check.OK(t, json.Unmarshal(out, &got))
		if got.Format != 4 || got.Rule != string(cfg.Output) || len(got.Layers) != len(cfg.Layers) {
			t.Fatalf("format %d, layers %v, rule %s of %+v", got.Format, got.Layers, got.Rule, cfg)
		}
		for l := range len(cfg.Layers) - 1 {
			mean, cov := n.Weights(l)
			out, in := mean.Dims()
			if len(got.Mean[l]) != out || len(got.Cov[l]) != out {
				t.Fatalf("layer %d: %d means and %d covariances; want %d", l, len(got.Mean[l]), len(got.Cov[l]), out)
			}
			for j := range out {
				if !mat.Equal(mat.NewVecDense(in, got.Mean[l][j]), mean.RowView(j)) {
					t.Errorf("layer %d: mean of neuron %d is %v, want %v", l, j, got.Mean[l][j], mat.Row(nil, j, mean))
				}
				var s []float64
				for _, row := range got.Cov[l][j] {
					s = append(s, row...)
				}
				if !mat.EqualApprox(mat.NewDense(in, in, s), cov[j], 1e-12) {
					t.Errorf("layer %d: covariance of neuron %d is %v, want %v", l, j, s, mat.Formatted(cov[j]))
				}
			}
		}
	}
}

// findNumPy returns a Python that has NumPy, or nothing.
func findNumPy() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} { // another may come first in the path
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	return ""
}
