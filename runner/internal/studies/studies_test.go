package studies

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
)

const experiments = "../../../experiments"

// Every manifest is one of a study, and is read back the same when all is spelled out.
func TestManifests(t *testing.T) {
	reference := check.Read(experiments, "KEYS.md")
	files := check.Glob(experiments, "*.toml")
	used := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		first := resolve(t, file)
		spelled := filepath.Join(t.TempDir(), name+".toml")
		check.OK(t, os.WriteFile(spelled, first, 0o666))
		check.Equal(t, name+" spelled out again", string(resolve(t, spelled)), string(first))
		var all map[string]any
		check.Must(toml.Decode(string(first), &all))
		used[all["study"].(string)] = true
	}
	for _, kind := range All {
		if !used[kind.Name] || !strings.Contains(reference, "| `"+kind.Name+"` |") {
			t.Errorf("no manifest is of the study %s, or KEYS.md does not have it", kind.Name)
		}
	}
}

// Every key that a manifest can have is in KEYS.md.
func TestEveryKey(t *testing.T) {
	reference := check.Read(experiments, "KEYS.md")
	tag := regexp.MustCompile(`toml:"(\w+)`)
	folders := "../manifest ../data ../learner ../plots . * ../../dataset ../../../baselines/learners/*"
	for folder := range strings.FieldsSeq(folders) {
		for _, file := range check.Glob(folder, "*.go") {
			if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "decode.go" {
				continue
			}
			for _, m := range tag.FindAllStringSubmatch(check.Read(file), -1) {
				check.True(t, explains(reference, m[1]), "%s: KEYS.md does not have the key %s", file, m[1])
			}
		}
	}
}

// explains reports whether the reference has a key or a table.
func explains(reference, key string) bool {
	return strings.Contains(reference, "`"+key+"`") || strings.Contains(reference, "["+key+"]")
}

// resolve returns a manifest with every key spelled out.
func resolve(t *testing.T, file string) []byte {
	t.Helper()
	m := check.Must(manifest.Parse(file, check.Must(os.ReadFile(file)), nil))
	for _, kind := range All {
		if kind.Name != m.Study {
			continue
		}
		e := check.Must(kind.New(m))
		out := check.Must(m.Resolved(e))
		if _, ok := e.(study.WithData); !ok && strings.Contains(string(out), "\nfile = ") {
			t.Errorf("%s: reads files, and does not say which", file)
		}
		return out
	}
	t.Fatalf("%s: no study %s", file, m.Study)
	return nil
}

var update = flag.Bool("update", false, "write the tables of keys into KEYS.md again")

// root is the folder of the module, relative to this package.
const root = "../../../"

// inspect calls f with every node of the Go files of a package, and with the file.
func inspect(t *testing.T, dir string, f func(n ast.Node, file *ast.File)) {
	t.Helper()
	for _, name := range check.Glob(root, dir, "*.go") {
		if !strings.HasSuffix(name, "_test.go") {
			file := check.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments))
			ast.Inspect(file, func(n ast.Node) bool {
				f(n, file)
				return true
			})
		}
	}
}

// sentence ends the first sentence of a comment.
var sentence = regexp.MustCompile(`\.( [A-Z].*)?$`)

// comment returns the first sentence of a comment, without the name that it begins with.
func comment(name *ast.Ident, doc, line *ast.CommentGroup) string {
	text := sentence.ReplaceAllString(strings.Join(strings.Fields(doc.Text()+line.Text()), " "), "")
	return regexp.MustCompile("^"+name.Name+"(:| is| are| has)? ").ReplaceAllString(text, "")
}

// words returns the constants of a type of texts, and the rows of their table.
func words(t *testing.T, dir, kind string) (words []string, rows string) {
	var names []string // with the words
	inspect(t, dir, func(n ast.Node, _ *ast.File) {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Type != nil && fmt.Sprint(spec.Type) == kind && len(spec.Values) == 1 {
			word := "`" + strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`) + "`"
			words, names = append(words, word), append(names, " "+spec.Names[0].Name+" ", " "+word+" ",
				" "+spec.Names[0].Name+",", " "+word+",")
			rows += fmt.Sprintf("| %s | %s |\n", word, comment(spec.Names[0], spec.Doc, spec.Comment))
		}
	})
	return words, strings.NewReplacer(names...).Replace(rows)
}

