package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// scratchFolder is the temporary folder of a program, the only one that it may write to.
const scratchFolder = "/tmp"

// Sizes of the file systems of a program's root.
const (
	rootBytes   = 1 << 20 // holds folders and links only
	rootInodes  = 8192
	scratchMore = 8192 // files and folders of the scratch folder
)

// isolate replaces the root of this mount namespace by one that has nothing but the system's software, a few devices
// and the files of the program, all of it read-only, and the scratch folder.
func isolate(r programRequest) error {
	steps := mounts{root: r.Root}
	steps.do("separate the mounts", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	steps.tmpfs("/", rootBytes, rootInodes, unix.MS_NOSUID|unix.MS_NODEV)
	if r.Program.Scratch > 0 {
		steps.folder(scratchFolder)
		steps.tmpfs(scratchFolder, r.Program.Scratch, scratchMore, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC)
	}
	for _, path := range slices.Concat(systemFolders, r.Program.ReadOnly, []string{r.Program.Path}) {
		steps.bind(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	}
	for _, path := range slices.Concat(readDevices, writeDevices) {
		steps.bind(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	}
	steps.attributes("/", 0, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if steps.err != nil {
		return steps.err
	}
	steps.do("enter the root", os.Chdir(r.Root))
	if steps.err == nil {
		steps.do("change the root", unix.PivotRoot(".", "."))
	}
	if steps.err == nil {
		steps.do("leave the old root", unix.Unmount(".", unix.MNT_DETACH))
	}
	if steps.err == nil {
		steps.do("enter the new root", os.Chdir("/"))
	}
	return steps.err
}

// mounts builds a root. After the first error it does nothing.
type mounts struct {
	root string
	err  error
}

func (m *mounts) do(what string, err error) {
	if m.err == nil && err != nil {
		m.err = fmt.Errorf("%s: %w", what, err)
	}
}

func (m *mounts) folder(path string) {
	if m.err == nil {
		m.do("make a folder", os.MkdirAll(m.root+path, 0o755)) //nolint:gosec // it is in a file system of its own
	}
}

func (m *mounts) tmpfs(path string, size, inodes int64, flags uintptr) {
	if m.err == nil {
		m.do("mount an empty file system", unix.Mount("tmpfs", m.root+path, "tmpfs", flags,
			fmt.Sprintf("size=%d,nr_inodes=%d,mode=0755", size, inodes)))
	}
}

// attributes adds attributes to a mount and, with AT_RECURSIVE, to those below it.
func (m *mounts) attributes(path string, flags uint, set uint64) {
	if m.err == nil {
		m.do("make a mount read-only", unix.MountSetattr(unix.AT_FDCWD, m.root+path, flags, &unix.MountAttr{Attr_set: set}))
	}
}

// bind makes a file, folder or link of the old root visible at the same path. A missing one is left out.
func (m *mounts) bind(path string, set uint64) {
	if m.err != nil {
		return
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		m.do("look at a path", err)
		return
	}
	if _, err := os.Lstat(m.root + path); err == nil {
		return // an earlier path covers it
	}
	m.folder(filepath.Dir(path))
	switch {
	case m.err != nil:
		return
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err == nil {
			err = os.Symlink(target, m.root+path)
		}
		m.do("make a link", err)
		return
	case info.IsDir():
		m.folder(path)
	default:
		f, err := os.OpenFile(m.root+path, os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // it is in a file system of its own
		if err == nil {
			err = f.Close()
		}
		m.do("make a file", err)
	}
	if m.err == nil {
		m.do("mount "+path, unix.Mount(path, m.root+path, "", unix.MS_BIND|unix.MS_REC, ""))
	}
	m.attributes(path, unix.AT_RECURSIVE, set)
}
