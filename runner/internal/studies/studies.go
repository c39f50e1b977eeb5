// Package studies lists all studies.
package studies

import (
	"closedform/runner/internal/studies/claims"
	"closedform/runner/internal/studies/learn"
	"closedform/runner/internal/studies/moments"
	"closedform/runner/internal/studies/posterior"
	"closedform/runner/internal/studies/unknown"
	"closedform/runner/internal/study"
)

// All are the studies that manifests may name.
var All = []study.Kind{
	learn.Kind,
	claims.Kind,
	posterior.Kind,
	unknown.Kind,
	moments.Kind,
}
