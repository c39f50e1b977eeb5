// Package studies lists all studies.
package studies

import (
	"closedform/runner/internal/studies/calibrate"
	"closedform/runner/internal/studies/stability"
	"closedform/runner/internal/study"
)

// All are the studies that manifests may name.
var All = []study.Kind{
	calibrate.Kind,
	stability.Kind,
}
