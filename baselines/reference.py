"""Computes reference.csv, which reference_test.go compares with the baselines, by other programs:
scikit-learn where it has the method, else NumPy, with derivatives by complex steps and
expectations by quadrature. Needs NumPy and scikit-learn:

    python3 baselines/reference.py > baselines/testdata/reference.csv
"""
import itertools
import math

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

# The problem: 40 examples of three inputs and three classes. Networks have four hidden units.
N, K, WIDTHS = 40, 3, (3, 4, 3)
CLASS = np.array([0 if k % 10 == 9 else k % 3 for k in range(N)])
X = np.array([[math.sin(1.3 * (k + 1) * (i + 1) + i) + (CLASS[k] == i) for i in range(3)] for k in range(N)])
AT = np.array([[math.sin(k + 2 * i) for i in range(3)] for k in range(3)])
ONE_HOT, COUNT = np.eye(K)[CLASS], np.bincount(CLASS)


def with_ones(x):
    return np.hstack([x, np.ones((len(x), 1))])


X1, AT1 = with_ones(X), with_ones(AT)


class Stream:
    """The random numbers of math/rand/v2 in Go from the source splitmix64, which starts at 0."""

    state = 0

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def uniform(self):
        return self.bits() % 2**53 / 2**53

    def normal(self):
        """The ziggurat of Marsaglia and Tsang (2000)."""
        while True:
            u = self.bits()
            j, i = (u + 2**31) % 2**32 - 2**31, u >> 32 & 127
            x = j * float(SCALE[i])
            if abs(j) < INSIDE[i]:
                return x
            if i == 0:
                return math.copysign(self.tail(), j)
            if DENSITY[i] + np.float32(self.uniform()) * (DENSITY[i - 1] - DENSITY[i]) < np.float32(math.exp(-x * x / 2)):
                return x

    def tail(self):
        while True:
            x, y = -math.log(self.uniform()) / 3.442619855899, -math.log(self.uniform())
            if 2 * y >= x * x:
                return 3.442619855899 + x

    def normals(self, n):
        return np.array([self.normal() for _ in range(n)])


def ziggurat():
    density, area = lambda x: math.exp(-x * x / 2), 9.91256303526217e-3
    edges = [3.442619855899]
    for _ in range(126):
        edges.append(math.sqrt(-2 * math.log(area / edges[-1] + density(edges[-1]))))
    edges.append(0)
    x = edges[::-1]  # x[i] is the edge of strip i, x[0] = 0
    base = area / density(x[127])
    inside = [int(x[127] / base * 2**31)] + [int(x[i - 1] / x[i] * 2**31) for i in range(1, 128)]
    return inside, np.float32([base / 2**31] + [e / 2**31 for e in x[1:]]), np.float32([1] + [density(e) for e in x[1:]])


INSIDE, SCALE, DENSITY = ziggurat()


# Networks of rectifiers, as a function of one vector of weights, neuron by neuron, the bias last.

SHAPES = [(b, a + 1) for a, b in zip(WIDTHS, WIDTHS[1:])]
SIZES = [a * b for a, b in SHAPES]


def matrices(w):
    return [part.reshape(shape) for part, shape in zip(np.split(w, np.cumsum(SIZES)[:-1]), SHAPES)]


def logits(w, x):
    hidden, output = matrices(w)
    z = with_ones(x) @ hidden.T
    return with_ones(np.where(z.real > 0, z, 0)) @ output.T


def gradient(f, w):
    """The derivatives of f by w, by complex steps; f may have several values."""
    h = 1e-30
    return np.array([np.imag(f(w + 1j * h * e)) / h for e in np.eye(len(w))]).T


