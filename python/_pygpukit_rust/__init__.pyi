from pygpukit._pygpukit_rust import *
