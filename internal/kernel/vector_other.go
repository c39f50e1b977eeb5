//go:build !amd64 || noasm

package kernel

// There is no assembly: none of the functions below is called.
var vector = false

func dotVector(_, _ []float64) (_ float64)                              { return }
func dot4Vector(_ *[4]float64, _, _ []float64)                          {}
func productsVector(_ *[8]float64, _, _ []float64)                      {}
func addScaled4Vector(_ []float64, _ *[4]float64, _, _, _, _ []float64) {}
func carlsonVector(_, _, _, _ []float64, _ float64)                     {}
func carlson4Vector(_, _ []float64, _, _, _ *[4]float64)                {}
func reflectVector(_, _ []float64, _ int, _ *[5]float64, _ float64)     {}
func forwardVector(_, _ []float64, _, _, _ float64, _, _ []float64)     {}
func backwardVector(_, _, _ []float64) (_, _ float64)                   { return }
func updateVector(_, _, _, _ []float64, _, _, _ float64)                {}
func imageVector(_, _, _, _ []float64) (_ float64)                      { return }
func truncatedVector(_, _, _, _ []float64)                              {}
func expVector(_, _ []float64) (_ int)                                  { return }
func densitiesVector(_, _ []float64)                                    {}
func rectifiedVector(_, _, _, _ []float64)                              {}
