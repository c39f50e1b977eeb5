package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
)

// CrateFile describes the results for programs, as RO-Crate 1.1 (https://w3id.org/ro/crate/1.1),
// beside a page that links to files.
const CrateFile = "ro-crate-metadata.json"

// entity is a node of JSON-LD. Its keys are written in alphabetical order.
type entity map[string]any

// ref refers to an entity by its @id.
func ref(id any) entity { return entity{"@id": id} }

const (
	license = "https://spdx.org/licenses/BSD-3-Clause"
	program = "#closedform"
)

// crate returns the metadata of the published experiments, nil if there are none: a Dataset for each, with its
// committed files as schema.json lists them, and the run that made it as run.json records it.
func (v *view) crate() []byte {
	var entities, parts, runs []entity
	var latest time.Time
	for _, g := range v.Groups {
		for _, s := range g.Sections {
			if s.Own || s.Run == nil {
				continue
			}
			set, files := s.dataset(v.Page)
			run := s.createAction(set["@id"])
			parts, runs = append(parts, ref(set["@id"])), append(runs, ref(run["@id"]))
			entities = append(append(entities, set, run), files...)
			if s.Run.Start.After(latest) {
				latest = s.Run.Start
			}
		}
	}
	if parts == nil {
		return nil
	}
	graph := append([]entity{
		{
			"@id": CrateFile, "@type": "CreativeWork", "about": ref("./"),
			"conformsTo": ref("https://w3id.org/ro/crate/1.1"),
		},
		{
			"@id": "./", "@type": "Dataset", "name": "closedform: results", "license": ref(license),
			"description":   "Tables and figures of experiments with closed-form Bayesian neural networks, and how each was made.",
			"datePublished": latest.Format(time.DateOnly), "hasPart": parts, "mentions": runs,
		},
		{"@id": license, "@type": "CreativeWork", "name": "BSD 3-Clause", "identifier": license},
		{"@id": program, "@type": "SoftwareApplication", "name": "closedform", "license": ref(license)},
	}, entities...)
	var lines []string
	for _, e := range graph {
		line, err := json.Marshal(e)
		if err != nil {
			panic("report: " + err.Error()) // It has text only.
		}
		lines = append(lines, string(line))
	}
	return fmt.Appendf(nil, "{\"@context\":\"https://w3id.org/ro/crate/1.1/context\",\"@graph\":[\n%s\n]}\n", strings.Join(lines, ",\n"))
}

// dataset returns the folder of an experiment and the files in it.
func (s *section) dataset(p *Page) (set entity, files []entity) {
	var parts []entity
	add := func(name, about string) {
		if id := p.path(s.Name, name); id != "" {
			format := map[string]string{".csv": "text/csv", ".json": "application/json", ".md": "text/markdown", ".png": "image/png", ".toml": "application/toml"}
			file := entity{"@id": id, "@type": "File", "name": name, "description": about, "encodingFormat": cmp.Or(format[path.Ext(name)], "text/plain")}
			files, parts = append(files, file), append(parts, ref(id))
		}
	}
	add("README.md", "every table and column in words")
	add("manifest.toml", "every value of the experiment")
	add("run.json", "code, machine and times of the run")
	add("schema.json", "tables, columns and figures, for programs")
	add("SHA256SUMS", "checksums")
	for _, t := range s.schema.Tables {
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
		if !strings.HasSuffix(t.File, ".gz") { // not committed
			add(t.File, "columns: "+strings.Join(columns, ", "))
		}
	}
	for _, f := range s.schema.Figures {
		add(f.Name+".png", "drawn from "+strings.Join(f.Needs, ", "))
	}
	return entity{
		"@id": url.PathEscape(s.Name) + "/", "@type": "Dataset", "name": s.Name, "description": strings.TrimSpace(s.Asks + " " + s.Finding), "hasPart": parts,
	}, files
}

// createAction returns the run that made the results.
func (s *section) createAction(result any) entity {
	end := s.Run.Start.Add(time.Duration(s.Run.Seconds * float64(time.Second)))
	return entity{
		"@id": "#run-" + url.PathEscape(s.Name), "@type": "CreateAction", "name": s.Command, "instrument": ref(program),
		"object": ref(url.PathEscape(s.Name) + "/manifest.toml"), "result": ref(result),
		"description": fmt.Sprintf("source digest %s, commit %s (%s tree), %s", s.Run.SourceDigest, s.Run.Commit, s.Run.Tree, s.Run.Go),
		"startTime":   s.Run.Start.Format(time.RFC3339), "endTime": end.Format(time.RFC3339),
	}
}
