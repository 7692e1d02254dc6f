//go:build !linux

package main

import "os"

const syncName = "fsync"

func syncFile(f *os.File) error { return f.Sync() }
