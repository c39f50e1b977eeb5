package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// keeping is a manifest called moons that keeps its network.
const keeping = `name = "moons"
study = "learn"
seed = 3
data = {generator = "moons", train = 48, test = 12}
[model]
hidden_layers = [4]
[save]
network = true
`

// trained runs a manifest called moons, and returns the file of its network.
func trained(t *testing.T, manifest string) string {
	t.Helper()
	check.InExperiments(t, map[string]string{"moons.toml": manifest})
	program.Run(t, "-exp", "moons")
	return filepath.Join("results", "moons", "network.npz")
}

// withInput makes a text the standard input.
func withInput(t *testing.T, text string) {
	t.Helper()
	file := check.Must(os.Open(check.Write(t, text)))
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was; file.Close() })
	os.Stdin = file
}

// A run keeps the same network each time. It predicts rows to the standard output or a file.
func TestPredict(t *testing.T) {
	file := trained(t, keeping)
	check.Contains(t, check.Read("results", "moons", "README.md"), "\n- `network.npz`: ")
	before := check.Read(file)
	check.Remove(t, "results", "moons", "cells")
	check.Remove(t, file) // as in a clone
	check.Equal(t, "verify prints", program.Run(t, "verify", "-exp", "moons"), "moons: same bytes\n")
	program.Run(t, "-exp", "moons")
	check.Equal(t, "another run keeps the same", check.Read(file) == before, true)

	const rows = "note,x2,x1\na,0.5,0\nb,0,1\n"
	check.Write(t, rows, "new.csv")
	want := program.Run(t, "predict", "-data", "new.csv", file)
	check.Contains(t, want, "row,class,", "familiarity,p_1,p_2\n2,", "\n3,")
	withInput(t, rows)
	check.Equal(t, "from the standard input", program.Run(t, "predict", file, "-data", "-"), want)
	program.Run(t, "predict", file, "-data", "new.csv", "-to", "out.csv.gz")
	unpacked := check.Must(gzip.NewReader(strings.NewReader(check.Read("out.csv.gz"))))
	check.Equal(t, "packed", string(check.Must(io.ReadAll(unpacked))), want)
	check.Write(t, "kind\n1\n2\n", "kinds.csv")
	_, stderr := says(t, "predict", file, "-data", "new.csv", "-labels", "kinds.csv")
	check.Contains(t, stderr, "new.csv: 2 rows with a class: ")
	_, stderr = says(t, "learn", file, "-data", "new.csv", "-labels", "kinds.csv", "-to", "more.npz")
	check.Contains(t, stderr, "more.npz: 2 rows, 2 learned")
	check.Write(t, "kind\n1\n", "few.csv")
	check.Write(t, "x1,x2\n1,2\nwide,1\n", "bad.csv")
	for args, says := range map[string]string{
		"-data new.csv -to new.csv":      "new.csv is the input new.csv, which would be lost",
		"-data new.csv -to gone/out.csv": "write gone/out.csv: no such file or directory",
		"-data bad.csv":                  "1 of 2 rows could not be predicted",
		"-data new.csv -labels few.csv":  "new.csv:3: few.csv has ended",
	} {
		code, _, stderr := exit(t, append([]string{"predict", file}, strings.Fields(args)...)...)
		check.Equal(t, args+": exit code", code, 1)
		check.Contains(t, stderr, "runner: "+says)
	}
}

