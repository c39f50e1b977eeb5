package learner

import (
	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/command"
	"closedform/baselines/learners/jointgaussian"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/nearest"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
)

// kinds are the baselines of a manifest without keys, by their kind.
var kinds = map[string]baseline{
	"class-gaussian": flat(classgaussian.New),
	"command":        flat(command.New),
	"joint-gaussian": flat(jointgaussian.New),
	"kalman":         network(kalman.New),
	"laplace":        batch(laplace.Fit),
	"last":           flat(majority.NewLast),
	"majority":       flat(majority.New),
	"nearest":        flat(nearest.New),
	"sgd":            network(sgd.New),
	"tagi":           network(tagi.New),
}

var _ program = (*command.Model)(nil)
