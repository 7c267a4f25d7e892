"""iso::host::solve for the scripts of this folder: builds host_library.cpp with g++ and loads it."""
import ctypes
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ARGUMENTS = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 2 + [ctypes.c_int]


def build(folder):
    """solve(bits, y, w, fit, rows, n, threads) on addresses (w: None for no weights); it raises if iso refuses."""
    library = pathlib.Path(folder) / "libiso_host.so"
    subprocess.run(["g++", "-std=c++20", "-O3", "-shared", "-fPIC", "-pthread", f"-I{HERE.parent.parent}/include",
                    str(HERE / "host_library.cpp"), "-o", str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    functions = {bits: getattr(loaded, f"iso_host_solve_f{bits}") for bits in (32, 64)}
    for function in functions.values():
        function.argtypes = ARGUMENTS

    def solve(bits, *arguments):
        if functions[bits](*arguments):
            raise RuntimeError("iso refused")
    return solve
