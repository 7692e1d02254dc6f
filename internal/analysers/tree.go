package analysers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/analysers/rules"
	"github.com/assay-dev/assay/internal/sandbox"
)

// Reasons why an analyser does not get a file.
const (
	whyConfiguration = "configuration of analysers"
	whyPath          = "path that is not safe on a file system"
	whyMany          = "beyond 2000 files"
	whyLarge         = "larger than 2 MiB"
	whyTotal         = "beyond 128 MiB of all files"
	whyUnread        = "could not be read"
)

// readFile returns the content of a file; see [Request].
type readFile func(ctx context.Context, path string) ([]byte, error)

// workspace is a temporary folder with the files of one analyser.
type workspace struct {
	workFolder
	folder string // its path
	tree   string // folder with the files
	rules  string // folder with our rules; "" without them
	given  []string
	left   []LeftOut

	reach   map[string]bool // further files whose results count
	failure Reason          // why there is no tree; "" with one, or if none is wanted
}

// newWorkspace writes files to a temporary folder. The caller must close it.
func newWorkspace(ctx context.Context, a Analyser, files []File, q Request) (out *workspace, err error) {
	made, err := newWorkFolder()
	if err != nil {
		return nil, err
	}
	folder := made.path
	w := &workspace{workFolder: made, folder: folder, tree: filepath.Join(folder, "tree"), rules: a.Rules}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := os.Mkdir(w.tree, 0o755); err != nil { //nolint:gosec // the folder above it is closed to others
		return nil, fmt.Errorf("make a folder for an analyser: %w", err)
	}
	read := func(from readFile) readFile {
		if a.OwnRules {
			return unmuted(from)
		}
		return from
	}
	if err := w.writeFiles(ctx, files, read(q.Read)); err != nil {
		return nil, err
	}
	if a.Input == InputTree && len(w.given) > 0 {
		var from readFile
		if q.Tree != nil {
			from = read(q.Tree.Read)
		}
		if w.failure, err = w.writeTree(ctx, a, q, from); err != nil {
			return nil, err
		}
	}
	for _, name := range a.Empty {
		if err := w.write(name, nil); err != nil {
			return nil, fmt.Errorf("write a file of an analyser: %w", err)
		}
	}
	if a.OwnRules && w.rules == "" {
		w.rules = filepath.Join(folder, "rules")
		if err := rules.Write(w.rules); err != nil {
			return nil, fmt.Errorf("write the rules of an analyser: %w", err)
		}
	}
	sandbox.Hand(folder)
	return w, nil
}

func (w *workspace) close() { w.remove() }

func (w *workspace) writeFiles(ctx context.Context, files []File, read readFile) error {
	total, paths := 0, 0
	leave := func(f File, why string) { w.left = append(w.left, LeftOut{f.Path, why}) }
	for _, f := range files {
		switch {
		case IsConfiguration(f.Path):
			leave(f, whyConfiguration)
			continue
		case !safePath(f.Path):
			leave(f, whyPath)
			continue
		case len(w.given) == maxFiles, paths+len(f.Path) > maxPaths:
			leave(f, whyMany)
			continue
		}
		content, err := read(ctx, f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		switch {
		case err != nil:
			leave(f, whyUnread)
			continue
		case len(content) > maxFile:
			leave(f, whyLarge)
			continue
		case total+len(content) > maxTree:
			leave(f, whyTotal)
			continue
		}
		if err := w.write(f.Path, content); err != nil {
			leave(f, whyPath) // a folder and a file of one name, or a name that the file system refuses
			continue
		}
		total, paths = total+len(content), paths+len(f.Path)
		w.given = append(w.given, f.Path)
	}
	return nil
}

// write writes a file that does not exist yet.
func (w *workspace) write(name string, content []byte) error {
	at := filepath.Join(w.tree, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // as above
		return err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// safePath reports whether a path stays within a folder, and names no folder of git.
func safePath(p string) bool {
	if p == "" || len(p) > maxPath || !utf8.ValidString(p) {
		return false
	}
	if !filepath.IsLocal(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00\n\r\\") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool { return strings.EqualFold(part, ".git") || len(part) > 255 })
}

// command returns the words after the program.
func (w *workspace) command(words []string) (out []string) {
	for _, word := range words {
		word = strings.ReplaceAll(word, placeRules, w.rules)
		switch {
		case word == placeFiles:
			for _, p := range w.given {
				out = append(out, "./"+p) // a path must not look like an option
			}
		case strings.Contains(word, placeFile):
			for _, p := range w.given {
				out = append(out, strings.ReplaceAll(word, placeFile, "./"+p))
			}
		default:
			out = append(out, word)
		}
	}
	return out
}
