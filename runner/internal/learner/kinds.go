package learner

import (
	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/command"
	"closedform/baselines/learners/dropout"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
)

var baselines = map[string]kind{
	"class-gaussian": online(classgaussian.Config{}, classgaussian.New),
	"command":        newKind(command.Config{}, command.New, command.Fit),
	"dropout":        batch(dropout.Config{}, dropout.Fit),
	"kalman":         online(kalman.Config{}, kalman.New),
	"laplace":        batch(laplace.Config{}, laplace.Fit),
	"majority":       online(majority.Config{}, majority.New),
	"sgd":            online(sgd.Config{}, sgd.New),
	"tagi":           online(tagi.Config{}, tagi.New),
}
