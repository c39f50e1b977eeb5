"""Methods of scikit-learn, for kind = "command": see ../README.md, "In any language".

Usage: scikit_learn.py METHOD, a key of METHODS. Settings are arguments of the class of scikit-learn. One thread, seeded.
"""

import json
import os
import platform
import sys
import warnings
from importlib.metadata import version
from itertools import islice


def processor():
    """Returns the processor, on which the last digits of linear algebra depend."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if sys.argv[1:] == ["--version"]:
    print(*(f"{name} {version(name)}," for name in ("scikit-learn", "numpy", "scipy")), f"Python {sys.version.split()[0]},", processor())
    sys.exit()

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before the libraries are loaded

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

warnings.simplefilter("ignore")  # of solvers that stop at max_iter


class GaussianProcess(GaussianProcessClassifier):
    """A Gaussian process with an RBF kernel of a variance and a length in units of √inputs. It learns a random
    subset of most examples, if there are more: its time is cubic in them."""

    def __init__(self, variance=1.0, length=1.0, most=500, random_state=None):
        self.variance, self.length, self.most = variance, length, most
        super().__init__(optimizer=None, random_state=random_state)

    def fit(self, x, y):
        self.kernel = ConstantKernel(self.variance) * RBF(self.length * x.shape[1] ** 0.5)
        rows = np.random.RandomState(self.random_state).permutation(len(x))[: self.most]
        return super().fit(x[rows], y[rows])


METHODS = {
    "forest": RandomForestClassifier,
    "extra-trees": ExtraTreesClassifier,
    "boosting": HistGradientBoostingClassifier,
    "svm": SVC,
    "mlp": MLPClassifier,
    "logistic": LogisticRegression,
    "gaussian-process": GaussianProcess,
}


def predict(model, x, classes):
    """Returns probabilities of all classes, none of them 0.

    Trees vote: one more vote, for all classes alike, keeps the log loss finite. The others at worst underflow.
    """
    known = getattr(model, "classes_", np.arange(0))
    p = np.full((len(x), classes), 0.0 if len(known) else 1.0)
    if len(known):
        p[:, known] = model.predict_proba(x)
    p = p * model.n_estimators + 1 / classes if hasattr(model, "n_estimators") else np.maximum(p, 1e-15)
    return p / p.sum(axis=1, keepdims=True)


def main():
    while line := sys.stdin.readline():
        if line[0] == "{":
            head = json.loads(line)
            classes = head["classes"]
            model = METHODS[sys.argv[1]](**(head["settings"] or {}), random_state=head["seed"])
            continue
        word, n = line.split()
        block = np.array([line.split(",") for line in islice(sys.stdin, int(n))], float)
        if word == "predict":
            np.savetxt(sys.stdout, predict(model, block, classes), "%.17g", ",")
            sys.stdout.flush()
        elif head["stream"]:
            model.partial_fit(block[:, :-1], block[:, -1].astype(int), np.arange(classes))
        else:
            model.fit(block[:, :-1], block[:, -1].astype(int))


main()
