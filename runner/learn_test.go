package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
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

// csv returns the table of leaves with these rows.
func csv(rows ...string) string { return header + strings.Join(rows, "\n") + "\n" }

// withInput makes a text the standard input.
func withInput(t *testing.T, text string) {
	t.Helper()
	file := check.Must(os.Open(write(t, text)))
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was; file.Close() })
	os.Stdin = file
}

// learnFrom runs the command "learn" with a table on the standard input, and returns what it prints.
func learnFrom(t *testing.T, in string, args ...string) (stdout, stderr string) {
	t.Helper()
	withInput(t, in)
	stdout, stderr, err := try(t, append([]string{"learn", "-data", "-"}, args...)...)
	check.OK(t, err)
	return stdout, stderr
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
	check.Refuses(t, "interrupted", <-ended, "to go on at row 5: go run ./runner learn "+file+
		" -data - -unknown 1 -from 5")
	contains(t, log.String(), `standard input:6: new class "Fir"`, file+": 4 rows, 3 learned\n")
	goesOn, _ := learnFrom(t, csv("Ash,12,red,1"), file)
	contains(t, goesOn, "\n1,")
}

// Classes that the network does not have are added, and the user is told; it predicts them after some rows. A
// stream in two parts, with new classes in both, leaves the same network as in one, and prints the same.
func TestLearnNewClasses(t *testing.T) {
	file := trained(t, mine)
	var lines []string
	for i, line := range slices.Repeat(more(), 2) {
		if lines = append(lines, line); i%3 == 0 {
			lines = append(lines, []string{"Fir,4,green,9", "Fir,5,red,9.5"}[i%2])
		}
	}
	lines = append(lines, "Yew,40,red,0", "unknown,40,red,0", "F\xe9,40,red,0")
	before := read(t, file)
	out, log := learnFrom(t, csv(lines...), file, "-to", "whole.npz")
	check.Equal(t, "the network has changed", read(t, file), before)
	begins(t, out, "row,class,probability,confidence,aleatoric,epistemic,mutual_information,familiarity\n1,")
	contains(t, log, `standard input:3: new class "Fir"`, `standard input:162: new class "Yew"`,
		`standard input:163: class "unknown": the word for no class; the row is not learned`,
		"standard input:164: the line is not in UTF-8; ", "whole.npz: 163 rows, 161 learned\n",
		"standard input: 159 rows with a class: error ")
	contains(t, mustRun(t, "show", "whole.npz"), `added      2 of them since the training: ["Fir" "Yew"]`)
	write(t, csv(lines[:50]...), "first.csv")
	first, _, err := try(t, "learn", file, "-data", "first.csv", "-to", "part.npz")
	check.OK(t, err)
	second, _ := learnFrom(t, csv(lines...), "part.npz", "-from", "51")
	_, rest, _ := strings.Cut(second, "\n")
	check.Equal(t, "in two parts it prints", first+rest, out)
	check.Equal(t, "in two parts it leaves another network", read(t, "part.npz"), read(t, "whole.npz"))
	new := write(t, "length,colour,width\n4,red,9.2\n", "new.csv")
	contains(t, mustRun(t, "predict", "whole.npz", "-data", new), ",p_Ash,p_Elm,p_Oak,p_Fir,p_Yew\n1,Fir,0.9")
}

// Rows that cannot be read are answered by nothing, and the rest is learned.
func TestLearnPassesOver(t *testing.T) {
	file := trained(t, mine)
	rows := csv("Ash,wide,red,1", "Ash,12,red", "Ash,12,red,1", "Oak,1e300,red,1", "Elm,,red,1")
	out, log := learnFrom(t, rows, file)
	check.Equal(t, "lines", strings.Count(out, "\n"), 6)
	contains(t, log, `standard input:2: column "length": "wide" is not a number; the row is unknown`,
		"standard input:3: wrong number of fields", `standard input:6: column "length" has no value`,
		": 5 rows, 2 learned\n")
	_, log = learnFrom(t, "length,colour,width\n12,blue,1\nA\"sh\n12,blue,1\nAsh\n", file, "-to", "other.npz")
	check.Equal(t, "words not seen", strings.Count(log, "colour=blue"), 1)
	contains(t, log, "other.npz: 7 rows, 3 learned\n", `bare "`)
	// A table without the class, an input, or a file for the network is an error before its rows are learned.
	const rowsAlone = "length,colour,width\n12,red,1\n12,green,2\n13,red,1\n"
	for _, c := range []struct{ text, args, want string }{
		{rowsAlone, file + " -data - -to wrong.npz", `:3: ["12" "green" "2"] is a row; need`},
		{"species,length,width\nAsh,12,1\n", file + " -data -", `standard input:1: no column "colour"`},
		{csv("Ash,12,red,1"), file + " -data - -to no/file.npz", "no/file.npz"},
		{header, file + " -data - -unknown 2", "-unknown"},
		{header, file + " -data - more", "got 2 arguments"},
		{header, file + " -data - -class kind", `no column "kind"`},
		{header, "none.npz -data -", "none.npz"},
		{header, "-data -", "NETWORK"},
	} {
		withInput(t, c.text)
		out, log, err := try(t, append([]string{"learn"}, strings.Fields(c.args)...)...)
		check.Refuses(t, c.args, err, c.want)
		if strings.Contains(log, "NaN") || strings.Contains(c.args, "no/") && out != "" {
			t.Errorf("%s: it prints %q and %q", c.args, out, log)
		}
	}
}

