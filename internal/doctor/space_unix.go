//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns how much of the disk of a folder is free for this account, and how large the disk is, in bytes.
func freeSpace(dir string) (free, size uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	return disk.Bavail * uint64(disk.Bsize), disk.Blocks * uint64(disk.Bsize), nil
}
