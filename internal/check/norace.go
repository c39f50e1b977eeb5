//go:build !race

package check

const race = false