def softmax(z):
    e = np.exp(z - z.real.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def he(stream):
    """Weights from N(0, 2/inputs), biases 0 (He et al. 2015)."""
    all = [math.sqrt(2 / (cols - 1)) * stream.normals(rows * cols).reshape(rows, cols) for rows, cols in SHAPES]
    for w in all:
        w[:, -1] = 0
    return np.concatenate([w.ravel() for w in all])


NODE, WEIGHT = np.polynomial.hermite_e.hermegauss(50)


def expected_softmax(mean, variance):
    """E softmax(z) of independent Gaussian logits, by a product rule."""
    z = np.array(list(itertools.product(NODE, repeat=K))) * np.sqrt(variance) + mean
    weight = np.array(list(itertools.product(WEIGHT, repeat=K))).prod(axis=1)
    return weight @ softmax(z) / weight.sum()


def kalman(covariance, rank=3):
    """The extended Kalman filter in its form of information (Ollivier 2018), and three approximations."""
    stream, prior = Stream(), np.concatenate([np.full(a * b, 2 / b) for a, b in SHAPES])
    w = np.concatenate([math.sqrt(2 / SHAPES[0][1]) * stream.normals(SIZES[0]), np.zeros(SIZES[1])])
    P, up, low = np.diag(prior), 1 / prior, np.zeros((len(w), 0))
    for x, c in zip(X, CLASS):
        J = gradient(lambda w: logits(w, x[None])[0], w)
        p = softmax(logits(w, x[None])[0])
        S, g = np.diag(p) - np.outer(p, p), J.T @ (np.eye(K)[c] - p)
        if covariance == "bong":  # Jones, Chang and Murphy 2024
            P = np.diag(1 / (1 / np.diag(P) + np.diag(J.T @ S @ J)))
            w = w + P @ g
        elif covariance == "low-rank":  # Chang et al. 2023
            value, vector = np.linalg.eigh(S)
            low = np.hstack([low, J.T @ vector * np.sqrt(np.maximum(value, 0))])
            w = w + np.linalg.solve(np.diag(up) + low @ low.T, g)
            u, s, _ = np.linalg.svd(low, full_matrices=False)
            low, up = (u * s)[:, :rank], up + ((u * s)[:, rank:] ** 2).sum(axis=1)
            P = np.linalg.inv(np.diag(up) + low @ low.T)
        else:  # full; diagonal: Puskorius and Feldkamp 1991
            P = np.linalg.inv(np.linalg.inv(P) + J.T @ S @ J)
            w = w + P @ g
            if covariance == "diagonal":
                P = np.diag(np.diag(P))
    out = []
    for x in AT:
        J = gradient(lambda w: logits(w, x[None])[0], w)
        centred = J - J.mean(axis=0)
        variance = np.diag(centred @ P @ centred.T) * K / (K - 1)
        out.append(expected_softmax(logits(w, x[None])[0], variance))
    return out


def tagi():
    """Goulet, Nguyen and Amiri (2021), with the exact moments of a rectifier, and their tree of classes."""
    cdf, pdf = lambda x: (1 + math.erf(x / math.sqrt(2))) / 2, lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    cdf, pdf = np.vectorize(cdf), np.vectorize(pdf)
    paths = [[(0, 1), (1, 1)], [(0, 1), (1, -1)], [(0, -1), (2, 1)]]  # nodes and targets of each class
    stream, means, variances = Stream(), [], []
    for rows, cols in SHAPES:  # three classes have three nodes
        means.append(math.sqrt(0.5 / cols) * stream.normals(rows * cols).reshape(cols, rows).T)
        variances.append(np.full((rows, cols), 0.8 / cols))

    def forward(x):
        layers, m, v = [], np.append(x, 1), np.zeros(len(x) + 1)
        for M, V in zip(means, variances):
            mz, vz = M @ m, V @ m**2 + M**2 @ v + V @ v
            layers.append((m, v, mz, vz))
            r = mz / np.sqrt(vz)
            ma = mz * cdf(r) + np.sqrt(vz) * pdf(r)
            va = (mz**2 + vz) * cdf(r) + mz * np.sqrt(vz) * pdf(r) - ma**2
            m, v = np.append(ma, 1), np.append(va, 0)
        return layers

    for x, c in zip(X, CLASS):
        layers = forward(x)
        _, _, m, v = layers[-1]
        d, e = np.zeros(3), np.zeros(3)  # changes of mean and variance, over v and v²
        for node, target in paths[c]:
            d[node], e[node] = (target - m[node]) / (v[node] + 0.25), -1 / (v[node] + 0.25)
        for l in (1, 0):
            my, _, _, _ = layers[l]
            if l == 1:
                _, _, mz, vz = layers[0]
                J = cdf(mz / np.sqrt(vz))  # Cov(unit, pre-activation)/Var(pre-activation)
                below = J * (means[1][:, :-1].T @ d), J**2 * ((means[1][:, :-1] ** 2).T @ e)
            gain = variances[l] * my
            means[l] = means[l] + gain * d[:, None]
            variances[l] = variances[l] + gain**2 * e[:, None]
            d, e = below
    out = []
    for x in AT:
        _, _, m, v = forward(x)[-1]
        r = m / np.sqrt(v + 1 / 9)
        p = np.array([math.prod(cdf(target * r[node]) for node, target in path) for path in paths])
        out.append(p / p.sum())
    return out


def steps(**options):
    """Steps on one example after another, by scikit-learn."""
    net = MLPClassifier(WIDTHS[1:2], alpha=0, nesterovs_momentum=False, **options)
    net.partial_fit(X[:1], CLASS[:1], classes=range(K))  # makes the arrays, which the weights go into
    for W, coefficient, intercept in zip(matrices(he(Stream())), net.coefs_, net.intercepts_):
        coefficient[:], intercept[:] = W[:, :-1].T, W[:, -1]
    del net._optimizer
    for x, c in zip(X, CLASS):
        net.partial_fit([x], [c])
    return net.predict_proba(AT)


def softmax_regression(v):
    """The mode of the weights, a row for each class, under the prior N(0, v), by scikit-learn."""
    return LogisticRegression(C=v, fit_intercept=False, solver="newton-cg", tol=1e-7, max_iter=1000).fit(X1, CLASS).coef_


def laplace():
    """The mode with the Gaussian round it, and MacKay's formula for each pair of classes."""
    v = 2 / 4
    W, H, out = softmax_regression(v), np.eye(4 * K) / v, []
    for x, p in zip(X1, softmax(X1 @ W.T)):
        H += np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x))
    for x in AT1:
        J, z = np.kron(np.eye(K), x), W @ x
        C = J @ np.linalg.inv(H) @ J.T
        V = np.add.outer(np.diag(C), np.diag(C)) - 2 * C
        p = 1 / np.exp((z[None, :] - z[:, None]) / np.sqrt(1 + math.pi / 8 * V)).sum(axis=1)
        out.append(p / p.sum())
    return out


