package main

import (
	"os"
	"syscall"
)

const syncName = "fdatasync"

func syncFile(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
