package analysers

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
)

// Bounds of the tree of an analyser with the input [InputTree] (design choices).
const (
	maxTreeFiles = 20_000
	maxTreeBytes = 256 << 20
	maxTreeDepth = 40 // folders above a file
	treeTime     = time.Minute
)

// Input is what an analyser gets.
type Input string

// The inputs.
const (
	InputFiles Input = "files" // the changed files of its languages
	InputTree  Input = "tree"  // all files of the head
)

// Tree is the head of a change with all its files.
type Tree struct {
	// Files lists at most limit regular files, without links and submodules.
	Files func(ctx context.Context, limit int) ([]TreeFile, error)
	// Read is as in [Request]. It has no bound of all files together.
	Read readFile
	// Hidden are changed files whose results do not count, because the policy leaves them out.
	Hidden map[string]bool
}

// TreeFile is a file of a tree.
type TreeFile struct {
	Path string
	Size int64 // bytes
}

// writeTree writes the files of the tree beside the changed ones. It returns the reason for which there is no tree: the files
// cannot be listed, or go beyond a bound, or take too long.
func (w *workspace) writeTree(ctx context.Context, a Analyser, q Request, read readFile) (Reason, error) {
	tree := q.Tree
	if tree == nil {
		return NoTree, nil
	}
	within, cancel := context.WithTimeout(ctx, treeTime)
	defer cancel()
	all, err := tree.Files(within, maxTreeFiles+1)
	if err != nil {
		return treeFault(ctx, within, err)
	}
	if reason := treeBound(all); reason != "" {
		return reason, nil
	}
	w.reach = map[string]bool{}
	given := map[string]bool{}
	for _, p := range w.given {
		given[p] = true
	}
	for _, f := range all {
		if given[f.Path] {
			continue
		}
		why := treeFileFault(f)
		if why == "" {
			content, err := read(within, f.Path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return treeFault(ctx, within, err)
			}
			switch {
			case err != nil:
				why = whyUnread
			case len(content) > maxFile:
				why = whyLarge
			case w.write(f.Path, content) != nil:
				why = whyPath
			default:
				w.reach[f.Path] = !tree.Hidden[f.Path] && !q.isOff(a.Name, f.Path)
			}
		}
		if why != "" && why != whyConfiguration && a.wants(File{Path: f.Path, Language: diff.Language(f.Path)}) {
			w.leave(f.Path, why)
		}
	}
	return "", nil
}

// leave records a file that the analyser does not get, once.
func (w *workspace) leave(p, why string) {
	if !slices.ContainsFunc(w.left, func(l LeftOut) bool { return l.Path == p }) {
		w.left = append(w.left, LeftOut{p, why})
	}
}

// treeFault returns the reason for an error of a tree. The error is that of the review's context, or another one of the store.
func treeFault(ctx, within context.Context, err error) (Reason, error) {
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case within.Err() != nil:
		return Time, nil
	case errors.Is(err, fs.ErrNotExist):
		return NoTree, nil
	}
	return "", err
}

// treeBound returns the bound that a tree exceeds, or "".
func treeBound(all []TreeFile) Reason {
	var total int64
	for _, f := range all {
		if strings.Count(f.Path, "/") > maxTreeDepth {
			return TreeDepth
		}
		if treeFileFault(f) == "" {
			total += max(f.Size, 0)
		}
	}
	switch {
	case len(all) > maxTreeFiles:
		return TreeFiles
	case total > maxTreeBytes:
		return TreeBytes
	}
	return ""
}

// treeFileFault returns why an analyser does not get a file of the tree, by its name and size, or "".
func treeFileFault(f TreeFile) string {
	switch {
	case IsConfiguration(f.Path):
		return whyConfiguration
	case !safePath(f.Path):
		return whyPath
	case f.Size > maxFile:
		return whyLarge
	}
	return ""
}
