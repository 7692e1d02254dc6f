package sast

import (
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/sarif"
)

// paths finds the files of the repository that a run's paths name.
type paths struct {
	root   string
	byName map[string][]string // changed files, by their last names; nil if the root is known
}

// newPaths chooses the root of absolute paths: the given one, or the folder that [guessRoot] finds.
func newPaths(root string, set *diff.Set, run sarif.Run) paths {
	if root != "" {
		return paths{root: strings.TrimSuffix(root, "/")}
	}
	p := paths{byName: map[string][]string{}}
	for _, f := range set.Files {
		p.byName[path.Base(f.Path)] = append(p.byName[path.Base(f.Path)], f.Path)
	}
	p.root = p.guessRoot(run)
	return p
}

// guessRoot returns the folder above changed files that most paths name, or "" if it is not certain. A path that can mean two changed
// files does not count. The folder must hold most of the absolute paths: results about a file cmd/main.go are not about main.go.
func (p paths) guessRoot(run sarif.Run) string {
	votes, seen := map[string]int{}, map[string]bool{}
	for _, r := range run.Results {
		if !isAbsolute(r.Path) || seen[r.Path] {
			continue
		}
		seen[r.Path] = true
		if roots := p.roots(r.Path); len(roots) == 1 {
			votes[roots[0]]++
		}
	}
	best, tie := "", false
	for root, n := range votes {
		switch {
		case n > votes[best]:
			best, tie = root, false
		case n == votes[best]:
			tie = true
		}
	}
	held := 0
	for name := range seen {
		if strings.HasPrefix(name, best+"/") {
			held++
		}
	}
	if tie || best == "" || 2*held <= len(seen) {
		return ""
	}
	return best
}

// roots returns the folders from which an absolute path names a changed file.
func (p paths) roots(name string) (out []string) {
	for _, changed := range p.byName[path.Base(name)] {
		if root, ok := strings.CutSuffix(name, "/"+changed); ok && root != "" {
			out = append(out, root)
		}
	}
	return out
}

// inRepository returns a path of the repository, or why it is not one. An absolute path without a known root counts as that of
// an unchanged file, unless it can be a changed one.
func (p paths) inRepository(name string, outside bool) (string, string) {
	if outside {
		return "", WhyOutside
	}
	if !isAbsolute(name) {
		return name, ""
	}
	if p.root == "" {
		if len(p.roots(name)) > 0 {
			return "", WhyRoot
		}
		return "", whyOld
	}
	rest, ok := strings.CutPrefix(name, p.root+"/")
	if !ok {
		return "", WhyOutside
	}
	return rest, ""
}

func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}
