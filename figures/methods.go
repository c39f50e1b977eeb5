package figures

import (
	"slices"
	"strings"
)

// methods are the words for well-known methods, and how they are told apart: each line has
// identifiers of one method and its words, each paragraph methods of one colour. The place in
// a paragraph gives the marker, counted from that of the paragraph, and the dashes.
const methods = `
adf                         = ADF
adf-smooth smooth           = ADF, smoothing
adf-linear                  = ADF, linear
adf-smooth-10               = ADF, ten passes
smooth-32                   = smoothing, 32
probit-slope                = probit, slope
slope-matched               = slope matched
normalised-probit           = normalised probits
default-6-own               = default, six, own orders
default-6-10                = default, six, ten passes

adf-diagonal diagonal       = ADF, diagonal
adf-lsq                     = ADF, least squares
smooth-8                    = smoothing, 8
adf-smooth-mean smooth-mean = ADF, smoothed means
adf-smooth-diagonal         = ADF, smoothing, diagonal
smooth-mean-6               = ADF, smoothed means, six
probit-lsq                  = probit, least squares
least-squares               = least squares
adf-smooth-6                = ADF, six
adf-smooth-6-own            = ADF, six, own orders

joint                       = paper's rule
frozen-32                   = paper's rule, 32
paper-linear                = paper's rule, linear
unscented                   = unscented

total                       = label noise
frozen-32-32                = paper's rule, 32 + 32
paper-hidden                = paper's rule, hidden
daunizeau                   = Daunizeau
probit-minimax              = probit, minimax
adf-forget                  = ADF, forgetting
adf-diagonal-forget         = ADF, diagonal, forgetting
kalman-forget               = Kalman, forgetting

kalman                      = Kalman
linear                      = linear
kalman-linear               = Kalman, linear
kalman-diagonal             = Kalman, diagonal
adf-exact                   = ADF, exact
adf-exact-joint             = ADF, exact, joint
delta                       = delta method
minimax                     = minimax
lu-1                        = Lu
low-rank                    = LO-FI
bong                        = BONG

joint-slope                 = paper's rule, slope
joint-slope-skip            = paper's rule, slope, skips
random-32                   = random features, 32
joint-slope-project         = paper's rule, slope, repairs
joint-slope-fail            = paper's rule, slope, fails
random-features             = random features
adf-random-features         = ADF, random features
mackay                      = MacKay
adf-shared shared           = ADF, shared
adf-shared-10               = ADF, shared, ten passes
lognormal-normalised        = normalised log-normals
adf-shared-six              = ADF, shared, six
adf-shared-6-10             = ADF, shared, six, ten passes
six-256                     = six of 256
six-128                     = six of 128
six-256-three               = six of 256, three passes

tagi                        = TAGI
perceptron-adf              = perceptron, ADF
tagi-10                     = TAGI, ten passes
random-8                    = random features, 8
vi-bohning                  = Böhning bound
bayes-by-backprop           = Bayes by backprop
dropout                     = dropout
lu-0                        = Lu, mean
laplace-bridge-corrected    = Laplace bridge, corrected
tagi-six tagi-6             = TAGI, six
tagi-remax                  = TAGI, remax
tagi-6-own                  = TAGI, six, own orders
tagi-six-256                = TAGI, six of 256

laplace-window              = Laplace, window
smooth-32-32                = smoothing, 32 + 32
perceptron-huber            = perceptron, Huber
laplace-linear              = Laplace, linear
laplace-hidden              = Laplace, hidden
laplace-bridge              = Laplace bridge
taylor                      = Taylor

exact                       = exact
neighbours                  = neighbours
neighbours-window           = neighbours, window
map-linear                  = mode, linear
map-hidden map              = mode, hidden
exact-fast                  = exact, by quadrature

majority                    = majority
sgd                         = SGD
adam                        = Adam
momentum                    = momentum
monte-carlo                 = Monte Carlo
uniform                     = equal probabilities
pixels                      = pixels alone
`

// wellKnown are the methods of each colour, as lines of methods.
var wellKnown = func() (out [][]string) {
	for _, family := range strings.Split(strings.TrimSpace(methods), "\n\n") {
		out = append(out, strings.Split(family, "\n"))
	}
	return out
}()

// find returns the words of a method and its place in wellKnown. Low lines and spaces are
// hyphens, and what stands behind a colon is a remark.
func find(name string) (words string, i, j int, ok bool) {
	name, remark, remarked := strings.Cut(name, ":")
	id := strings.NewReplacer("_", "-", " ", "-").Replace(name)
	for i, family := range wellKnown {
		for j, line := range family {
			if ids, words, _ := strings.Cut(line, "="); slices.Contains(strings.Fields(ids), id) {
				words = strings.TrimSpace(words)
				if remarked {
					words += ":" + remark
				}
				return words, i, j, true
			}
		}
	}
	return "", 0, 0, false
}

// Words returns what figures call a method by its name: the words of a well-known one; else
// the name, with spaces for low lines and hyphens unless it has mathematics or numbers.
func Words(name string) string {
	if words, _, _, ok := find(name); ok {
		return words
	}
	if strings.ContainsAny(name, "$=") {
		return name
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(name)
}