// A table needs no manifest: one is written and run, and its network is shown, predicts and learns other rows.
func TestOwnTable(t *testing.T) {
	rows := strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")
	table := strings.Join(rows[:91], "")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, table, "my leaves.csv")
	command := []string{"run", "-data", "my leaves.csv", "-class", "species"}
	out, said := says(t, command...)
	const network = "closedform-results/my_leaves/network.npz"
	rowsOf := check.Proposed(t, out)
	check.Contains(t, out+said, "manifest: my leaves.toml\n", "my leaves.csv: 90 examples, ",
		"\n  network  ", "\n  majority  ", "\n  linear  ", "predict "+network)
	check.Contains(t, program.Run(t, command...), "is up to date")
	check.Contains(t, program.Run(t, "show", network), "classes    3: beech, elm, hornbeam\n",
		"learned    67 examples, 0 of them", "input      length_mm: (x − 78.94", "model      weight 0.",
		": layers = [4, 50, 3], bias = true, rule = ", "alpha = 0.0, beta = 1.0, lambda = 0.",
		": on 512 features: output = \"ridge\", inputs = 512", "some scaled rows")
	// What is called linear cannot learn which signs differ: its log loss is that of a coin.
	signs := "a,b,class\n"
	for i := range 80 {
		a, b := float64(i%9)-4.5, float64(i*5%11)-5.5
		signs += fmt.Sprintf("%g,%g,%t\n", a, b, a*b > 0)
	}
	check.Write(t, signs, "signs.csv")
	var wrong, loss float64
	_, row, _ := strings.Cut(program.Run(t, "run", "-data", "signs.csv"), "\n  linear ")
	_, err := fmt.Sscanf(strings.NewReplacer("[", "", "]", "", ",", "").Replace(row), "%g %g %g %g", &wrong, new(float64), new(float64), &loss)
	check.OK(t, err)
	check.True(t, loss > 0.6, "log loss of a linear network: %g", loss)
	_, _, err = program.Try(t, append(command, "-all-rows")...)
	check.Refuses(t, "another manifest", err, "my leaves.toml exists and differs from")
	check.Contains(t, program.Run(t, check.Proposed(t, err.Error())...), "is up to date")
	rowsOf[slices.Index(rowsOf, "FILE")] = "my leaves.csv"
	says(t, rowsOf...)
	_, said = says(t, "predict", network, "-data", "my leaves.csv")
	check.Contains(t, said, "my leaves.csv: 90 rows with a class: ",
		": scores of 90 rows, unknown ones included: error 0.0")
	check.Write(t, strings.NewReplacer(",", ";", ".", ",").Replace(table), "other.csv")
	program.Fails(t, "-separator ';' makes 5 of it", "predict", network, "-data", "other.csv")
	_, again := says(t, "predict", network, "-data", "other.csv", "-separator", ";", "-decimal", ",")
	check.Equal(t, "it says", again, strings.ReplaceAll(said, "my leaves.csv", "other.csv"))
	says(t, "learn", network, "-data", "my leaves.csv")
	check.Remove(t, "closedform-results", "my_leaves", "cells")
	program.Fails(t, "network.npz has learned 90 rows since it was trained", "run", "-exp", "my leaves.toml")
	program.Fails(t, "need -data", "run", "-exp", "x", "-ignore", "a")
}

// A table in a folder that cannot be written to has its manifest in the folder of -out.
func TestOwnTableReadOnly(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "experiments", "own_data.csv"))
	check.OK(t, err)
	defer file.Close()
	table := fmt.Sprintf("/proc/self/fd/%d", file.Fd()) // nobody can make a file there
	if !check.Exists(table) {
		t.Skip("no folder " + filepath.Dir(table))
	}
	labels := strings.Repeat("a\nb\n", 150)
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, "class\n"+labels, "labels.csv")
	command := []string{"run", "-data", table, "-labels", "labels.csv", "-ignore", "species", "-quiet"}
	program.Fails(t, "-out FOLDER", command...)
	command = append(command, "-out", "new folder")
	check.Contains(t, program.Run(t, command...), "manifest: new folder/", ".toml\n", "predict 'new folder/")
	check.Contains(t, program.Run(t, command...), "is up to date")
}

// Each table has a results folder of its own, or is refused, whatever its name is.
func TestOwnTablesDoNotCollide(t *testing.T) {
	table := strings.Join(strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")[:31], "")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	long := strings.Repeat("sensor", 12)
	for _, c := range []struct{ first, second, says string }{
		{"a.b", "a_b", "a_b has the results of "},
		{"数据", "温度", ""},
		{long + "_2023", long + "_2024", ""},
	} {
		check.Remove(t, "closedform-results")
		for _, name := range []string{c.first, c.second} {
			check.Write(t, table, name+".csv")
			_, _, err := program.Try(t, "run", "-data", name+".csv", "-class", "species", "-quiet")
			if name == c.second && c.says != "" {
				check.Refuses(t, name, err, c.says, c.first+".toml, not of "+name+".toml")
				_, _, err = program.Try(t, "run", "-data", name+".csv", "-class", "species", "-quiet", "-out", "else")
			}
			check.OK(t, err)
		}
		made := len(check.Glob("closedform-results", "*", "network.npz")) + len(check.Glob("else", "*", "network.npz"))
		check.Equal(t, c.first+": networks", made, 2)
		check.Remove(t, "else")
	}
}

// A packed table is learned, and tested by another one, whose errors name it.
func TestOwnTestTable(t *testing.T) {
	lines := strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, check.Gzip(strings.Join(lines[:61], "")), "leaves.csv.gz")
	command := strings.Fields("run -data leaves.csv.gz -test new/rows.csv -class species")
	program.Fails(t, "leaves: no file new/rows.csv", command...)
	check.Write(t, lines[0]+strings.Join(lines[60:91], ""), "new", "rows.csv")
	_, said := says(t, command...)
	check.Contains(t, said, "rows.csv: inputs that repeat those of other rows")
	check.Contains(t, check.Read("closedform-results/leaves/runs.csv"), "network,1,60,31,")
	check.Write(t, lines[0]+"1,2,3,4,yew\n", "new", "rows.csv")
	program.Fails(t, `new/rows.csv:2: class "yew" is not in the training part`, command...)
}

