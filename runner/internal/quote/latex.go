package quote

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/store"
)

// List is the name of the file that lists what a LaTeX text quotes.
const List = "numbers.toml"

type list struct {
	Number map[string]string // references by the names of their macros
	Table  []tabular
	Readme struct{ Findings, More, Output []string } // texts of README.md, for Fill
}

type tabular struct {
	Name, Align, Head string     // Align and Head are LaTeX code
	Rows              [][]string // parts between rules: the fields of each row and, after " : ", its label
	Columns           []string   // references, to each of which the fields of a row are added
}

// WriteLaTeX writes the numbers and tables that the list of the folder names, from the published tables in
// results: numbers.tex and, in tables/, a file for each table. It removes all other files in tables/. If a
// number is missing it writes nothing.
func WriteLaTeX(folder, results string) error {
	file := filepath.Join(folder, List)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	files, err := latex(file, string(text), store.Published(results))
	if err != nil {
		return err
	}
	tables := filepath.Join(folder, "tables")
	err = cmp.Or(os.RemoveAll(tables), os.MkdirAll(tables, 0o777))
	for name, text := range files {
		err = cmp.Or(err, store.WriteFile(filepath.Join(folder, name), []byte(text)))
	}
	return err
}

// latex returns the texts of the files by their names.
func latex(file, text string, read Tables) (files map[string]string, failed error) {
	var l list
	meta, err := toml.Decode(text, &l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	check := func(name string, err error) {
		if err != nil { // name is a key, or a text at the end of its line
			before := regexp.MustCompile(`(?m)\b`+regexp.QuoteMeta(name)+`( *=|["']$)`).Split(text, 2)
			err = fmt.Errorf("%s:%d: %s: %w", file, 1+strings.Count(before[0], "\n"), name, err)
		}
		failed = errors.Join(failed, err)
	}
	for _, key := range meta.Undecoded() {
		check(key[len(key)-1], fmt.Errorf("%s is not a key; allowed: name, align, head, rows, columns", key))
	}
	files = map[string]string{"numbers.tex": "% Written from the results by the runner; see " + List + ".\n"}
	for _, name := range slices.Sorted(maps.Keys(l.Number)) {
		number, err := quote(l.Number[name], read, `\ensuremath{%s}`,
			`\ensuremath{%s} [\ensuremath{%s},~\ensuremath{%s}]`)
		check(name, err)
		files["numbers.tex"] += fmt.Sprintf("\\newcommand{\\%s}{%s\\xspace}\n", name, number)
	}
	for _, t := range l.Table {
		files["tables/"+t.Name+".tex"], err = t.tex(read)
		check(t.Name, err)
	}
	return files, failed
}

func (t tabular) tex(read Tables) (text string, failed error) {
	text = fmt.Sprintf("\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n", t.Align, t.Head)
	for _, part := range t.Rows {
		text += "\\midrule\n"
		columns := make([][]number, len(t.Columns))
		for k, column := range t.Columns {
			for _, row := range part {
				fields, _, _ := strings.Cut(row, " : ")
				cell, err := find(column+" "+fields, read)
				if columns[k] = append(columns[k], cell); err != nil && !errors.Is(err, errNoValue) {
					failed = errors.Join(failed, fmt.Errorf("%s %s: %w", column, fields, err))
				}
			}
		}
		for i, row := range part {
			line := strings.SplitN(row, " : ", 2)[1:] // the label of the row, if any
			for _, column := range columns {
				line = append(line, column[i].tex(column))
			}
			text += strings.Join(line, " & ") + " \\\\\n"
		}
	}
	return text + "\\bottomrule\n\\end{tabular}\n", failed
}

// tex returns the cell of a column: a text, or a number, in bold if it is the best of the column. With ci, the
// ends of the interval are in a second cell. A missing value is "--".
func (n *number) tex(column []number) string {
	interval := ""
	if n.interval {
		interval = " &"
	}
	if n.text == "" || n.format == "" {
		text := power.ReplaceAllString(escapes.Replace(n.text), `$$$1$2\cdot10^{$3$4}$$`)
		return cmp.Or(text, "--") + interval
	}
	better := func(o number) bool {
		return o.text != "" && n.round(o.x) != n.round(n.x) && (o.x < n.x) == (n.best == "lowest")
	}
	text := strings.Replace(n.round(n.x), "+Inf", `\infty`, 1)
	if n.best != "" && len(column) > 1 && !slices.ContainsFunc(column, better) {
		text = `\mathbf{` + text + "}"
	}
	if n.interval && !math.IsNaN(n.low) {
		interval += ` \interval{` + n.round(n.low) + "}{" + n.round(n.high) + "}"
	}
	return "$" + text + "$" + interval
}

// power matches a number with a power of ten, such as 1.2e-15.
var power = regexp.MustCompile(`(\B-|\b)([0-9.]+)e\+?(-?)0*([0-9]+)\b`)

var escapes = strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "λ", `$\lambda$`)
