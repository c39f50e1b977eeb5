package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// more is the lines of rows of the table of leaves after its header, in another order.
func more() (lines []string) {
	all := strings.Split(strings.TrimSpace(leaves()), "\n")[1:]
	for i := range all {
		lines = append(lines, all[i*7%len(all)])
	}
	return lines
}

const header = "species,length,colour,width\n"

// withInput makes a text the standard input.
func withInput(t *testing.T, text string) {
	t.Helper()
	file := check.Must(os.Open(write(t, text)))
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was; file.Close() })
	os.Stdin = file
}

// learnFrom runs the command "learn" with a standard input.
func learnFrom(t *testing.T, in string, args ...string) (stdout, stderr string, err error) {
	withInput(t, in)
	return try(t, append([]string{"learn"}, args...)...)
}

// A stream in two parts leaves the same network as in one, and prints the same.
func TestLearn(t *testing.T) {
	file := trained(t, mine)
	before := read(t, file)
	lines := more()
	text := func(rows []string) string { return header + strings.Join(rows, "\n") + "\n" }
	whole, log, err := learnFrom(t, text(lines), file, "-data", "-", "-to", "whole.npz")
	if err != nil || read(t, file) != before {
		t.Fatalf("%v, or the network has changed", err)
	}
	contains(t, log, "whole.npz: 60 rows, 60 learned; error before learning ")
	if n := strings.Count(whole, "\n"); n != 61 || !strings.HasPrefix(whole, "row,class,probability,error,log_loss,unknown\n1,") {
		t.Errorf("%d lines:\n%s", n, whole)
	}
	write(t, text(lines[:25]), "first.csv")
	first, _, err := learnFrom(t, "", file, "-data", "first.csv")
	check.OK(t, err)
	second, _, err := learnFrom(t, text(lines[25:]), file, "-data", "-")
	check.OK(t, err)
	if _, rest, _ := strings.Cut(second, "\n"); first+rest != whole {
		t.Errorf("in two parts it prints\n%s%s", first, rest)
	}
	check.Equal(t, "in two parts it leaves another network", read(t, file), read(t, "whole.npz"))
}

// The answer to a row is there before its class is asked for. An interrupt keeps what was learned.
func TestLearnAnswersFirst(t *testing.T) {
	file := trained(t, mine)
	in, rows, err := os.Pipe()
	check.OK(t, err)
	defer rows.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	answers, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	var log bytes.Buffer
	go func() { ended <- run(ctx, out, &log, []string{"learn", file, "-data", "-", "-unknown", "1"}) }()
	answer := bufio.NewReader(answers)
	go fmt.Fprint(rows, "length,colour,width\n")
	if line, err := answer.ReadString('\n'); err != nil || !strings.HasPrefix(line, "row,") {
		t.Fatalf("%q, %v", line, err)
	}
	for i, class := range []string{"Ash", "?", "Fir", "Elm"} {
		fmt.Fprint(rows, "12,red,1.5\n")
		line, err := answer.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, fmt.Sprintf("%d,unknown,0.", i+1)) {
			t.Fatalf("%q, %v", line, err)
		}
		fmt.Fprintln(rows, class)
	}
	fmt.Fprint(rows, "12,red,1.5\n")
	check.Must(answer.ReadString('\n'))
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	contains(t, log.String(), `row 3: new class "Fir" at standard input:7`, file+": 5 rows, 3 learned; ")
	if out, _, err := learnFrom(t, header+"Ash,12,red,1\n", file, "-data", "-"); err != nil || !strings.Contains(out, "\n6,") {
		t.Errorf("%v, and it goes on with %s", err, out)
	}
}

