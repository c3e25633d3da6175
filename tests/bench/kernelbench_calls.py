"""What PyTorch's own calls are for the ports: call_of(level, number, sizes) makes a problem's inputs on the GPU and returns
a function that runs what the benchmark's model does, operator by operator: nothing is shortened, dropout is drawn anew."""
import inspect
import math

import torch
import torch.nn.functional as F

# Convolutions of level 1 by the problem's number: taps, whether transposed, and what is not the default.
CONVOLUTIONS = {
    50: ((11, 11), False, {"stride": 4, "padding": 2}), 54: ((3, 3, 3), False, {}), 55: ((3, 3), False, {}),
    56: ((5, 7), False, {}), 57: ((3, 3), True, {}), 58: ((3, 5, 7), True, {}), 59: ((3, 3, 1), False, {}),
    60: ((3, 5, 7), False, {}), 61: ((3, 3, 3), True, {}), 62: ((5, 9), False, {}), 63: ((3, 3), False, {}),
    64: ((3,), True, {}), 65: ((3, 7), True, {}), 66: ((3, 5, 7), False, {}), 67: ((3,), False, {}),
    68: ((3, 5, 5), True, {}), 69: ((3, 5), True, {}), 70: ((3, 3, 3), True, {}), 71: ((3, 3), True, {}),
    72: ((3, 5, 7), True, {"stride": 2, "padding": (1, 2, 3), "output_padding": 1, "groups": 4}),
    73: ((3, 3, 3), True, {"stride": 2, "padding": 1, "groups": 4}), 74: ((5,), True, {"dilation": 3}),
    75: ((3, 5), True, {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1), "groups": 4}),
    76: ((3,), False, {"stride": 3, "dilation": 4}),
    77: ((3, 3, 3), True, {"stride": 2, "padding": 1, "dilation": 2}), 78: ((3, 7), True, {"padding": (1, 3)}),
    79: ((3,), True, {"stride": 2, "padding": 1, "dilation": 2}),
    80: ((5, 9), False, {"padding": (2, 4), "dilation": (2, 3)}),
    81: ((3, 3), True, {"stride": 5, "padding": 1, "dilation": 2}),
    82: ((3, 3), False, {}), 83: ((3, 1), False, {}), 84: ((3, 3), False, {}), 85: ((3, 7), False, {}),
}


def rand(*shape, low=-1.0, high=1.0, dtype=torch.float32):
    return torch.empty(shape, device="cuda", dtype=dtype).uniform_(low, high)