const header = "class,x1,x2\n"

// moons returns rows of both classes and, every tenth, of a new one.
func moons(n int) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf("%d,%g,%g\n", 1+i%2, float64(i%2)+float64(i%7)/9, 0.4-float64(i%5)/9))
		if i%10 == 9 {
			rows[i] = fmt.Sprintf("new,4,%d\n", i%4)
		}
	}
	return rows
}

// learnFrom lets a network learn rows from the standard input, and returns what is printed.
func learnFrom(t *testing.T, rows []string, args ...string) (stdout, stderr string) {
	t.Helper()
	withInput(t, header+strings.Join(rows, ""))
	return says(t, append([]string{"learn", "-data", "-"}, args...)...)
}

// The answer to a row is there before its class is asked for. An interrupt keeps what was learned.
func TestLearnAnswersFirst(t *testing.T) {
	file := trained(t, keeping)
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
	go fmt.Fprint(rows, "x1,x2\n")
	check.Begins(t, check.Must(answer.ReadString('\n')), "row,")
	for i, class := range []string{"1", "?", "new", "2"} {
		fmt.Fprint(rows, "0.5,1.5\n")
		check.Begins(t, check.Must(answer.ReadString('\n')), fmt.Sprintf("%d,unknown,0.", 2*i+2))
		fmt.Fprintln(rows, class)
	}
	fmt.Fprint(rows, "0.5,1.5\n")
	check.Must(answer.ReadString('\n'))
	cancel()
	stopped := <-ended
	check.Refuses(t, "interrupted", stopped, "to go on with the rows after line 8, and only these: "+
		"go run ./runner learn "+file+" -data - -unknown 1")
	check.Contains(t, log.String(), `standard input:6: new class "new"`, file+": 4 rows, 3 learned\n")
	withInput(t, header+strings.Join(moons(1), ""))
	goesOn, _ := says(t, check.Proposed(t, stopped.Error())...)
	check.Contains(t, goesOn, "\n2,")
}

// A network whose learning is killed is the last one that was saved: what it has not learned can be learned
// then. Whoever stops learning otherwise, be it the reader of the predictions or the terminal, loses nothing: the
// network is saved, and the command that is printed goes on. It is the network of a stream that went on.
func TestLearnStopped(t *testing.T) {
	file, rows := trained(t, keeping), moons(2400)
	learnFrom(t, rows, file, "-to", "whole.npz")
	check.Write(t, header+strings.Join(rows, ""), "all rows.csv")
	var first os.FileInfo // of the network before the first row
	saved := func() bool {
		now, err := os.Stat("part.npz")
		if first == nil {
			first = now
		}
		return err == nil && !os.SameFile(now, first)
	}
	p, ended := check.Start(t, saved, "learn", file, "-data", "all rows.csv", "-to", "part.npz", "-save", "300")
	p.Process.Kill()
	<-ended
	n := -1
	_, log := learnFrom(t, nil, "part.npz")
	fmt.Sscanf(log, "part.npz: %d rows", &n)
	if n < 300 || n%300 != 0 && signaled(p, syscall.SIGKILL) {
		t.Fatalf("it ended with %v, and %d rows are saved: %s", p.ProcessState, n, log)
	}
	learnFrom(t, rows[n:], "part.npz")
	check.Equal(t, "the network of a stream that went on", check.Read("part.npz"), check.Read("whole.npz"))
	for _, c := range []struct {
		stop func(p *check.Process, out *os.File)
		code int
	}{
		{func(_ *check.Process, out *os.File) { out.Close() }, 1},
		{func(p *check.Process, out *os.File) { p.Process.Signal(syscall.SIGHUP); io.Copy(io.Discard, out) }, 130},
	} {
		check.Remove(t, "part.npz")
		p := check.NewProcess("learn", file, "-data", "all rows.csv", "-to", "part.npz", "-unknown", "0.2")
		out, in, err := os.Pipe() // holds less than all predictions
		check.OK(t, err)
		p.Stdout = in
		check.OK(t, p.Start())
		in.Close()
		answers := bufio.NewReader(out)
		for range 500 {
			check.Must(answers.ReadString('\n'))
		}
		c.stop(p, out)
		p.Wait()
		check.Equal(t, "exit code", p.ProcessState.ExitCode(), c.code)
		words := check.Proposed(t, p.Err.String())
		check.Begins(t, strings.Join(words, " "), "learn part.npz -data all rows.csv -unknown 0.2 -from ")
		says(t, words...)
		check.Equal(t, "the network of a stream that went on", check.Read("part.npz"), check.Read("whole.npz"))
	}
}