// Classes that the network does not have are added, and told; it predicts them after some rows. A stream in
// two parts, with new classes in both, leaves the same network as in one.
func TestLearnNewClasses(t *testing.T) {
	file := trained(t, mine)
	var lines []string
	for i, line := range slices.Repeat(more(), 2) {
		if lines = append(lines, line); i%3 == 0 {
			lines = append(lines, []string{"Fir,4,green,9", "Fir,5,red,9.5"}[i%2])
		}
	}
	lines = append(lines, "Yew,40,red,0", "unknown,40,red,0", "F\xe9,40,red,0")
	table := func(name string, rows []string) string { return write(t, header+strings.Join(rows, "\n")+"\n", name) }
	out, log, err := learnFrom(t, "", file, "-data", table("all.csv", lines), "-to", "whole.npz")
	check.OK(t, err)
	if row := strings.Split(strings.Split(out, "\n")[3], ","); row[3] != "0.5" || row[4] > "5" {
		t.Errorf("after a row that is right and one of a new class it prints %s", row)
	}
	contains(t, log, `row 2: new class "Fir" at all.csv:3`, `row 161: new class "Yew" at all.csv:162`,
		`row 162: class "unknown" cannot be added; `, `row 163: all.csv:164: the line is not in UTF-8; `, `whole.npz: 163 rows, 161 learned; `, `whole.npz: 2 of 5 classes are new since the training: ["Fir" "Yew"]`)
	for part, rows := range [][]string{lines[:50], lines[50:]} {
		_, log, err := learnFrom(t, "", []string{file, "part.npz"}[part], "-data", table("part.csv", rows), "-to", "part.npz")
		check.OK(t, err)
		contains(t, log, []string{`part.npz: 1 of 4 classes are new since the training: ["Fir"]`, `part.npz: 2 of 5 classes are new since the training: ["Fir" "Yew"]`}[part])
	}
	check.Equal(t, "in two parts it leaves another network", read(t, "part.npz"), read(t, "whole.npz"))
	predictions := mustRun(t, "predict", "whole.npz", "-data", write(t, "length,colour,width\n4,red,9.2\n", "new.csv"))
	contains(t, predictions, ",p_Ash,p_Elm,p_Oak,p_Fir,p_Yew\n1,Fir,0.9")
}

