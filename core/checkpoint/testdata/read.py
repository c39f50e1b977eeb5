# Reads a checkpoint from the standard input, and prints as JSON what is in it, with
# the covariances in full.
import io
import json
import sys

import numpy as np

net = np.load(io.BytesIO(sys.stdin.buffer.read()))
config = json.loads(net["config"].item())
mean, cov = [], []
for layer in range(len(config["layers"]) - 1):
    mu = net[f"mean{layer}"]  # neurons × inputs
    if f"root{layer}" in net:
        root = net[f"root{layer}"]
        root = root.reshape(-1, mu.shape[1], root.shape[1])  # neurons, or 1 if shared, × inputs × inputs
        sigma = root @ root.transpose(0, 2, 1)
        sigma = np.broadcast_to(sigma, (len(mu), *sigma.shape[1:]))
    else:
        sigma = np.array([np.diag(v) for v in net[f"variance{layer}"]])
    mean.append(mu.tolist())
    cov.append(sigma.tolist())
print(json.dumps({
    "format": int(net["format"]), "layers": config["layers"], "rule": config["output"],
    "mean": mean, "cov": cov,
}))
