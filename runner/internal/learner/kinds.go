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
	"class-gaussian": online(classgaussian.New),
	"command":        {command.Config{}, online(command.New).make, batch(command.Fit).fit},
	"dropout":        batch(dropout.Fit),
	"kalman":         online(kalman.New),
	"laplace":        batch(laplace.Fit),
	"majority":       online(majority.New),
	"sgd":            online(sgd.New),
	"tagi":           online(tagi.New),
}
