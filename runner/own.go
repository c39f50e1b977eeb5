package main

import (
	"cmp"
	"context"
	"flag"

	"closedform/runner/internal/own"
	"closedform/runner/internal/store"
)

// rowsFlags declares what says of which rows predict and learn are, and when they are unknown.
func (p *program) rowsFlags(f *flag.FlagSet) *own.Rows {
	r := &own.Rows{Stderr: p.stderr}
	f.StringVar(&r.Data, "data", "", "CSV `file` with rows, .csv.gz if it is packed; - is standard input. Columns are found by their names")
	f.Float64Var(&r.Unknown, "unknown", 0, "least `probability` for a class; below it the class is unknown")
	f.Float64Var(&r.Wrong, "wrong", 0, "choose that probability such that, with 95 % confidence, at most a `share` of the answers is wrong")
	f.Float64Var(&r.Familiar, "familiar", 0.01, "with -unknown or -wrong: least `familiarity` of an answer, a p-value of the inputs; 0: any")
	return r
}

func (p *program) predictCommand(f *flag.FlagSet) action {
	r := p.rowsFlags(f)
	id := f.String("id", "", "`column` to begin the predictions with (default: the numbers of the rows)")
	to := f.String("to", "", "CSV `file` for the predictions (default: standard output)")
	return func(_ context.Context, args []string) error {
		if problem := r.Problem(); problem != "" || r.Data == "" {
			return misuse("%s", cmp.Or(problem, "need runner predict NETWORK -data FILE"))
		}
		r.Network = args[0]
		out, err := r.Predict(*id)
		if err != nil {
			return err
		}
		if *to != "" {
			return store.WriteFile(*to, out.CSV())
		}
		_, err = p.stdout.Write(out.CSV())
		return err
	}
}

const learnExample = `go run ./runner learn results/mine/network.npz -data more.csv
  sensor | go run ./runner learn results/mine/network.npz -data -

The network predicts each row before it learns it. That is printed as soon as the line of the row is there, with the
error, log loss and number of rows answered unknown so far. If the table has no column of classes, the line after
a row, which is read after its answer was printed, is its class; "?" is an unknown one, and the row is not
learned. A row that cannot be read or predicted is reported and passed over.

A class that the network does not have is added to it, and reported with its line, as a typing error makes one, too.
The last line names all classes that were added since the training.

Every thousand rows, at the end and on an interrupt the network replaces its file at once: whenever the program is
killed, the file is a whole network. It counts the rows that this command ever showed it, so that what is
printed goes on where it was.`

func (p *program) learnCommand(f *flag.FlagSet) action {
	r := p.rowsFlags(f)
	class := f.String("class", "", "`column` of the classes (default: that of the training)")
	to := f.String("to", "", "`file` for the network (default: NETWORK, which is replaced)")
	return func(ctx context.Context, args []string) error {
		if problem := r.Problem(); problem != "" || r.Data == "" {
			return misuse("%s", cmp.Or(problem, "need runner learn NETWORK -data FILE"))
		}
		r.Network = args[0]
		return r.Learn(ctx, p.stdout, *class, cmp.Or(*to, args[0]))
	}
}
