//go:build !linux

package sandbox

import "os"

// notHere describes the parts of the sandbox that this system lacks.
const notHere = "limits of memory, processor time and files, and Landlock: they are made for Linux"

// ownPath returns the path of this program's file.
func ownPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