// types are the values of fields, as package field calls them.
var types = map[string]string{
	"bool": "`true`, `false`", "int": "an integer", "float64": "a number", "string": "a text", "any": "a value",
	"Ints":   "a list, each an integer, or a range such as `\"1..20\"`",
	"Lambda": "a number > 0, `slope`, `lsq`, `minimax`",
}

// values returns the words of an enumeration, or what a type holds.
func values(t *testing.T, dir string, file *ast.File, kind ast.Expr) string {
	name := fmt.Sprint(kind)
	switch kind := kind.(type) {
	case *ast.MapType:
		return "a table"
	case *ast.ArrayType:
		each := values(t, dir, file, kind.Elt)
		if strings.HasPrefix(each, "`") {
			return each // words
		}
		return "a list, each " + each
	case *ast.SelectorExpr:
		name = kind.Sel.Name
		for _, spec := range file.Imports {
			from, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "closedform/")
			if ours && path.Base(from) == fmt.Sprint(kind.X) {
				dir = from
			}
		}
	}
	if words, _ := words(t, dir, name); words != nil {
		return strings.Join(words, ", ")
	}
	return types[name]
}

// rows returns the rows of the keys of a struct, which a type or a field is.
func rows(t *testing.T, dir, name string) (rows string) {
	inspect(t, dir, func(n ast.Node, file *ast.File) {
		var kind ast.Expr
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == name {
			kind = spec.Type
		} else if field, ok := n.(*ast.Field); ok && len(field.Names) == 1 && field.Names[0].Name == name {
			kind = field.Type
		}
		if structure, ok := kind.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				rows += row(t, dir, file, field)
			}
		}
	})
	return rows
}

// row returns the row of a field: its key, its comment with the default, and what is allowed.
func row(t *testing.T, dir string, file *ast.File, f *ast.Field) string {
	if f.Tag == nil || len(f.Names) == 0 {
		return ""
	}
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
	key, _, _ := strings.Cut(tag.Get("toml"), ",")
	if key == "" || key == "-" {
		return ""
	}
	what := comment(f.Names[0], f.Doc, f.Comment)
	check.True(t, what != "", "the field of the key %s in %s has no comment", key, dir)
	if standard := tag.Get("default"); standard != "" {
		what += "; default " + standard
	}
	allowed := field.Allowed(tag, values(t, dir, file, f.Type))
	if tag.Get("words") != "" {
		allowed = strings.ReplaceAll(allowed, `"`, "`")
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", key, what, allowed)
}

// The tables of KEYS.md are those of the code: after a line <!-- baselines/learners/kalman.Config -->, which
// may name several structs, or the type of an enumeration. make keys writes them.
func TestKeys(t *testing.T) {
	file := filepath.Join(experiments, "KEYS.md")
	is := check.Read(file)
	marker := regexp.MustCompile(`(?m)^<!-- (.*) -->\n(\|.*\n)*`)
	made := marker.ReplaceAllStringFunc(is, func(text string) string {
		names, head, table := marker.FindStringSubmatch(text)[1], "| key | what | allowed |\n|---|---|---|\n", ""
		for name := range strings.FieldsSeq(names) {
			dir, kind := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)[1:]
			if table += rows(t, dir, kind); table == "" {
				head = "| word | what |\n|---|---|\n"
				_, table = words(t, dir, kind)
			}
			check.True(t, table != "", "KEYS.md names %s, which has no keys and no words", name)
		}
		return "<!-- " + names + " -->\n" + head + table
	})
	if *update {
		check.Write(t, made, file)
	} else if made != is {
		old, lines := strings.Split(is, "\n"), strings.Split(made, "\n")
		k := slices.IndexFunc(lines, func(line string) bool { return !slices.Contains(old, line) })
		t.Errorf("KEYS.md differs from the code; make keys writes it. Line %d should be\n%s", k+1,
			lines[max(k, 0)])
	}
}