def convolution(number, s):
    taps, back, rest = CONVOLUTIONS[number]
    n, rest = len(taps), dict(rest)
    if "channels" in s:  # of each channel alone
        s, rest = {**s, "ci": s["channels"], "co": 1}, {"groups": s["channels"]}
    ci, co, groups = s["ci"], s["co"], rest.get("groups", 1)
    outputs = co * (s["channels"] if "channels" in s else 1)
    extent = [s[axis] for axis in "dhw"[3 - n:]]
    x = rand(s["batch"], ci, *extent)
    weight = rand(ci, co // groups, *taps) if back else rand(outputs, ci // groups, *taps)
    call = getattr(F, f"conv_transpose{n}d" if back else f"conv{n}d")
    return lambda: call(x, weight, **rest)


def product(s, left="mk", right="kn"):
    batch = [s["batch"]] if "batch" in s and "rows" not in s else []
    a = rand(*batch, *(s[i] for i in left))
    b = rand(*batch, *(s[i] for i in right))
    a, b = (a.mT if left == "km" else a), (b.mT if right == "nk" else b)
    return lambda: torch.matmul(a, b)


def on(call, *shape, **kwargs):
    x = rand(*shape, **kwargs)
    return lambda: call(x)


def triangular(s, part):
    a, b = part(rand(s["n"], s["n"])), part(rand(s["n"], s["n"]))
    return lambda: part(torch.matmul(a, b))


def loss(call, *shapes, low=-1.0):
    inputs = [rand(*shape, low=low) for shape in shapes]
    return lambda: call(*inputs)


def separable(s):
    x, each, across = rand(s["batch"], s["ci"], s["h"], s["w"]), rand(s["ci"], 1, 3, 3), rand(s["co"], s["ci"], 1, 1)
    return lambda: F.conv2d(F.conv2d(x, each, padding=1, groups=s["ci"]), across)


def cross_entropy(s):
    x, targets = rand(s["rows"], s["classes"], low=-4, high=4), torch.randint(s["classes"], (s["rows"],), device="cuda")
    return lambda: F.cross_entropy(x, targets)


def masked(s):
    x, mask = rand(s["rows"], s["cols"]), torch.randint(2, (s["rows"], s["cols"]), device="cuda", dtype=torch.bool)
    return lambda: torch.cumsum(x * mask, 1)


def from_zero(s):
    x = rand(s["rows"], s["cols"])
    zeros = torch.zeros(s["rows"], 1, device="cuda")
    return lambda: torch.cumsum(torch.cat((zeros, x), 1), 1)


def attention(s):
    q, k, v = (rand(s["heads"] // 32, 32, s["n"], s["d"], dtype=torch.float16) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


def norm(call):
    return lambda s: on(call, s["rows"], s["cols"])


def image(call):
    """norms over images of 256 x 256"""
    return lambda s: on(call, s.get("batch", 16), s.get("channels", 64), 256, s.get("pixels", 65536) // 256)


def middle(call):
    return lambda s: on(call, s["batch"], s["rows"], s["cols"])


def along(call):
    return lambda s: on(call, s["rows"], s["cols"])


def flat(call):
    return lambda s: on(call, s["n"] // 16384, 16384)


def new_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * torch.pow(x, 3.0))))


def swish(x):
    return x * torch.sigmoid(x)


def layer_norm(s):
    x, gamma, beta = rand(s["rows"], s["cols"]), rand(s["cols"]), rand(s["cols"])
    return lambda: F.layer_norm(x, (s["cols"],), gamma, beta)


def vector(s):
    a, b = rand(s["m"], s["k"]), rand(s["k"], 1)
    return lambda: torch.matmul(a, b)


def diagonal(s):
    a, b = rand(s["m"]), rand(s["m"], s["n"])
    return lambda: torch.diag(a) @ b


LEVEL1 = {
    **dict.fromkeys((1, 2, 3, 6, 7, 8, 9, 10, 11, 13), product),
    4: vector, 5: flat(lambda x: x * 3.14), 12: diagonal, 14: lambda s: triangular(s, torch.triu), 15: lambda s: triangular(s, torch.tril),
    16: lambda s: product(s, left="km"), 17: lambda s: product(s, right="nk"), 18: lambda s: product(s, left="km", right="nk"),
    19: flat(torch.relu), 20: flat(lambda x: F.leaky_relu(x, 0.01)), 21: flat(torch.sigmoid), 22: flat(torch.tanh),
    23: along(lambda x: torch.softmax(x, 1)), 24: along(lambda x: torch.log_softmax(x, 1)), 25: flat(swish),
    26: flat(F.gelu), 27: flat(torch.selu), 28: flat(F.hardsigmoid), 29: flat(F.softplus), 30: flat(F.softsign), 31: flat(F.elu),
    32: flat(F.hardtanh), 33: image(lambda x: F.batch_norm(x, None, None, training=True)), 34: image(F.instance_norm),
    35: image(lambda x: F.group_norm(x, 8)), 36: image(lambda x: x / torch.sqrt(torch.mean(x ** 2, 1, keepdim=True) + 1e-5)),
    37: flat(lambda x: x / torch.norm(x, p="fro")), 38: along(lambda x: x / torch.mean(torch.abs(x), 1, keepdim=True)),
    39: along(lambda x: x / torch.norm(x, p=2, dim=1, keepdim=True)), 40: layer_norm,
    41: lambda s: on(lambda x: F.max_pool1d(x, 8, 1, 4, 3), 64, s["planes"] // 64, s["length"]),
    42: lambda s: on(lambda x: F.max_pool2d(x, 4, 1, 1), 32, s["planes"] // 32, s["h"], s["w"]),
    43: lambda s: on(lambda x: F.max_pool3d(x, 3, 2, 1, 3), 16, s["planes"] // 16, s["d"], s["h"], s["w"]),
    44: lambda s: on(lambda x: F.avg_pool1d(x, 8, 1, 4), 64, s["planes"] // 64, s["length"]),
    45: lambda s: on(lambda x: F.avg_pool2d(x, 3), 16, s["planes"] // 16, s["h"], s["w"]),
    46: lambda s: on(lambda x: F.avg_pool3d(x, 3, 2, 1), 16, s["planes"] // 16, s["d"], s["h"], s["w"]),
    47: middle(lambda x: torch.sum(x, 1, keepdim=True)), 48: middle(lambda x: torch.mean(x, 1)),
    49: middle(lambda x: torch.max(x, 1)[0]), 51: middle(lambda x: torch.argmax(x, 1)),
    52: middle(lambda x: torch.argmin(x, 1)), 53: middle(lambda x: torch.min(x, 1)[0]), 86: separable,
    87: lambda s: loss(F.conv2d, (s["batch"], s["ci"], 256, s["pixels"] // 256), (s["co"], s["ci"], 1, 1)), 88: flat(new_gelu),
    89: along(lambda x: torch.cumsum(x, 1)), 90: along(lambda x: torch.cumprod(x, 1)),
    91: along(lambda x: torch.cumsum(x.flip(1), 1).flip(1)), 92: from_zero, 93: masked,
    94: lambda s: loss(lambda p, t: torch.mean((p - t) ** 2), (s["n"],), (s["n"],)), 95: cross_entropy,
    96: lambda s: loss(F.smooth_l1_loss, (s["n"],), (s["n"],)), 97: attention,
    98: lambda s: loss(lambda p, t: F.kl_div(torch.log(p), t, reduction="batchmean"), *[(16384, s["n"] // 16384)] * 2, low=0.01),
    99: lambda s: loss(lambda a, p, n: F.triplet_margin_loss(a, p, n, margin=1.0), *[(s["rows"], s["cols"])] * 3),
    100: lambda s: loss(lambda p, t: torch.mean(torch.clamp(1 - p * t, min=0)), (s["rows"], s["cols"]), (s["cols"],)),
}

ROW = {"dim": 1, "keepdim": True}  # over a row's columns, or an image's channels


def weights(*shape):
    """weights and bias of a layer, of the range that they have when it was just made"""
    bound = math.prod(shape[1:]) ** -0.5
    return rand(*shape, low=-bound, high=bound), rand(shape[0], low=-bound, high=bound)


def after(layer, x, shape, each, call, s, bias=True):
    """call on what the layer makes of x. Its other parameters are sizes where the port has one of that name, else random
    numbers, one for each of the layer's outputs"""
    x, (weight, offset) = rand(*x), weights(*shape)
    others = [s[name] if name in s else rand(*each) for name in list(inspect.signature(call).parameters)[1:]]
    return lambda: call(layer(x, weight, offset if bias else None), *others)


def linear(call, **kwargs):
    return lambda s: after(F.linear, (s["m"], s["k"]), (s["n"], s["k"]), (s["n"],), call, s, **kwargs)


def conv2d(call):
    return lambda s: after(F.conv2d, (s["batch"], s["ci"], s["h"], s["w"]), (s["co"], s["ci"], 3, 3), (s["co"], 1, 1), call, s)


def conv3d(call):
    return lambda s: after(F.conv3d, (s["batch"], s["ci"], s["d"], s["h"], s["w"]), (s["co"], s["ci"], 3, 3, 3), (s["co"],), call, s)


def two_layers(s):
    weight, bias = weights(s["n2"], s["n"])
    return linear(lambda v: torch.logsumexp(F.linear(torch.sigmoid(v), weight, bias), 1))(s)


def batch_norm(v, gamma, beta):
    """of the batch alone, as in the ports: the running statistics that a model keeps beside are left out"""
    return F.batch_norm(v, None, None, gamma, beta, training=True)


def least(v):
    return torch.min(v, **ROW)[0]


def largest(v):
    return torch.max(v, **ROW)[0]


def log_sum_exp(v):
    return torch.logsumexp(v, **ROW)


def doubled(v):
    return v + v


def hard_swish(v):
    return v * torch.clamp((v + 3) / 6, 0, 1)


def times_mish(v):
    return v * F.mish(v)


def centred(v):
    return v - torch.mean(v, **ROW)


def at_most_0(v):
    return torch.min(v, torch.tensor(0.0, device=v.device))


LEVEL2 = {
    1: conv2d(lambda v, added: torch.relu(v) + added), 4: conv2d(lambda v: F.mish(F.mish(v))),
    9: linear(lambda v: torch.relu((v - 2) * 1.5)), 12: linear(lambda v: F.leaky_relu(v * 2, 0.1)),
    14: linear(lambda v: torch.sum(v / 2, **ROW) * 1.5, bias=False),
    18: linear(lambda v: log_sum_exp(log_sum_exp(torch.mean(largest(torch.sum(v, **ROW)), **ROW)))),
    22: linear(lambda v: times_mish(log_sum_exp(torch.clamp(doubled(v * 2), -10, 10)))),
    23: conv3d(lambda v, groups, gamma, beta: torch.mean(F.group_norm(v, groups, gamma, beta), (1, 2, 3, 4))),
    25: conv2d(lambda v: torch.tanh(torch.tanh(least(v)))), 29: linear(lambda v: F.mish(F.mish(v))),
    30: linear(lambda v, groups, gamma, beta: F.hardtanh(F.group_norm(v, groups, gamma, beta), -2, 2)),
    32: conv2d(lambda v: least(v * 2)),
    33: linear(lambda v, factor, gamma, beta: batch_norm(v * factor, gamma, beta)),
    37: linear(lambda v, added, groups, gamma, beta: F.group_norm(swish(v) + added, groups, gamma, beta)),
    39: linear(lambda v, factor, gamma, beta: batch_norm(v * factor, gamma, beta)),
    40: linear(lambda v: v.clone().detach() + v * 0.5),
    41: linear(lambda v, gamma, beta: torch.relu(F.gelu(batch_norm(v, gamma, beta)))), 45: two_layers,
    53: linear(lambda v: F.gelu(F.hardtanh(v * 0.5, -2, 2))),
    54: conv2d(lambda v, factor: F.gelu(F.leaky_relu(v * factor, 0.01))),
    56: linear(lambda v: torch.sum(torch.sigmoid(v), **ROW)),
    57: conv2d(lambda v: hard_swish(torch.relu(v))),
    59: linear(lambda v: swish(v) * 2),
    62: linear(lambda v, groups, gamma, beta: doubled(F.leaky_relu(F.group_norm(v, groups, gamma, beta), 0.01))),
    63: linear(lambda v: torch.relu(v) / 2),
    64: linear(lambda v: F.gelu(F.gelu(F.leaky_relu(F.leaky_relu(log_sum_exp(v), 0.01), 0.01)))),
    66: linear(lambda v: torch.softmax(F.dropout(v, 0.2), 1)), 69: conv2d(lambda v: torch.relu(F.hardswish(v))),
    70: linear(lambda v: torch.sigmoid(v) * 2 + v), 71: conv2d(lambda v: F.leaky_relu(v / 2, 0.01)),
    76: linear(lambda v, added: torch.relu(v + added), bias=False), 80: linear(lambda v: F.gelu(centred(largest(v)))),
    81: linear(lambda v: torch.clamp(torch.tanh(torch.clamp(swish(v) / 2, -1, 1)), -1, 1)),
    83: conv3d(lambda v, groups, gamma, beta: F.dropout(torch.clamp(at_most_0(F.group_norm(v, groups, gamma, beta)), 0, 1), 0.2)),
    86: linear(lambda v: F.gelu(v / 10)), 87: conv2d(lambda v: F.mish(v - 0.5 - 0.2)),
    88: linear(lambda v, groups, gamma, beta, factor: swish(swish(F.group_norm(v, groups, gamma, beta)) * factor)),
    95: linear(lambda v, added: F.hardtanh(F.gelu(torch.tanh(swish(v + added))))),
    99: linear(lambda v: torch.softmax(F.gelu(v), 1)),
}


def call_of(level, number, s):
    if level == 1 and number in CONVOLUTIONS:
        return convolution(number, s)
    return (LEVEL1, LEVEL2)[level - 1][number](s)
