package report

import (
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// What a README says of its files can be read, and written again.
func TestDescribed(t *testing.T) {
	r := README{Tables: means(), Kept: []string{"network.npz", "other.npz"}}
	text := string(r.Markdown())
	var again README
	again.Tables, again.Kept = Described([]byte(text))
	check.Equal(t, "written again", string(again.Markdown()), text)
	check.Equal(t, "kept", again.Kept, r.Kept)
	for k, got := range again.Tables {
		check.Equal(t, "packed", got.Packed, r.Tables[k].Packed)
		check.OK(t, got.Needs(table.Names(r.Tables[k].Columns)...))
	}
}
