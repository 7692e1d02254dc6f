package cases

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of a case's files in a folder.
const (
	maxCaseFile   = 1 << 20 // bytes of case.json
	maxBundleFile = 256 << 20
)

// Names of a case's files.
const (
	caseFile   = "case.json"
	bundleFile = "change.bundle"
)

// Folder returns the set of cases in a folder. Each case has a folder with its id as the name, which
// contains:
//
//	case.json        the known facts, an [eval.Case]
//	base/, head/     the files of the two versions; head2/, head3/ … of later pushes
//	change.bundle    or, instead of them, a git bundle with branches or tags of these names
//
// It ignores other files, and folders whose name begins with a dot.
func Folder(dir string) eval.Set {
	return &set{read: func(ctx context.Context) ([]entry, error) { return readFolder(ctx, dir) }}
}

func readFolder(ctx context.Context, dir string) ([]entry, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := names(root, ".", maxCases)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(e.Name(), ".") || e.Type().IsRegular() {
			continue
		}
		if !e.IsDir() {
			return nil, fmt.Errorf("%s must be a folder: links and devices are not read", quotedName(e.Name()))
		}
		one, err := readCase(root, dir, e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func readCase(root *os.Root, dir, id string) (entry, error) {
	name := path.Join(id, caseFile)
	raw, err := readRegular(root, name, maxCaseFile)
	if err != nil {
		return entry{}, err
	}
	var c eval.Case
	if err := decodeStrict(raw, &c); err != nil {
		return entry{}, fmt.Errorf("%s: %w", quotedName(name), err)
	}
	if c.ID = cmp.Or(c.ID, id); c.ID != id {
		return entry{}, fmt.Errorf("%s: id must be the name of the folder", quotedName(name))
	}
	c.Set = cmp.Or(c.Set, "folder")
	heads, bundled, err := codeForm(root, id)
	if err != nil {
		return entry{}, err
	}
	if !bundled {
		if c.Heads != 0 && c.Heads != heads {
			return entry{}, fmt.Errorf("%s: heads must be the number of the folders head, head2 …", quotedName(name))
		}
		c.Heads = heads
	}
	c.Heads = max(c.Heads, 1)
	if err := check(c); err != nil {
		return entry{}, fmt.Errorf("%s: %w", quotedName(name), err)
	}
	if bundled {
		return entry{c, func(ctx context.Context) ([]eval.Change, func(), error) { return openBundle(ctx, dir, id, c.Heads) }}, nil
	}
	return entry{c, func(ctx context.Context) ([]eval.Change, func(), error) { return openTrees(ctx, dir, id, c.Heads) }}, nil
}

var laterHead = regexp.MustCompile(`^head[0-9]+$`)

// headName returns the name of a head, counted from 0.
func headName(i int) string {
	if i == 0 {
		return "head"
	}
	return "head" + strconv.Itoa(i+1)
}

// codeForm reports the form of a case's code.
func codeForm(root *os.Root, id string) (heads int, bundled bool, err error) {
	list, err := names(root, id, 1000)
	if err != nil {
		return 0, false, err
	}
	there := map[string]bool{}
	later := 0
	for _, e := range list {
		switch n := e.Name(); {
		case n == bundleFile:
			bundled = true
		case n == "base" || n == "head" || laterHead.MatchString(n):
			if !e.IsDir() {
				return 0, false, fmt.Errorf("%s must be a folder: links and files are not read", quotedName(path.Join(id, n)))
			}
			there[n] = true
			if n != "base" {
				later++
			}
		}
	}
	for heads < len(there) && there[headName(heads)] {
		heads++
	}
	switch {
	case bundled && len(there) > 0:
		return 0, false, fmt.Errorf("%s must have base and head, or %s, not both", quotedName(id), bundleFile)
	case !bundled && (!there["base"] || heads == 0):
		return 0, false, fmt.Errorf("%s must have the folders base and head, or %s", quotedName(id), bundleFile)
	case heads != later:
		return 0, false, fmt.Errorf("%s: the heads must be called head, head2, head3 and so on: %s is missing", quotedName(id), headName(heads))
	case heads > eval.MaxHeads:
		return 0, false, fmt.Errorf("%s must have at most %d heads", quotedName(id), eval.MaxHeads)
	}
	return heads, bundled, nil
}

func openTrees(ctx context.Context, dir, id string, heads int) ([]eval.Change, func(), error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	r := reader{root: root}
	versions := make([]Files, 0, 1+heads)
	for i := -1; i < heads; i++ {
		name := "base"
		if i >= 0 {
			name = headName(i)
		}
		v, err := r.tree(ctx, path.Join(id, name))
		if err != nil {
			return nil, nil, err
		}
		versions = append(versions, v)
	}
	return OpenFiles(ctx, versions...)
}

func openBundle(ctx context.Context, dir, id string, heads int) ([]eval.Change, func(), error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	name := path.Join(id, bundleFile)
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s cannot be read: %w", quotedName(name), withoutPath(err))
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s must be a plain file: links and devices are not read", quotedName(name))
	case info.Size() > maxBundleFile:
		return nil, nil, fmt.Errorf("%s must have at most %d bytes", quotedName(name), maxBundleFile)
	}
	return inScratch(ctx, "", func(s *snapshot.Scratch) ([]eval.Change, error) {
		refs, err := s.Unbundle(ctx, filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quotedName(name), err)
		}
		base, err := bundleRef(refs, "base")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quotedName(name), err)
		}
		var out []eval.Change
		for i := range heads {
			head, err := bundleRef(refs, headName(i))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", quotedName(name), err)
			}
			from := base
			if fork, err := s.MergeBase(ctx, base, head); err == nil {
				from = fork
			}
			c, err := between(ctx, s, from, head)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", quotedName(name), err)
			}
			out = append(out, c...)
		}
		return out, nil
	})
}

// bundleRef returns the commit of a branch or tag in a bundle.
func bundleRef(refs map[string]string, name string) (string, error) {
	for _, full := range []string{"refs/heads/" + name, "refs/tags/" + name} {
		if sha := refs[full]; sha != "" {
			return sha, nil
		}
	}
	return "", fmt.Errorf("a branch or tag %s is missing, or names no commit", name)
}
