package check

import (
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule compares go.mod with go.sum: the go command refuses to build with a module whose checksum is missing.
func (r *manifestReading) goModule() error {
	mod, err := modfile.Parse(r.path, []byte(r.text), nil)
	if err != nil {
		return nil // the go command refuses the file itself
	}
	for _, p := range mod.Replace {
		if p.New.Version != "" && p.New.Path != p.Old.Path {
			r.source(p.Old.Path, p.New.Path+"@"+p.New.Version, p.Syntax.Start.Line)
		}
	}
	sums, err := r.file(path.Join(path.Dir(r.path), "go.sum"), maxLockBytes)
	if err != nil || sums == "" {
		return err
	}
	work, _, err := r.lockAbove("go.work.sum")
	if err != nil {
		return err
	}
	local, err := r.workspaceModules()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, text := range []string{sums, work} {
		for line := range strings.Lines(text) {
			if w := strings.Fields(line); len(w) == 3 {
				known[w[0]+" "+strings.TrimSuffix(w[1], "/go.mod")] = true
			}
		}
	}
	for i, q := range mod.Require {
		if i == maxManifests {
			r.unread = true
			break
		}
		at := q.Mod
		for _, p := range mod.Replace {
			if p.Old.Path == q.Mod.Path && (p.Old.Version == "" || p.Old.Version == q.Mod.Version) {
				at = p.New
			}
		}
		if at.Version != "" && !local[at.Path] && !known[at.Path+" "+at.Version] {
			r.missing(dependency{at.Path, at.Version, q.Syntax.Start.Line}, "go.sum")
		}
	}
	return nil
}

// workspaceModules returns the modules that the nearest go.work uses or replaces by folders. They need no checksum.
func (r *manifestReading) workspaceModules() (map[string]bool, error) {
	text, name, err := r.lockAbove("go.work")
	if err != nil || text == "" {
		return nil, err
	}
	work, err := modfile.ParseWork(name, []byte(text), nil)
	if err != nil {
		return nil, nil // the go command refuses the file itself
	}
	out := map[string]bool{}
	for _, p := range work.Replace {
		out[p.Old.Path] = p.New.Version == ""
	}
	for _, u := range work.Use[:min(len(work.Use), maxWorkspace)] {
		mod, err := r.file(path.Join(path.Dir(name), u.Path, "go.mod"), maxManifest)
		if err != nil {
			return nil, err
		}
		out[modfile.ModulePath([]byte(mod))] = true
	}
	return out, nil
}

// maxWorkspace bounds the modules of a go.work that are read.
const maxWorkspace = 200