// A network that one process learns is not learned or replaced by another one, which says by whom it is held;
// it can be read. A file that was changed is not replaced.
func TestLearnAlone(t *testing.T) {
	file := trained(t, mine)
	in, rows, err := os.Pipe()
	check.OK(t, err)
	before := check.Must(os.Stat(file))
	p := newProcess(t, "learn", file, "-data", "-")
	p.Stdin = in
	check.OK(t, p.Start())
	fmt.Fprint(rows, csv("Ash,12,red,1"))
	write(t, csv("Ash,12,red,1"), "more.csv")
	for os.SameFile(before, check.Must(os.Stat(file))) { // it is saved before the first row
		time.Sleep(time.Millisecond)
	}
	held := fmt.Sprintf("%s is held by process %d since 2", file, p.Process.Pid)
	fails(t, held, "learn", file, "-data", "more.csv")
	remove(t, "results", "mine", "cells", "published")
	fails(t, held, "-exp", "mine", "-quiet")
	predicted(t, file, leaves())
	was := read(t, file)
	write(t, was, file)
	rows.Close()
	check.Equal(t, "exit code of learning a changed file", p.Wait() == nil, false)
	contains(t, p.stderr.String(), file+" was changed by another program while it was learned")
	check.Equal(t, "the changed file", read(t, file) == was, true)
	check.Equal(t, "the lock is left", exists(file+".lock"), false)
}

// A network whose learning is killed is the last one that was saved: what it has not learned can be
// learned then, and it is the network of a stream that went on.
func TestLearnKilled(t *testing.T) {
	file := trained(t, mine)
	lines := slices.Repeat(more(), 60)
	learn := func(network, to string, rows []string) (n int) {
		_, log := learnFrom(t, csv(rows...), network, "-to", to)
		_, log, _ = strings.Cut(log, to+": ")
		check.Must(fmt.Sscanf(log, "%d rows", &n))
		return n
	}
	check.Equal(t, "rows", learn(file, "whole.npz", lines), len(lines))
	write(t, csv(lines...), "all.csv")
	part := func() bool { return exists("part.npz") }
	p, ended := startAndWait(t, part, "learn", file, "-data", "all.csv", "-to", "part.npz")
	p.Process.Kill()
	<-ended
	saved := learn("part.npz", "part.npz", nil)
	if t.Logf("killed: %t, with %d rows", signaled(p, syscall.SIGKILL), saved); saved%1000 != 0 {
		t.Errorf("%d rows are saved", saved)
	}
	learn("part.npz", "part.npz", lines[saved:])
	check.Equal(t, "the network of a stream that went on", read(t, "part.npz"), read(t, "whole.npz"))
}

// An output layer on features is kept, predicts and learns as a network does.
func TestLearnOutputLayer(t *testing.T) {
	ridge := "features = \"relu\"\nfeature_size = 16\noutput = \"ridge\""
	file := trained(t, strings.Replace(mine, "hidden_layers = [4]", ridge, 1))
	rows := append(more()[:9], "Fir,40,red,20", "Fir,43,red,22", "Fir,41,red,19")
	learnFrom(t, csv(rows...), file, "-to", "whole.npz")
	learnFrom(t, csv(rows[:5]...), file, "-to", "half.npz")
	learnFrom(t, csv(rows[5:]...), "half.npz")
	check.Equal(t, "in two parts it leaves another file", read(t, "half.npz"), read(t, "whole.npz"))
	_, text, _ := predicted(t, "whole.npz", leaves())
	contains(t, text, ",familiarity,p_Ash,p_Elm,p_Oak,p_Fir\n1,Ash,0.9")
}
