//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns the free space for this account and the size of a folder's disk, in bytes.
func freeSpace(dir string) (free, size uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	return disk.Bavail * uint64(disk.Bsize), disk.Blocks * uint64(disk.Bsize), nil
}