// Rows that cannot be read are answered by nothing, and the rest is learned.
func TestLearnPassesOver(t *testing.T) {
	file := trained(t, mine)
	out, log, err := learnFrom(t, header+"Ash,wide,red,1\nAsh,12,red\nAsh,12,red,1\nOak,1e300,red,1\nElm,,red,1\n", file, "-data", "-")
	if err != nil || strings.Count(out, "\n") != 6 {
		t.Fatalf("%v, %s", err, out)
	}
	for _, want := range []string{
		`row 1: standard input:2: column "length": "wide" is not a number`, "row 2: standard input:3: 3 cells; need 4", "row 4: ",
		"row 5: standard input:6: column \"length\" has no value", ": 5 rows, 1 learned; ",
	} {
		contains(t, log, want)
	}
	_, log, err = learnFrom(t, "length,colour,width\n12,blue,1\nA\"sh\n12,blue,1\nAsh\n", file, "-data", "-", "-to", "other.npz")
	check.OK(t, err)
	check.Equal(t, "words not seen", strings.Count(log, "colour=blue"), 1)
	contains(t, log, "other.npz: 7 rows, 2 learned; ", `bare "`)
	// A table without the class, an input, or a file for the network is an error before its rows are learned as classes.
	for text, want := range map[string]string{
		"length,colour,width\n12,red,1\n12,green,2\n13,red,1\n": `standard input:3: "12,green,2" is a row; need the class of the row before`,
		"species,length,width\nAsh,12,1\n":                      `standard input:1: no column "colour"`,
	} {
		if _, log, err := learnFrom(t, text, file, "-data", "-", "-to", "wrong.npz"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(log, "NaN") {
			t.Errorf("%v, need %s; %s", err, want, log)
		}
	}
	if out, _, err := learnFrom(t, header+"Ash,12,red,1\n", file, "-data", "-", "-to", "no/file.npz"); err == nil || out != "" {
		t.Errorf("no folder: %v, after %q", err, out)
	}
	for _, args := range [][]string{{}, {""}, {file}, {"-data", "-"}, {file, "-data", "-", "-unknown", "2"}, {file, "-data", "-", "more"}, {file, "-data", "-", "-class", "kind"}, {"none.npz", "-data", "-"}} {
		if _, _, err := learnFrom(t, header, args...); err == nil {
			t.Errorf("no error of %q", args)
		}
	}
}

// A network that was saved without a note learns a table with a column of classes, goes on from what
// it leaves, and is still without a note if it has learned nothing.
func TestLearnBare(t *testing.T) {
	inExperiments(t, nil)
	n, err := bnn.New(bnn.Default(2, 3), random.Source("bare"))
	var file bytes.Buffer
	check.OK(t, errors.Join(err, checkpoint.Save(&file, n, "")))
	write(t, file.String(), "bare.npz")
	_, _, err = learnFrom(t, "width,class,height\n", "bare.npz", "-data", "-")
	check.OK(t, err)
	for k := 1; k <= 2; k++ {
		out, log, err := learnFrom(t, "width,class,height\n0.5,2,-1\n", "bare.npz", "-data", "-")
		if err != nil || !strings.Contains(out, fmt.Sprintf("\n%d,", k)) {
			t.Fatalf("%v, %s, %s", err, out, log)
		}
		contains(t, log, fmt.Sprintf("bare.npz: %d rows, %[1]d learned", k))
		check.Must(n.Observe([]float64{0.5, -1}, 2))
	}
	got, _, err := checkpoint.Load(strings.NewReader(read(t, "bare.npz")))
	check.OK(t, err)
	want, _ := n.Weights(0)
	if mean, _ := got.Members()[0].Weights(0); !mat.Equal(mean, want) {
		t.Errorf("means %v, want %v", mean, want)
	}
}

// A network whose learning is killed is the last one that was saved: what it has not learned can be
// learned then, and it is the network of a stream that went on.
func TestLearnKilled(t *testing.T) {
	file := trained(t, mine)
	lines := slices.Repeat(more(), 100)
	table := func(name string, rows []string) string {
		write(t, header+strings.Join(rows, "\n")+"\n", name)
		return name
	}
	learn := func(network, data, to string) (rows int) {
		_, log, err := try(t, "learn", network, "-data", data, "-to", to)
		_, scanned := fmt.Sscanf(strings.TrimPrefix(log, to+": "), "%d rows", &rows)
		check.OK(t, errors.Join(err, scanned))
		return rows
	}
	all := table("all.csv", lines)
	if rows := learn(file, all, "whole.npz"); rows != len(lines) {
		t.Fatalf("%d rows of %d", rows, len(lines))
	}
	p, ended := startAndWait(t, func() bool { return exists("part.npz") }, "learn", file, "-data", all, "-to", "part.npz")
	p.Process.Kill()
	<-ended
	saved := learn("part.npz", table("none.csv", nil), "part.npz")
	if t.Logf("killed: %t, with %d rows", signaled(p, syscall.SIGKILL), saved); saved%1000 != 0 {
		t.Errorf("%d rows are saved", saved)
	}
	learn("part.npz", table("rest.csv", lines[saved:]), "part.npz")
	check.Equal(t, "the network differs from that of a stream that went on", read(t, "part.npz"), read(t, "whole.npz"))
}

// An output layer on features is kept, predicts and learns as a network does, and the order of the rows,
// some of a new class, does not matter.
func TestLearnOutputLayer(t *testing.T) {
	manifest := strings.Replace(mine, "hidden_layers = [4]", "features = \"relu\"\nfeature_size = 16\noutput = \"ridge\"", 1)
	file := trained(t, manifest)
	rows := append(more()[:9], "Fir,40,red,20", "Fir,43,red,22", "Fir,41,red,19")
	learn := func(from, to string, rows []string) {
		t.Helper()
		if _, log, err := learnFrom(t, header+strings.Join(rows, "\n")+"\n", from, "-data", "-", "-to", to); err != nil {
			t.Fatalf("%v: %s", err, log)
		}
	}
	learn(file, "whole.npz", rows)
	learn(file, "half.npz", rows[:5])
	learn("half.npz", "half.npz", rows[5:])
	check.Equal(t, "in two parts it leaves another file", read(t, "half.npz"), read(t, "whole.npz"))
	slices.Reverse(rows)
	learn(file, "back.npz", rows)
	var predicted []*table.Table
	for _, from := range []string{"whole.npz", "back.npz"} {
		out, log, err := try(t, "predict", from, "-data", filepath.Join("experiments", "leaves.csv"))
		if err != nil || log != "" || !strings.HasPrefix(out, "row,class,probability,aleatoric,epistemic,familiarity,p_Ash,p_Elm,p_Oak,p_Fir\n1,Ash,0.9") {
			t.Fatalf("%v: %s%s", err, log, out)
		}
		predicted = append(predicted, check.Must(table.Read("out", strings.NewReader(out))))
	}
	for _, column := range []string{"p_Ash", "p_Elm", "p_Oak", "p_Fir"} {
		check.Equal(t, fmt.Sprintf("%s: learned backwards", column), predicted[0].Nums(column), predicted[1].Nums(column))
	}
}
