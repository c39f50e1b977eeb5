package store

import (
	"encoding/json"
	"path/filepath"

	"closedform/runner/internal/table"
)

// schemaFile describes a results folder for programs, as its README does for people.
const schemaFile = "schema.json"

// Schema describes the published tables and figures.
type Schema struct {
	Finding string         `json:"finding,omitempty"` // what was found, in a sentence with the numbers of the tables
	Tables  []TableSchema  `json:"tables"`            // the main one first
	Figures []FigureSchema `json:"figures,omitempty"`
	Kept    []string       `json:"kept,omitempty"`  // other files, such as trained networks
	Notes   []string       `json:"notes,omitempty"` // what the run said of its tables

	Programs []string `json:"programs,omitempty"` // programs outside of this one that learned, with their versions
}

// TableSchema is a table, packed or not.
type TableSchema struct {
	File    string         `json:"file"`
	Columns []ColumnSchema `json:"columns"`
}

// ColumnSchema is a column; its Doc names the unit.
type ColumnSchema struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // words, integers or numbers
	Doc  string `json:"doc"`
}

// FigureSchema is a figure, in all of its formats.
type FigureSchema struct {
	Name  string   `json:"name"`
	Needs []string `json:"needs"` // the tables that it is drawn of, without extension
}

// AddTable adds a table.
func (s *Schema) AddTable(t *table.Table) {
	of := TableSchema{File: TableName(t)}
	for _, c := range t.Columns {
		of.Columns = append(of.Columns, ColumnSchema{c.Name, [...]string{"words", "integers", "numbers"}[c.Kind], c.Doc})
	}
	s.Tables = append(s.Tables, of)
}

// File returns the schema as a file.
func (s *Schema) File() File {
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		panic("store: " + err.Error()) // It has text only.
	}
	return File{Name: schemaFile, Data: append(data, '\n')}
}

// ReadSchema reads the schema of a results folder.
func ReadSchema(dir string) (*Schema, error) { return ReadJSON[Schema](filepath.Join(dir, schemaFile)) }
