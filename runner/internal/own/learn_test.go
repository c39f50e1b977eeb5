package own

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// learn lets a network learn a table from the standard input, and returns what is printed.
func learn(t *testing.T, o Options, rows string) (stdout, stderr string, err error) {
	t.Helper()
	in := check.Must(os.Open(write(t, "in.csv", rows)))
	defer in.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin, o.Data = in, "-"
	var out, log bytes.Buffer
	_, err = Learn(t.Context(), &out, &log, o)
	return out.String(), log.String(), err
}

// to returns the options by which a network learns and is saved to another file.
func to(t *testing.T, network string) Options {
	o := options(network, "-")
	o.To = filepath.Join(t.TempDir(), "to.npz")
	return o
}

// Classes that the network does not have are added, and the user is told; it predicts them after some rows. A
// stream in two parts, with new classes in both, leaves the same network as in one, and prints the same.
func TestLearnNewClasses(t *testing.T) {
	whole := to(t, trained(t))
	var rows []string
	for part := range slices.Chunk(slices.Repeat(leaves(), 2), 4) {
		rows = append(append(rows, part...), "Fir,4,green,9", "Fir,5,red,9.5")
	}
	rows = append(rows, "Yew,40,red,0", "unknown,40,red,0", "F\xe9,40,red,0")
	before := read(whole.Network)
	out, log, err := learn(t, whole, tableOf(rows...))
	check.OK(t, err)
	check.Equal(t, "the network has changed", read(whole.Network), before)
	contains(t, out, "row,class,probability,confidence,aleatoric,epistemic,mutual_information,familiarity\n1,")
	contains(t, log, `standard input:6: new class "Fir"`, `standard input:182: new class "Yew"`,
		`standard input:183: class "unknown": the word for no class; the row is not learned`,
		"standard input:184: the line is not in UTF-8; ", whole.To+": 183 rows, 181 learned\n",
		"standard input: 179 rows with a class: error ")
	n := check.Must(Read(whole.To))
	check.Equal(t, "classes", n.Classes, []string{"Ash", "Elm", "Oak", "Fir", "Yew"})
	check.Equal(t, "counts", []int{n.Rows, n.Learned, n.Added}, []int{183, 181, 2})
	part := to(t, whole.Network)
	first, _, err := learn(t, part, tableOf(rows[:50]...))
	check.OK(t, err)
	part.Network, part.From = part.To, 51
	second, _, err := learn(t, part, tableOf(rows...))
	check.OK(t, err)
	_, rest, _ := strings.Cut(second, "\n")
	check.Equal(t, "in two parts it prints", first+rest, out)
	check.Equal(t, "in two parts it leaves another network", read(part.To), read(whole.To))
	text, _, err := predict(t, options(whole.To, ""), "length,colour,width\n4,red,9.2\n")
	check.OK(t, err)
	contains(t, text, ",p_Ash,p_Elm,p_Oak,p_Fir,p_Yew\n1,Fir,0.9")
}

// A row, or a label, that cannot be read is not learned, and the rest is.
func TestLearnPassesOver(t *testing.T) {
	o := to(t, trained(t))
	out, log, err := learn(t, o, tableOf("Ash,wide,red,1", "Ash,12,red", "Ash,12,red,1", "Oak,1e300,red,1"))
	check.OK(t, err)
	check.Equal(t, "lines", strings.Count(out, "\n"), 5)
	contains(t, log, `standard input:2: column "length": "wide" is not a number; the row is unknown`,
		"standard input:3: wrong number of fields", ": 4 rows, 2 learned\n")
	o.Network = o.To
	_, log, err = learn(t, o, "length,colour,width\n12,blue,1\nA\"sh\n12,blue,1\nAsh\n12,red,2\n?\n1,red,2\n")
	check.OK(t, err)
	check.Equal(t, "reports of a new word", strings.Count(log, "colour=blue"), 1)
	contains(t, log, `standard input:3: bare "`, ": 7 rows, 3 learned\n")
	_, _, err = learn(t, o, "length,colour,width\n12,red,1\n12,green,2\n13,red,1\n")
	check.Refuses(t, "no classes", err, `:3: found the row ["12" "green" "2"], need the class`)
	o.To = filepath.Join(t.TempDir(), "no", "file.npz")
	out, _, err = learn(t, o, header)
	check.Refuses(t, "no folder", err, o.To)
	check.Equal(t, "it prints", out, "")
}

// The network is saved unless another program has changed the file; a run replaces it unless it has learned.
func TestSaveAndReplace(t *testing.T) {
	path := trained(t)
	n, save := check.Must(Read(path)), saver(path)
	release, err := Replace(filepath.Dir(path))
	check.OK(t, err)
	check.Refuses(t, "run", check.Err(Replace(filepath.Dir(path))), path+" is held by ")
	o := options(path, "-")
	o.To = path
	check.Refuses(t, "learn", check.Err(Learn(t.Context(), nil, nil, o)), path+" is held by ")
	release()
	n.Learned = 7
	check.OK(t, save(n))
	check.OK(t, save(n))
	check.Refuses(t, "learned", check.Err(Replace(filepath.Dir(path))), path+" has learned 7 rows since")
	check.OK(t, os.WriteFile(path, nil, 0o666))
	check.Refuses(t, "changed", save(n), path+" was changed by another program")
	check.Equal(t, "the changed file", read(path), "")
	release, err = Replace(t.TempDir())
	check.OK(t, err)
	release()
}
