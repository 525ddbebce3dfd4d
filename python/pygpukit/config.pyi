"""What PyGPUkit found on this machine, for people and bug reports."""

__all__ = ["config", "show_config"]

def config() -> str:
    """The text that `show_config` prints."""

def show_config() -> None:
    """Prints what was found on this machine.

    The version, the devices and the default one, the NVIDIA driver, every place where
    NVRTC was looked for with the verdict on it, and the environment variables that
    matter.

    Example:
        >>> import pygpukit as gp
        >>> gp.show_config()  # doctest: +ELLIPSIS
        pygpukit ...
        devices: ...
    """
