// Package studies lists all studies.
package studies

import (
	"closedform/runner/internal/studies/ablation"
	"closedform/runner/internal/studies/claims"
	"closedform/runner/internal/studies/learn"
	"closedform/runner/internal/studies/mccheck"
	"closedform/runner/internal/studies/moments"
	"closedform/runner/internal/studies/posterior"
	"closedform/runner/internal/studies/stability"
	"closedform/runner/internal/studies/unknown"
	"closedform/runner/internal/study"
)

// All are the studies that manifests may name.
var All = []study.Kind{
	learn.Kind,
	ablation.Kind,
	claims.Kind,
	posterior.Kind,
	unknown.Kind,
	stability.Kind,
	moments.Kind,
	mccheck.Kind,
}
