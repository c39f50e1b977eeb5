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
	Number map[string]string // references by the names of their macros, which are letters
	Table  []tabular
	Readme struct{ Findings, Output []string } // texts of README.md, for Fill
}

type tabular struct {
	Name, Align, Head string     // of LaTeX
	Rows              [][]string // parts between rules: the fields of each row and, after " : ", its label
	Columns           []string   // references, to which the fields of a row are added
}

// WriteLaTeX writes numbers.tex and, in tables/, a file for each table that the list of the folder names, of
// published tables in results; others in tables/ are removed. Nothing is written if a number is missing.
func WriteLaTeX(folder, results string) error {
	file := filepath.Join(folder, List)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	files, err := latex(file, string(text), Published(results))
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

func latex(file, text string, tables Tables) (files map[string]string, failed error) {
	var l list
	meta, err := toml.Decode(text, &l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	check := func(name string, err error) {
		if err != nil { // at the line where it is a key, or a value at the end
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
		number, err := quote(l.Number[name], tables, `\ensuremath{%s}`,
			`\ensuremath{%s} [\ensuremath{%s},~\ensuremath{%s}]`)
		check(name, err)
		files["numbers.tex"] += fmt.Sprintf("\\newcommand{\\%s}{%s\\xspace}\n", name, number)
	}
	for _, t := range l.Table {
		files["tables/"+t.Name+".tex"], err = t.tex(tables)
		check(t.Name, err)
	}
	return files, failed
}

func (t tabular) tex(tables Tables) (text string, failed error) {
	text = fmt.Sprintf("\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n", t.Align, t.Head)
	for _, part := range t.Rows {
		text += "\\midrule\n"
		columns := make([][]number, len(t.Columns))
		for k, column := range t.Columns {
			for _, row := range part {
				fields, _, _ := strings.Cut(row, " : ")
				cell, err := read(column+" "+fields, tables)
				if columns[k] = append(columns[k], cell); err != nil && !errors.Is(err, errNoValue) {
					failed = errors.Join(failed, fmt.Errorf("%s %s: %w", column, fields, err))
				}
			}
		}
		for i, row := range part {
			line := strings.SplitN(row, " : ", 2)[1:] // the label, if any
			for _, column := range columns {
				line = append(line, column[i].tex(column))
			}
			text += strings.Join(line, " & ") + " \\\\\n"
		}
	}
	return text + "\\bottomrule\n\\end{tabular}\n", failed
}

// tex returns a cell: a text, "--" for no value, or a number, bold if it is best, with half of its interval.
func (n number) tex(column []number) string {
	half := ""
	if n.interval {
		half = " &"
	}
	if n.text == "" || n.format == "" {
		return cmp.Or(escapes.Replace(n.text), "--") + half
	}
	better := func(o number) bool {
		return o.text != "" && n.spell(o.x) != n.spell(n.x) && (o.x < n.x) == (n.best == "lowest")
	}
	text := strings.Replace(n.spell(n.x), "+Inf", `\infty`, 1)
	if n.best != "" && len(column) > 1 && !slices.ContainsFunc(column, better) {
		text = `\mathbf{` + text + "}"
	}
	if n.interval && !math.IsNaN(n.low) {
		half += ` \half{` + n.spell((n.high-n.low)/2) + "}"
	}
	return "$" + text + "$" + half
}

var escapes = strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "λ", `$\lambda$`)
