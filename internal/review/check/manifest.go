package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of a manifest and the lock file beside it (design choices).
const (
	maxManifest  = 1 << 20
	maxLockBytes = 16 << 20
	maxManifests = 2000 // dependencies and lines that are looked at
	maxParents   = 8    // folders above a manifest in which its lock file is looked for
)

// dependency is a dependency that a manifest names.
type dependency struct {
	name string // as the lock file has it
	spec string // the version or range that the manifest asks for
	line int
}

// manifestReading reads one version of a manifest and the lock file that belongs to it.
type manifestReading struct {
	ctx    context.Context
	src    Source
	side   domain.Side
	path   string
	text   string
	lines  []string
	faults []fault
	unread bool
}

// manifest checks a manifest of dependencies: whether the lock file has them, where they come from, and what runs when they are
// installed.
func manifest(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink || f.Class == diff.ClassVendored || src == nil ||
		inSamples(f) {
		return checkResult{}, nil
	}
	read := manifestReader(f.Path)
	if read == nil {
		return checkResult{}, nil
	}
	version := func(side domain.Side, name string) (*manifestReading, error) {
		r := &manifestReading{ctx: ctx, src: src, side: side, path: name}
		if name == "" {
			return r, nil
		}
		bound := maxManifest
		if diff.LockName(name) {
			bound = maxLockBytes
		}
		text, err := r.file(name, bound)
		if err != nil || text == "" {
			return r, err
		}
		r.text, r.lines = text, strings.Split(text, "\n")
		return r, read(r)
	}
	now, err := version(domain.Right, f.Path)
	if err != nil {
		return checkResult{}, err
	}
	old, err := version(domain.Left, f.BasePath())
	if err != nil {
		return checkResult{}, err
	}
	out := checkResult{faults: newFaults(f, now.faults, old.faults)}
	if now.unread {
		out.unread = WhyUnparsed
	}
	return out, nil
}

// manifestReader returns the function that reads files of a name, nil for other files.
func manifestReader(name string) func(*manifestReading) error {
	base := strings.ToLower(path.Base(name))
	switch base {
	case "go.mod":
		return (*manifestReading).goModule
	case "package.json":
		return (*manifestReading).npm
	case "package-lock.json":
		return (*manifestReading).npmLockAlone
	case "cargo.toml":
		return (*manifestReading).cargo
	case "pyproject.toml":
		return (*manifestReading).python
	}
	if registryLines(base) != nil {
		return (*manifestReading).registries
	}
	return nil
}

// file reads a file of the version, "" if it is absent or beyond the bound.
func (r *manifestReading) file(name string, bound int) (string, error) {
	b, err := r.src.Blob(r.ctx, r.side, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(b) > bound {
		r.unread = true
		return "", nil
	}
	return string(b), nil
}

// lockAbove returns the nearest lock file of some names in the folder of the manifest or above it, and its path.
func (r *manifestReading) lockAbove(names ...string) (text, name string, err error) {
	dir := path.Dir(r.path)
	for range maxParents {
		for _, n := range names {
			at := path.Join(dir, n)
			if text, err := r.file(at, maxLockBytes); err != nil || text != "" {
				return text, at, err
			}
		}
		if dir == "." || dir == "/" || dir == "" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", "", nil
}

// lineOf returns the first line with all words, 0 without one.
func (r *manifestReading) lineOf(words ...string) int {
	for i, line := range r.lines {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			return i + 1
		}
	}
	return 0
}

func (r *manifestReading) add(rule string, title, says wording.Key, line int, about string, args ...string) {
	if len(r.faults) == maxManifests {
		r.unread = true
		return
	}
	var long []any
	for _, a := range args {
		long = append(long, cmp.Or(visible(clip.Runes(clip.Line(a), 80, "…")), "*"))
	}
	short := cmp.Or(visible(clip.Runes(clip.Line(args[0]), maxTitleName, "…")), "*")
	r.faults = append(r.faults, fault{rule: rule, category: domain.CategorySecurity, severity: domain.Medium,
		title: wording.English(title, short), says: wording.English(says, long...), line: line, about: about})
}

// missing reports a dependency that the lock file does not have.
func (r *manifestReading) missing(d dependency, lock string) {
	r.add("assay/manifest-lock", wording.TitleManifestLock, wording.SayManifestMissing, d.line, "missing "+d.name+" "+d.spec,
		strings.TrimSpace(d.name+" "+d.spec), lock)
}

// otherVersion reports a dependency for which the lock file was made with another range.
func (r *manifestReading) otherVersion(d dependency, locked string) {
	r.add("assay/manifest-lock", wording.TitleManifestLock, wording.SayManifestVersion, d.line, "version "+d.name+" "+d.spec,
		d.name, d.spec, locked)
}

// source reports a dependency that does not come from a registry. Another version from the same place is the same fault.
func (r *manifestReading) source(name, address string, line int) {
	place := withoutQuery(address)
	if !strings.Contains(place, "://") {
		place, _, _ = strings.Cut(place, "@")
	}
	n := len(r.faults)
	r.add("assay/manifest-source", wording.TitleManifestSource, wording.SayManifestSource, line, name+" "+originOf(place), name,
		withoutUser(address))
	if at := r.lineOf(address); len(r.faults) > n && at > 0 {
		r.faults[n].lines = []int{at}
	}
}

// keyLine returns the line of a key in a table of dependencies in TOML, 0 without one.
func (r *manifestReading) keyLine(name string) int {
	table := ""
	for i, line := range r.lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(strings.SplitN(line, "#", 2)[0], " \t[]")
			if strings.HasSuffix(table, "dependencies."+name) || strings.HasSuffix(table, "dependencies.\""+name+"\"") {
				return i + 1
			}
			continue
		}
		if !strings.HasSuffix(table, "dependencies") {
			continue
		}
		rest, ok := strings.CutPrefix(strings.TrimPrefix(line, `"`), name)
		rest = strings.TrimSpace(strings.TrimPrefix(rest, `"`))
		if ok && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ".")) {
			return i + 1
		}
	}
	return 0
}

// withoutUser takes the user, the password and the query, which can be a token, out of an address.
func withoutUser(address string) string {
	address, fragment, _ := strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	if fragment != "" {
		address += "#" + fragment
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, tail, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/" + tail
}
