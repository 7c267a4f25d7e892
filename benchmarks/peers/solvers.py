"""The solvers that compare.py runs: ours and other libraries', each behind the same few members.

A solver has `name`, `version`, and
    tolerance       of each dtype: how far its fit may be from the exact one, relative to the largest value
    why_not(case)   why it does not run a case, or an empty text
    bind(y, w)      a call without arguments that solves the rows of y (w: None for no weights). What can be
                    prepared once, such as buffers and copies of the data, is made here, outside of what is timed.
    tensor(result)  the fit that such a call returned, as a tensor of the shape of y
Peers are called as their documentation says; a library that cannot be imported is reported, with the reason.
"""
import ctypes
import importlib
import importlib.metadata

import numpy as np
import torch

BITS = {torch.float32: 32, torch.float64: 64}


class Solver:
    tolerance = {torch.float32: 0.0, torch.float64: 0.0}
    version = ""

    def why_not(self, case):
        return ""

    def tensor(self, result):
        return result


class IsoDevice(Solver):
    """iso::solve, from the library that the CMake target iso_peers builds."""
    name = "iso"

    def __init__(self, path):
        library = ctypes.CDLL(str(path.resolve()))
        self.solve, self.workspace_bytes = {}, {}
        for dtype, bits in BITS.items():
            self.solve[dtype] = getattr(library, f"iso_solve_f{bits}")
            self.solve[dtype].argtypes = ([ctypes.c_void_p] * 3 + [ctypes.c_int64] * 2 +
                                          [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p])
            self.solve[dtype].restype = ctypes.c_char_p
            self.workspace_bytes[dtype] = getattr(library, f"iso_workspace_bytes_f{bits}")
            self.workspace_bytes[dtype].argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
            self.workspace_bytes[dtype].restype = ctypes.c_int64

    def bind(self, y, w):
        fit = torch.empty_like(y)
        room = self.workspace_bytes[y.dtype](w is not None, *y.shape)
        workspace = torch.empty(room, dtype=torch.uint8, device=y.device)
        arguments = (y.data_ptr(), None if w is None else w.data_ptr(), fit.data_ptr(), *y.shape,
                     workspace.data_ptr(), room, torch.cuda.current_stream().cuda_stream)

        def call(_keep=(y, w, workspace)):
            refused = self.solve[y.dtype](*arguments)
            if refused:
                raise RuntimeError(refused.decode())
            return fit
        return call


class IsoHost(Solver):
    """iso::host::solve on all threads, from host_library.py."""
    name = "iso"

    def __init__(self, solve):
        self.solve = solve

    def bind(self, y, w):
        fit = torch.empty_like(y)
        weights = None if w is None else w.data_ptr()

        def call(_keep=(y, w)):
            self.solve(BITS[y.dtype], y.data_ptr(), weights, fit.data_ptr(), *y.shape, 0)
            return fit
        return call


class TorchIsotonic(Solver):
    """Compiles its kernels when it is first called, which takes about a minute."""
    tolerance = {torch.float32: 1e-5, torch.float64: 1e-12}

    def __init__(self, exact=True):
        self.fit = importlib.import_module("torchisotonic").isotonic
        self.version = importlib.metadata.version("torchisotonic")
        self.options = {} if exact else {"exact": False}
        self.name = "TorchIsotonic" if exact else "TorchIsotonic, exact=False"
        if not exact:  # its documentation: a few parts in a thousand, on hard inputs; it is about float32 alone
            self.tolerance = {torch.float32: 1e-2}

    def why_not(self, case):
        return "" if case.dtype in self.tolerance else "the same as with exact=True"

    def bind(self, y, w):
        arguments = (y,) if w is None else (y, w)
        return lambda: self.fit(*arguments, **self.options)


class Torchsort(Solver):
    """The solver inside of torchsort's soft_sort: one thread a row, non-increasing, so it gets -y."""
    name = "torchsort"
    tolerance = {torch.float32: 1e-2, torch.float64: 1e-9}

    def __init__(self, device):
        importlib.import_module("torchsort")
        kernels = "torchsort.isotonic_cuda" if device == "cuda" else "torchsort.isotonic_cpu"
        self.fit = importlib.import_module(kernels).isotonic_l2
        self.version = importlib.metadata.version("torchsort")

    def why_not(self, case):
        if case.weighted:
            return "has no weights"
        return "one thread a row: not with more than 10^6 elements" if case.n > 10**6 else ""

    def bind(self, y, w):
        negated = -y
        return lambda: self.fit(negated)

    def tensor(self, result):
        return -result


class RowByRow(Solver):
    """A library of the CPU that solves one row a call."""
    def why_not(self, case):
        if case.rows > 1000:
            return "one call a row: not with more than 1000 rows"
        return "on the CPU: not with more than 10^7 elements" if case.rows * case.n > 10**7 else ""

    def bind(self, y, w):
        values, weights = y.cpu().numpy(), None if w is None else w.cpu().numpy()
        fit = np.empty_like(values)

        def call():
            for r in range(len(values)):
                fit[r] = self.row(values[r], None if weights is None else weights[r])
            return fit
        return call

    def tensor(self, result):
        return torch.from_numpy(result)


class SciPy(RowByRow):
    name = "SciPy (CPU)"
    tolerance = {torch.float32: 1e-6, torch.float64: 1e-9}  # in float64 always, then rounded to the dtype

    def __init__(self):
        self.fit = importlib.import_module("scipy.optimize").isotonic_regression
        self.version = importlib.metadata.version("scipy")

    def row(self, y, w):
        return self.fit(y, weights=w).x


class ScikitLearn(RowByRow):
    name = "scikit-learn (CPU)"
    tolerance = {torch.float32: 1e-3, torch.float64: 1e-9}

    def __init__(self):
        self.fit = importlib.import_module("sklearn.isotonic").isotonic_regression
        self.version = importlib.metadata.version("scikit-learn")

    def row(self, y, w):
        return self.fit(y, sample_weight=w)


def find_peers(device):
    """The peers that can be imported, and for each of the others why it cannot be."""
    made = {"TorchIsotonic": TorchIsotonic, "TorchIsotonic, exact=False": lambda: TorchIsotonic(exact=False),
            "torchsort": lambda: Torchsort(device), "SciPy (CPU)": SciPy, "scikit-learn (CPU)": ScikitLearn}
    peers, missing = [], {}
    for name, make in made.items():
        try:
            peers.append(make())
        except Exception as error:  # an extension that was built for another PyTorch fails in its own ways
            missing[name] = f"{type(error).__name__}: {error}"
    return peers, missing
