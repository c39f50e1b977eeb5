package study

import (
	"closedform/figures"
	"closedform/runner/internal/store"
)

func (c *compare) figures(tables []store.Table) []Figure { return nil }

var _ = figures.Charts
