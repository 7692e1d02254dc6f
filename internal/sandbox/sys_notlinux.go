//go:build !linux

package sandbox

import "os"

// notHere is what a child lacks on this system.
const notHere = "limits of memory, processor time and files, and Landlock: they are made for Linux"

// ownPath is this program's file.
func ownPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
