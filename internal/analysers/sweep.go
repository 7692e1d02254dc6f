package analysers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The names of the folders with copies of changed files begin with workspacePrefix, and with newPrefix until they are locked.
const (
	workspacePrefix = "assay-analyser-"
	newPrefix       = "assay-new-analyser-"
)

// abandoned is the age from which a folder that was never locked belongs to a process that was killed. Locking takes microseconds.
const abandoned = time.Hour

// workFolder is a temporary folder that is locked as long as its process lives, so that [sweep] knows those of killed processes.
type workFolder struct {
	path string
	lock *os.File
}

func newWorkFolder() (f workFolder, err error) {
	made, err := os.MkdirTemp("", newPrefix)
	if err != nil {
		return f, fmt.Errorf("make a folder for an analyser: %w", err)
	}
	f.path = filepath.Join(filepath.Dir(made), workspacePrefix+strings.TrimPrefix(filepath.Base(made), newPrefix))
	if f.lock, err = lockFolder(made); err == nil {
		err = os.Rename(made, f.path) // the lock stays
	}
	if err != nil {
		f.path = made
		f.remove()
		return f, fmt.Errorf("lock a folder for an analyser: %w", err)
	}
	return f, nil
}

func (f workFolder) remove() {
	_ = os.RemoveAll(f.path)
	_ = f.lock.Close() // of nil, too
}

// lockFolder locks a folder for this process and opens it. It fails if another process has the lock. Programs that the process starts
// do not get it.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the folders that killed processes left in a temporary folder, because they hold code of repositories.
func sweep(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // the folder for the next analyser cannot be made either, and that is reported
	}
	for _, e := range entries {
		at := filepath.Join(folder, e.Name())
		switch {
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), workspacePrefix):
			if lock, err := lockFolder(at); err == nil {
				workFolder{at, lock}.remove()
			}
		case strings.HasPrefix(e.Name(), newPrefix):
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
				_ = os.RemoveAll(at) // the next sweep tries again
			}
		}
	}
}