// Under nohup, a hangup does not end the program.
func TestNohup(t *testing.T) {
	m := check.Write(t, "name = 'long'\nstudy = 'sleeper'\nsleep = 300\n")
	out := t.TempDir()
	p := check.NewProcess("-exp", m, "-out", out, "-workers", "4")
	p.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, p.Path}, p.Args[1:]...)
	p.Path = check.Must(exec.LookPath("sh"))
	check.OK(t, p.Start())
	for len(check.Glob(out, "long", "cells", "at", "*.claim")) == 0 {
		time.Sleep(time.Millisecond)
	}
	check.OK(t, p.Process.Signal(syscall.SIGHUP))
	check.OK(t, p.Wait())
}

// No command writes over what it reads, whatever the path is.
func TestInputsAreKept(t *testing.T) {
	file := trained(t, keeping)
	rows := "x1,x2\n" + strings.Repeat("0.5,1\n", 20)
	check.Write(t, rows, "rows", "a.csv")
	check.Write(t, "class\n"+strings.Repeat("1\n", 20), "rows", "labels.csv")
	check.OK(t, os.Symlink("rows", "link"))
	check.OK(t, os.Link("rows/a.csv", "same.csv"))
	for to := range strings.FieldsSeq("rows/a.csv ./rows/../rows/a.csv link/a.csv same.csv link/labels.csv") {
		for _, name := range []string{"predict", "learn"} {
			program.Fails(t, to+" is the input rows/", name, file, "-data", "rows/a.csv", "-labels",
				"rows/labels.csv", "-to", to)
		}
	}
	program.Fails(t, file+" is the input "+file, "predict", file, "-data", "rows/a.csv", "-to", file)
	p := check.NewProcess("learn", file, "-data", "-", "-to", "same.csv")
	p.Stdin = check.Must(os.Open("rows/a.csv"))
	check.Refuses(t, "the standard input", p.Run(), "exit status 1")
	check.Contains(t, p.Err.String(), "same.csv is the input -, which would be lost")
	p = check.NewProcess("predict", file, "-data", "rows/a.csv")
	p.Stdout = check.Must(os.OpenFile("rows/a.csv", os.O_APPEND|os.O_WRONLY, 0))
	check.Refuses(t, "the standard output", p.Run(), "exit status 1")
	check.Equal(t, "the rows", check.Read("rows/a.csv"), rows)
	check.Write(t, header+strings.Join(moons(8), ""), "rows", "b", "b.csv")
	program.Fails(t, "link/b has the input rows/b/b.toml", "run", "-data", "rows/b/b.csv", "-out", "link")
	check.Write(t, strings.Replace(check.Read("rows/b/b.toml"), "b.csv", "rows/b/b.csv", 1), "b.toml")
	program.Fails(t, "link/b has the input rows/b/b.csv", "-exp", "b.toml", "-out", "link")
}

// Rows that could not be learned, and a beginning after the end of the table, are errors. Only known classes
// are learned, if this is asked for.
func TestLearnExitCodes(t *testing.T) {
	file := trained(t, keeping)
	check.Write(t, header+strings.Join(moons(8), ""), "good.csv")
	check.Write(t, header+strings.Join(moons(20), ""), "more.csv")
	check.Write(t, header+"1,2,3\n1,x,3\n1,2\n", "bad.csv")
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"-data good.csv -from 10", "more.npz: 0 rows, 0 learned", 0},
		{"-data good.csv -from 11", "-from 11: the last row of good.csv is on line 9", 1},
		{"-data bad.csv", "2 of 3 rows could not be learned", 1},
		{"-data none.csv", "none.csv: no such file", 1},
		{"-data more.csv -classes known", `more.csv:11: class "new": the network does not have it; the row is not`, 1},
		{"-data more.csv -classes known", "more.npz: 20 rows, 18 learned\nrunner: 2 of 20 rows could not be learned", 1},
	} {
		code, _, stderr := exit(t, append([]string{"learn", file, "-to", "more.npz"}, strings.Fields(c.args)...)...)
		check.Equal(t, c.args+": exit code", code, c.code)
		check.Contains(t, stderr, c.says)
	}
	check.Contains(t, program.Run(t, "show", "more.npz"), "classes    2: 1, 2\n")
}

// An output layer on features is kept, predicts and learns as a network does.
func TestLearnOutputLayer(t *testing.T) {
	ridge := "features = \"relu\"\nfeature_size = 16\noutput = \"ridge\""
	file := trained(t, strings.Replace(keeping, "hidden_layers = [4]", ridge, 1))
	rows := moons(21)
	learnFrom(t, rows, file)
	check.Write(t, header+strings.Join(rows, ""), "new.csv")
	text, _ := says(t, "predict", file, "-data", "new.csv")
	check.Contains(t, text, ",familiarity,p_1,p_2,p_new\n2,1,0.", "\n11,new,0.99")
}
