"""Every version and checksum that the commands rely on, in one place."""

from __future__ import annotations

from dataclasses import dataclass

NUMBA = "0.68.1"
LLVMLITE = "0.50.0"
CARRIED = (("numba", NUMBA), ("llvmlite", LLVMLITE))  # what the extension carries
NUMPY = "2.4.6"
PYTEST = "pytest==9.0.3"


@dataclass(frozen=True)
class Blender:
    """A Blender as the wheel `bpy`, which exists for one Python each."""

    name: str
    bpy: str
    python: tuple[int, int]

    @property
    def abi(self) -> str:
        return f"cp{self.python[0]}{self.python[1]}"


# Newest first: the bake takes the first one whose Python is there.
BLENDERS = (Blender("5.2", "5.2.3", (3, 13)), Blender("4.5", "4.5.15", (3, 11)))
PYTHONS = tuple(blender.python for blender in BLENDERS)

# Nothing but bpy and pytest: numba has to come out of the extension's own wheels.
BLENDER_REQUIREMENTS = {
    "5.2": ("bpy==5.2.3", "numpy==2.4.6", PYTEST),
    "4.5": ("bpy==4.5.15", "numpy==1.26.4", PYTEST),
}
SOLVER_REQUIREMENTS = (
    f"numpy=={NUMPY}",
    f"numba=={NUMBA}",
    f"llvmlite=={LLVMLITE}",
    "scipy==1.17.1",
    "hypothesis==6.160.0",
    PYTEST,
)
VALIDATION_REQUIREMENTS = (
    f"numpy=={NUMPY}",
    f"numba=={NUMBA}",
    f"llvmlite=={LLVMLITE}",
    "scipy==1.17.1",
    "matplotlib==3.11.2",
    "pillow==13.0.0",
)
CHECK_REQUIREMENTS = (
    f"numpy=={NUMPY}",
    "ruff==0.16.10",
    "mypy==2.4.1",
    "fake-bpy-module-5.2==20260730",
)

# Blender's name of a platform → pip's tag to download for, and the tag in the files' names.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64.manylinux_2_28_x86_64"),
    "windows-x64": ("win_amd64", "win_amd64"),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_12_0_arm64"),
}
# ABIs of the release; a zip for a test in another Blender may take one of the others below.
RELEASE_ABIS = ("cp311", "cp313")

# SHA-256 of the unmodified wheels, (package, abi, platform).
WHEELS = {
    ("numba", "cp311", "linux-x64"): "58fe7a3810261cf13797d8aa94c018cfe91e1e8adf634df60eb60ef834f9367b",
    ("numba", "cp311", "windows-x64"): "e5a2d544d8a2da45f9cc5856ed794c31f133ada51ef7a734a9b7cd4596e1887f",
    ("numba", "cp311", "macos-arm64"): "fb83f1043e53753503d303036065990ff48fe0ef901e897153f57b2aec12c38d",
    ("numba", "cp313", "linux-x64"): "4d1b544f37fc237d16698a4266bb3d5b3c40ec8aa4c925a191ff09ec6d115310",
    ("numba", "cp313", "windows-x64"): "dc3f29d540be5fc60699dbac53fc04f246cbf503a4e2e8315f04b70fcd9f1ec7",
    ("numba", "cp313", "macos-arm64"): "c9cc5e30f0ec71d1d6e706cd3f9f98218a0221ee8cf25bb2079bdc1a9c4ae65a",
    ("numba", "cp314", "linux-x64"): "b4d210701b32d1d4ffe26d5fc4e96c6b47e2c5d6c4c1a0f76dc48c156ef295ea",
    ("numba", "cp314", "windows-x64"): "5d4bd6ff1923d0b32a2208eaf3e1940f4548a13fdba8bd1ee7893b8f4b8f55f8",
    ("numba", "cp314", "macos-arm64"): "d372139235fcf11e3d81d1f145584e38c75a839b4d02f1f999cda1b134965eba",
    ("llvmlite", "cp311", "linux-x64"): "a6ffde00d4be8772a24e3e8b3af6bf86a79e7cf066d944ef56136b3957d707dc",
    ("llvmlite", "cp311", "windows-x64"): "ffe46ef508df226e54b5fe1f7bf11122e5297bcdbb3902cc5b670a429d56ff47",
    ("llvmlite", "cp311", "macos-arm64"): "818b3d4845ac8e126e23cb500867570d0602a42a43e67b14acec31f046e03130",
    ("llvmlite", "cp313", "linux-x64"): "425845f415a06dc50db08db033c6b568e0d85c4937e932c605a4d49e1514b2da",
    ("llvmlite", "cp313", "windows-x64"): "266a6a29be71c3e3a22960ddcedf66b4e0388e5abb6cc4991cc093d6df402ad7",
    ("llvmlite", "cp313", "macos-arm64"): "a32980e3d727b0e56974ad89d0764920048602a75805b8917cc0298e798b0ced",
    ("llvmlite", "cp314", "linux-x64"): "33ddf12b1e12d7e551e1c1e6ca8087d0aacc931f480019eb33ef2ab77681da4d",
    ("llvmlite", "cp314", "windows-x64"): "7ae211012c6849528a5f7cd17a78d8b2421a2813c7b4184d6c0b2ffa89a7d296",
    ("llvmlite", "cp314", "macos-arm64"): "ecdc9fae295da8ac793578a27020515e24d970513143efa227e696582aeb16e6",
}


def wheel_names(abi: str, platform: str) -> list[str]:
    """File names of the wheels that one ABI on one platform needs."""
    tag = PLATFORMS[platform][1]
    return [f"{package}-{version}-{abi}-{abi}-{tag}.whl" for package, version in CARRIED]


def wheel_checksum(name: str) -> str:
    """SHA-256 a wheel file of that name must have."""
    package, _version, _python, abi, tag = name.removesuffix(".whl").split("-")
    platform = next(key for key, (_, file_tag) in PLATFORMS.items() if file_tag == tag)
    return WHEELS[package, abi, platform]
