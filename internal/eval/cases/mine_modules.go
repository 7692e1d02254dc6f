package cases

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxReleases is the most releases of one module that are compared.
const maxReleases = 200

// maxZip is the most bytes of a module's archive, the limit of the go command (golang.org/ref/mod, "Module
// zip files").
const maxZip = 500 << 20

// MineModules makes cases of neighbouring patch releases (vX.Y.Z and vX.Y.Z+1) of Go modules in a module
// cache. They are reversed like the repairs of [Mine]: the head has the files of the older release, and the
// base the same files with the source files of the newer one. A pair counts if 1 to 4 source files differ
// by 2 to 80 lines, and the module has a permissive licence.
//
// modcache is the output of "go env GOMODCACHE". MineModules reads only files there, archives and extracted
// folders. told receives the progress and may be nil.
func MineModules(ctx context.Context, modcache string, modules []string, told Progress) (*Mined, error) {
	root, err := openRoot(modcache)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m := newMined(told)
	for _, name := range modules {
		escaped, err := module.EscapePath(name)
		if err != nil {
			return nil, fmt.Errorf("modules: %q must be the path of a Go module", name)
		}
		versions, err := releases(root, escaped)
		if err != nil {
			return nil, err
		}
		if len(versions) == 0 {
			m.Report.Left["no release in the module cache"]++
		}
		pairs := patchPairs(versions)
		for i, pair := range pairs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			told.report("pairs of releases of "+name, i, len(pairs))
			m.Report.Looked++
			why, err := m.release(ctx, modcache, name, pair)
			if err != nil {
				return nil, err
			}
			if why != "" {
				m.Report.Left[why]++
			}
		}
	}
	return m.finished()
}

// release makes the case of a pair of releases, or returns the reason against it.
func (m *Mined) release(ctx context.Context, modcache, name string, pair [2]string) (why string, err error) {
	older, newer, err := bothReleases(ctx, modcache, name, pair)
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "a release cannot be read", nil //nolint:nilerr // the report counts it
	}
	licence := licenceOf(older)
	if licence == "" {
		return "no licence that is known to be permissive", nil
	}
	base, why := reversedBase(older, newer)
	if why != "" {
		return why, nil
	}
	heads, done, err := OpenFiles(ctx, base, older)
	switch {
	case ctx.Err() != nil:
		return "", errors.Join(ctx.Err(), err)
	case errs.Is(err, errs.Unavailable): // git is missing, so every other pair fails, too
		return "", err
	case err != nil:
		return "the two versions cannot be put together", nil //nolint:nilerr // the report counts it
	}
	defer done()
	set, err := diff.ParseContext(ctx, heads[0].Diff)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "the difference cannot be read", nil //nolint:nilerr // the report counts it
	}
	if why := rejectionReason(len(set.Files), set.Lines()); why != "" {
		return why, nil
	}
	golden := places(set)
	if len(golden) == 0 {
		return "only comments, imports or blank lines changed", nil
	}
	for i := range golden {
		golden[i].Category = "patch release"
	}
	c := eval.Case{ID: strings.Map(idRune, name) + "-" + pair[0], Set: "mined", Repository: name, Kind: eval.Defect, Heads: 1,
		Licence: licence, Golden: golden,
		Origin: fmt.Sprintf("releases %s and %s, turned round", pair[0], pair[1])}
	describe(&c, set)
	c.Definitions = definitions(set, inFiles(base), inFiles(older))
	if check(c) != nil {
		return "case.json cannot hold the known facts about it", nil
	}
	again := func(ctx context.Context) (base, head Files, err error) {
		older, newer, err := bothReleases(ctx, modcache, name, pair)
		if err != nil {
			return nil, nil, noCodeError("the module cache must hold %s and %s of %s: %w", pair[0], pair[1], name, err)
		}
		base, _ = reversedBase(older, newer)
		return base, older, nil
	}
	m.entries = append(m.entries, entry{c, func(ctx context.Context) ([]eval.Change, func(), error) {
		base, head, err := again(ctx)
		if err != nil {
			return nil, nil, err
		}
		return OpenFiles(ctx, base, head)
	}})
	m.save[c.ID] = func(ctx context.Context, dir string, c eval.Case) error {
		base, head, err := again(ctx)
		if err != nil {
			return err
		}
		return Write(dir, c, base, head)
	}
	m.Report.Defects++
	return "", nil
}

// reversedBase returns the older release with the source files of the newer one, or the reason against a
// case.
func reversedBase(older, newer Files) (base Files, why string) {
	base = Files{}
	changed := 0
	for p, content := range older {
		base[p] = content
		other, there := newer[p]
		switch class, _ := diff.Classify(p, []byte(content)); {
		case class == diff.ClassSource && !there:
			return nil, "source files were added, deleted or renamed"
		case class == diff.ClassSource && other != content:
			base[p] = other
			changed++
		case (class == diff.ClassGenerated || class == diff.ClassVendored) && other != content:
			return nil, "generated or vendored files changed"
		}
	}
	for p, content := range newer {
		if _, there := older[p]; there {
			continue
		}
		if class, _ := diff.Classify(p, []byte(content)); class == diff.ClassSource {
			return nil, "source files were added, deleted or renamed"
		}
	}
	if changed == 0 || changed > maxSource {
		return nil, rejectionReason(changed, minLines)
	}
	return base, ""
}

