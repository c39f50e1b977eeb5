package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	check "closedform/internal/checktest"
)

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
	stdout, stderr, err := try(t, append([]string{"learn", "-data", "-"}, args...)...)
	check.OK(t, err)
	return stdout, stderr
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
	begins(t, check.Must(answer.ReadString('\n')), "row,")
	for i, class := range []string{"1", "?", "new", "2"} {
		fmt.Fprint(rows, "0.5,1.5\n")
		begins(t, check.Must(answer.ReadString('\n')), fmt.Sprintf("%d,unknown,0.", i+1))
		fmt.Fprintln(rows, class)
	}
	fmt.Fprint(rows, "0.5,1.5\n")
	check.Must(answer.ReadString('\n'))
	cancel()
	check.Refuses(t, "interrupted", <-ended, "to go on at row 5: go run ./runner learn "+file+
		" -data - -unknown 1 -from 5")
	contains(t, log.String(), `standard input:6: new class "new"`, file+": 4 rows, 3 learned\n")
	goesOn, _ := learnFrom(t, moons(1), file)
	contains(t, goesOn, "\n1,")
}

// A network whose learning is killed is the last one that was saved: what it has not learned can be
// learned then, and it is the network of a stream that went on.
func TestLearnKilled(t *testing.T) {
	file, rows := trained(t, keeping), moons(2400)
	learnFrom(t, rows, file, "-to", "whole.npz")
	write(t, header+strings.Join(rows, ""), "all.csv")
	var first os.FileInfo // of the network before the first row
	saved := func() bool {
		now, err := os.Stat("part.npz")
		if first == nil {
			first = now
		}
		return err == nil && !os.SameFile(now, first)
	}
	p, ended := startAndWait(t, saved, "learn", file, "-data", "all.csv", "-to", "part.npz")
	p.Process.Kill()
	<-ended
	n := -1
	_, log := learnFrom(t, nil, "part.npz")
	fmt.Sscanf(log, "part.npz: %d rows", &n)
	if n < 1000 || n%1000 != 0 && signaled(p, syscall.SIGKILL) {
		t.Fatalf("it ended with %v, and %d rows are saved: %s", p.ProcessState, n, log)
	}
	learnFrom(t, rows[n:], "part.npz")
	check.Equal(t, "the network of a stream that went on", read(t, "part.npz"), read(t, "whole.npz"))
}

// An output layer on features is kept, predicts and learns as a network does.
func TestLearnOutputLayer(t *testing.T) {
	ridge := "features = \"relu\"\nfeature_size = 16\noutput = \"ridge\""
	file := trained(t, strings.Replace(keeping, "hidden_layers = [4]", ridge, 1))
	rows := moons(21)
	learnFrom(t, rows, file)
	write(t, header+strings.Join(rows, ""), "new.csv")
	text, _, err := try(t, "predict", file, "-data", "new.csv")
	check.OK(t, err)
	contains(t, text, ",familiarity,p_1,p_2,p_new\n1,1,0.", "\n10,new,0.99")
}