def class_gaussian():
    p = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X, CLASS).predict_proba(AT)
    p *= (COUNT + 1) / COUNT  # the frequencies with one more example of each class
    return p / p.sum(axis=1, keepdims=True)


def perceptron(lam=0.5):
    """Class 0 against the others: mean and variance of the activation given the label, by quadrature."""
    m, P = np.zeros(4), 2 * np.eye(4)
    node, weight = np.polynomial.hermite_e.hermegauss(150)
    probit = np.vectorize(lambda a: math.erfc(-lam * a / math.sqrt(2)) / 2)
    for x, c in zip(X1, CLASS):
        mean, v = m @ x, x @ P @ x
        a = mean + math.sqrt(v) * node
        q = weight * probit(a if c == 0 else -a)
        q /= q.sum()
        after = q @ a
        gain = P @ x / v
        m, P = m + gain * (after - mean), P + np.outer(gain, gain) * (q @ (a - after) ** 2 - v)
    p = [weight @ probit(m @ x + math.sqrt(x @ P @ x) * node) / weight.sum() for x in AT1]
    return [(a, 1 - a) for a in p]


for name, p in {
    "majority": (DummyClassifier(strategy="prior").fit(X, CLASS).predict_proba(AT) * N + 1) / (N + K),
    "nearest": (KNeighborsClassifier(5).fit(X[-30:], CLASS[-30:]).predict_proba(AT) * 5 + 1) / (5 + K),
    "class-gaussian": class_gaussian(),
    "map": softmax(AT1 @ softmax_regression(2 / 4).T),
    "laplace": laplace(),
    "sgd": steps(solver="sgd", momentum=0, learning_rate_init=0.1),
    "adam": steps(solver="adam", learning_rate_init=0.02),
    "kalman": kalman("full"),
    "kalman-diagonal": kalman("diagonal"),
    "low-rank": kalman("low-rank"),
    "bong": kalman("bong"),
    "tagi": tagi(),
    "perceptron": perceptron(),
}.items():
    print(name, *(f"{x:.12g}" for x in np.ravel(p)), sep=",")
