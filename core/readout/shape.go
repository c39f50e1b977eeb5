package readout

// Shape implements [bnn.Model].
func (l *Layer) Shape() (inputs, classes int) { return l.cfg.Inputs, l.cfg.Classes }
