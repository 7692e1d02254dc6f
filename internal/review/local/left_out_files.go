package local

import (
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/review/engine"
)

// maxLeft bounds the unread files that a report names one by one.
const maxLeft = 1000

// unread lists the files of the working tree that were left out, and counts those beyond a bound. It skips
// folders that are repositories. A file that the commits of the change contain as well becomes unread in
// the coverage of the result.
func (c comparison) unread(res *engine.Result) (left []engine.FileNote, more int) {
	known := map[string]*engine.FileNote{}
	for _, l := range [][]engine.FileNote{res.Coverage.Reviewed, res.Coverage.Skimmed, res.Coverage.Skipped} {
		for i := range l {
			known[l[i].Path] = &l[i]
		}
	}
	for _, f := range c.LeftOut {
		n := known[f.Path]
		switch {
		case strings.HasSuffix(f.Path, "/"):
		case n != nil && f.Written:
			n.Extent, n.Why = engine.ExtentUnread, f.Why
		case n != nil:
		case len(left) == maxLeft:
			more++
		default:
			left = append(left, engine.FileNote{Path: f.Path, Why: f.Why, Extent: engine.ExtentUnread})
		}
	}
	return left, more
}

// fromRoot returns the paths of a file from the top of a working tree: its own, and its target's if it is a
// link. It leaves out paths outside the working tree.
func fromRoot(root, file string) (out []string) {
	abs, err := filepath.Abs(file)
	if root == "" || file == "" || err != nil {
		return nil
	}
	root = realPath(root)
	for _, p := range []string{filepath.Join(realPath(filepath.Dir(abs)), filepath.Base(abs)), realPath(abs)} {
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// realPath returns a path with its links resolved, or the path itself if it cannot be resolved.
func realPath(path string) string {
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	return path
}