// releases lists the released versions of a module in the cache, in order.
func releases(root *os.Root, escaped string) ([]string, error) {
	seen := map[string]bool{}
	add := func(version string) {
		if v, err := module.UnescapeVersion(version); err == nil && semver.IsValid(v) && semver.Prerelease(v) == "" && len(seen) < maxReleases {
			seen[v] = true
		}
	}
	list, err := names(root, path.Join("cache", "download", escaped, "@v"), 20*maxReleases)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		if v, ok := strings.CutSuffix(e.Name(), ".zip"); ok && e.Type().IsRegular() {
			add(v)
		}
	}
	list, err = names(root, path.Dir(escaped), 10_000)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range list {
		if v, ok := strings.CutPrefix(e.Name(), path.Base(escaped)+"@"); ok && e.IsDir() {
			add(v)
		}
	}
	var out []string
	for v := range seen {
		out = append(out, v)
	}
	semver.Sort(out)
	return out, nil
}

// patchPairs returns the pairs of releases whose patch numbers differ by one.
func patchPairs(versions []string) (out [][2]string) {
	for _, v := range versions {
		minor := semver.MajorMinor(v)
		patch, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(v, minor+"."), semver.Build(v)))
		if err != nil {
			continue
		}
		next := fmt.Sprintf("%s.%d%s", minor, patch+1, semver.Build(v))
		if slices.Contains(versions, next) {
			out = append(out, [2]string{v, next})
		}
	}
	return out
}

func bothReleases(ctx context.Context, modcache, name string, pair [2]string) (older, newer Files, err error) {
	root, err := openRoot(modcache)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if older, err = release(ctx, root, name, pair[0]); err != nil {
		return nil, nil, err
	}
	newer, err = release(ctx, root, name, pair[1])
	return older, newer, err
}

// release reads the files of a release from its archive or its extracted folder.
func release(ctx context.Context, root *os.Root, name, version string) (Files, error) {
	escaped, err := module.EscapePath(name)
	if err != nil {
		return nil, fmt.Errorf("path of the module: %w", err)
	}
	number, err := module.EscapeVersion(version)
	if err != nil {
		return nil, fmt.Errorf("version of the module: %w", err)
	}
	archive := path.Join("cache", "download", escaped, "@v", number+".zip")
	if _, err := root.Lstat(archive); err == nil {
		return unzip(ctx, root, archive, name+"@"+version+"/")
	}
	// Half of the bounds belongs to the other release.
	return (&reader{root: root, files: maxFiles / 2, bytes: maxBytes / 2}).tree(ctx, escaped+"@"+number)
}

// unzip reads a module's archive, whose names all begin with prefix, within half of the bounds of a case.
// It skips files above [maxFileBytes].
func unzip(ctx context.Context, root *os.Root, archive, prefix string) (Files, error) {
	raw, err := readRegular(root, archive, maxZip)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("%s must be a zip archive: %w", archive, err)
	}
	if len(z.File) > maxFiles/2 {
		return nil, fmt.Errorf("%s must have at most %d files", archive, maxFiles/2)
	}
	out := Files{}
	total := 0
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, ok := strings.CutPrefix(f.Name, prefix)
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !ok || diff.CheckPath(name) != nil || !f.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: the name of a file must begin with the module and its version, and stay below", archive)
		}
		if f.UncompressedSize64 > maxFileBytes {
			continue // reviewers do not see such a file
		}
		b, err := readEntry(f)
		if err != nil {
			return nil, fmt.Errorf("%s: a file cannot be read: %w", archive, err)
		}
		if total += len(b); total > maxBytes/2 {
			return nil, fmt.Errorf("%s must have at most %d bytes of files", archive, maxBytes/2)
		}
		if len(b) > maxFileBytes { // its header claimed less
			continue
		}
		out[name] = string(b)
	}
	return out, nil
}

// readEntry reads a file of an archive up to one byte above its bound.
func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read
	return io.ReadAll(io.LimitReader(r, maxFileBytes+1))
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying)([.-][a-z0-9.-]+)?$`)

// licenceOf returns the SPDX name of the permissive licence at a release's root, recognised by its first
// words. It returns "" for any other licence.
func licenceOf(files Files) string {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if !licenceFile.MatchString(p) {
			continue
		}
		text := strings.Join(strings.Fields(files[p]), " ")
		for _, l := range []struct{ words, name string }{
			{"GNU ", ""}, {"Mozilla Public License", ""},
			{"Apache License Version 2.0", "Apache-2.0"},
			{"Permission is hereby granted, free of charge", "MIT"},
			{"Neither the name of", "BSD-3-Clause"},
			{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
			{"Permission to use, copy, modify, and/or distribute this software", "ISC"},
		} {
			if strings.Contains(text, l.words) {
				return l.name
			}
		}
	}
	return ""
}
