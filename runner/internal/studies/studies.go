// Package studies lists all studies.
package studies

import (
	"closedform/runner/internal/studies/ablation"
	"closedform/runner/internal/studies/claims"
	"closedform/runner/internal/studies/compare"
	"closedform/runner/internal/studies/hidden"
	"closedform/runner/internal/studies/learn"
	"closedform/runner/internal/studies/moments"
	"closedform/runner/internal/studies/order"
	"closedform/runner/internal/studies/posterior"
	"closedform/runner/internal/studies/sorted"
	"closedform/runner/internal/studies/unknown"
	"closedform/runner/internal/study"
)

// All are the studies that manifests may name.
var All = []study.Kind{
	learn.Kind,
	ablation.Kind,
	claims.Kind,
	compare.Kind,
	hidden.Kind,
	order.Kind,
	sorted.Kind,
	posterior.Kind,
	unknown.Kind,
	moments.Kind,
}
