package analysers

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// workspacePrefix begins the names of the folders with copies of changed files.
const workspacePrefix = "assay-analyser-"

// abandoned is the age from which a folder belongs to a process that was killed. It is far above [allTime].
const abandoned = time.Hour

// sweep removes the folders that killed processes left in a temporary folder, because they hold code of repositories.
func sweep(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // the folder for the next analyser cannot be made either, and that is reported
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), workspacePrefix) && now.Sub(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(folder, e.Name())) // the next sweep tries again
		}
	}
}
