package gitrepo

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Entry is one entry of a tree.
type Entry struct {
	// Name is the last part of Path.
	Name, Path string
	// Type is "file", "dir", "symlink" or "submodule".
	Type string
	SHA  string
	// Size in bytes; 0 for folders.
	Size int
}

// Entry returns the entry at a path of a commit. The empty path is the root folder.
func (r *Repo) Entry(ctx context.Context, commit, path string) (Entry, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return Entry{Type: "dir"}, nil
	}
	if !ValidPath(path) {
		return Entry{}, ErrNotFound
	}
	list, err := r.lsTree(ctx, commit, ":(top,literal)"+path)
	if err != nil || len(list) != 1 || list[0].Path != path {
		return Entry{}, ErrNotFound
	}
	return list[0], nil
}

// List returns the entries of a folder of a commit; the empty path is the root.
func (r *Repo) List(ctx context.Context, commit, path string) ([]Entry, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return r.lsTree(ctx, commit, "")
	}
	if !ValidPath(path) {
		return nil, ErrNotFound
	}
	return r.lsTree(ctx, commit, path+"/")
}

func (r *Repo) lsTree(ctx context.Context, commit, path string) ([]Entry, error) {
	args := []string{"--literal-pathspecs", "ls-tree", "-z", "-l", "--full-tree", commit}
	if path != "" {
		args = append(args, "--", strings.TrimPrefix(path, ":(top,literal)"))
	}
	out, err := r.read(ctx, []string{commit}, args...)
	if err != nil {
		return nil, ErrNotFound
	}
	var list []Entry
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(record, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 {
			continue
		}
		e := Entry{Path: name, Name: name[strings.LastIndexByte(name, '/')+1:], SHA: f[2], Type: "file"}
		switch {
		case f[1] == "tree":
			e.Type = "dir"
		case f[1] == "commit":
			e.Type = "submodule"
		case f[0] == "120000":
			e.Type = "symlink"
		}
		e.Size, _ = strconv.Atoi(f[3])
		list = append(list, e)
	}
	return list, nil
}

// Blob returns the bytes of a blob by its object name.
func (r *Repo) Blob(ctx context.Context, sha string) ([]byte, error) {
	out, err := r.read(ctx, []string{sha}, "cat-file", "blob", sha)
	if err != nil {
		return nil, ErrNotFound
	}
	return slices.Clone(out), nil
}
