package experiment

import (
	"context"
	"fmt"

	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Formats are the file formats of a figure.
var Formats = []string{"png", "pdf"}

// Draw returns the files of figures, each drawn only from the published tables that it needs.
func Draw(drawings []study.Figure, read func(name string) (*table.Table, error)) ([]store.File, error) {
	tables, needs := map[string]*table.Table{}, make([]table.Set, len(drawings))
	for i, d := range drawings {
		for _, name := range d.Needs {
			if tables[name] == nil {
				t, err := read(name)
				if err != nil {
					return nil, fmt.Errorf("figure %s needs %w", d.Name, err)
				}
				tables[name] = t
			}
			needs[i] = append(needs[i], tables[name])
		}
	}
	files := make([]store.File, len(drawings)*len(Formats))
	return files, pool.Each(context.Background(), len(drawings), func(_ context.Context, i int) error {
		page, err := drawings[i].Draw(needs[i])
		for k, format := range Formats {
			var data []byte
			if err == nil {
				data, err = page.Encode(format)
			}
			files[i*len(Formats)+k] = store.File{Name: drawings[i].Name + "." + format, Data: data}
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", drawings[i].Name, err)
		}
		return nil
	})
}
