package learner

import (
	"closedform/baselines/learners/bayesbackprop"
	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/command"
	"closedform/baselines/learners/dropout"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/neighbours"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
	"closedform/baselines/learners/variational"
)

// baselines are all kinds of methods but the closed-form network, by their words.
var baselines = map[string]kind{
	"backprop":       batch(bayesbackprop.Config{}, bayesbackprop.Fit),
	"class-gaussian": online(classgaussian.Config{}, classgaussian.New),
	"command":        newKind(command.Config{}, command.New, command.Fit),
	"dropout":        batch(dropout.Config{}, dropout.Fit),
	"kalman":         online(kalman.Config{}, kalman.New),
	"laplace":        batch(laplace.Config{}, laplace.Fit),
	"majority":       online(majority.Config{}, majority.New),
	"neighbours":     batch(neighbours.Config{}, neighbours.Fit),
	"sgd":            online(sgd.Config{}, sgd.New),
	"tagi":           online(tagi.Config{}, tagi.New),
	"variational":    batch(variational.Config{}, variational.Fit),
}
