package guideline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/toolsettings"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Clean removes from the text of a file everything that a model must not see: secrets, HTML comments and
// invisible characters.
type Clean func(ctx context.Context, path string, text []byte) ([]byte, error)

// Found holds the guidelines for a change.
type Found struct {
	Files []File // with a text, in the order in which they were read
	// Unread lists the files that cannot be used: links, submodules, files that are too large, not text or
	// have an unreadable head, and folders that cannot be listed.
	Unread []string
	Cut    []string // paths of files that were cut or left out for lack of room
	// Folders are the searched folders, and Present the existing files, read or not. If Listed is true,
	// files that earlier reviews found there and that are not in Present are gone.
	Folders, Present []string
	Listed           bool
	Nothing          []string // paths of files that no review uses, whatever it changes
}

// Read reads the guideline files that concern changed files. A file in a nearer folder replaces one of the
// same name further out. The error is that of the tree, or the context's.
func Read(ctx context.Context, t Tree, changed []string, clean Clean) (Found, error) {
	r := reader{tree: t, changed: changed, clean: clean, nearer: map[string][]string{}}
	var more bool
	r.out.Folders, more = folders(changed)
	entries, err := t.List(ctx, r.wanted()...)
	r.out.Listed = err == nil
	if errors.Is(err, ErrNoList) {
		entries, err = r.probe(ctx)
	}
	if err != nil {
		return Found{}, err
	}
	if more {
		r.out.Cut = append(r.out.Cut, "…")
	}
	return r.out, r.files(ctx, entries)
}

type reader struct {
	tree    Tree
	changed []string
	clean   Clean
	nearer  map[string][]string // family and name to the folders that have such a file
	size    int                 // bytes of all texts so far
	reads   int                 // files that were read
	kept    int                 // read files that concern the change
	out     Found
}

// wanted returns the files and folders to list.
func (r *reader) wanted() []string {
	out := append([]string{copilotFile, instructionDir, geminiStyleFile}, settingsFiles...)
	for _, dir := range r.out.Folders {
		for name := range inEveryFolder {
			out = append(out, path.Join(dir, name))
		}
		out = append(out, path.Join(dir, cursorDir), path.Join(dir, cursorBugbot))
	}
	slices.Sort(out)
	return out
}

// probe requests files one by one, in the outermost folders, and records the folders that it cannot list.
func (r *reader) probe(ctx context.Context) (out []snapshot.Entry, err error) {
	r.out.Unread = append(r.out.Unread, instructionDir, cursorDir)
	for i, name := range probed(r.out.Folders) {
		if i == maxProbes {
			r.out.Cut = append(r.out.Cut, "…")
			break
		}
		blob, err := r.tree.Blob(ctx, name)
		switch {
		case err == nil:
			out = append(out, snapshot.Entry{Path: name, Size: int64(len(blob))})
		case errs.Is(err, errs.TooLarge):
			out = append(out, snapshot.Entry{Path: name, Size: maxBlob + 1})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return out, nil
}

// probed returns the files that are requested one by one: those of the root, then those of coding assistants in other
// folders, then those of other review tools there.
func probed(folders []string) []string {
	assistants := []string{"AGENTS.md", "CLAUDE.md", ".cursorrules", "CONTRIBUTING.md"}
	reviewers := []string{"REVIEW.md", "BUGBOT.md", cursorBugbot, "GEMINI.md", ".windsurfrules", clineRules}
	out := slices.Concat([]string{copilotFile, geminiStyleFile}, settingsFiles, assistants, reviewers)
	for _, names := range [][]string{assistants, reviewers} {
		for _, dir := range folders {
			for _, name := range names {
				if dir != "" {
					out = append(out, path.Join(dir, name))
				}
			}
		}
	}
	return out
}

// files reads the listed files in the order of families, outermost folder first.
func (r *reader) files(ctx context.Context, entries []snapshot.Entry) error {
	entries = slices.DeleteFunc(entries, func(e snapshot.Entry) bool { return !Is(e.Path) })
	slices.SortFunc(entries, func(a, b snapshot.Entry) int {
		fa, da, _ := classify(a.Path)
		fb, db, _ := classify(b.Path)
		return cmp.Or(cmp.Compare(fa, fb), cmp.Compare(depth(da), depth(db)), cmp.Compare(a.Path, b.Path))
	})
	for _, e := range entries {
		f, folder, name := classify(e.Path)
		key := string(rune(f)) + name
		r.nearer[key] = append(r.nearer[key], folder)
		r.out.Present = append(r.out.Present, e.Path)
	}
	for _, e := range entries {
		if err := r.file(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// file reads one file if it concerns the change. The error is the context's.
func (r *reader) file(ctx context.Context, e snapshot.Entry) error {
	kind, folder, name := classify(e.Path)
	f := File{Path: e.Path, Scope: Scope{Except: r.hidden(kind, folder, name)}}
	if folder != "" {
		f.Scope.Paths = []string{literal(folder) + "/**"}
	}
	if !r.concerns(f.Scope) {
		return nil
	}
	if r.reads++; r.reads > maxRead {
		r.out.Cut = append(r.out.Cut, e.Path)
		return nil
	}
	raw, ok, err := r.blob(ctx, e)
	if err != nil || !ok {
		return err
	}
	if kind == settings {
		return r.settings(ctx, e.Path, raw)
	}
	text, long := cutAtLine(string(raw), maxLooked)
	h, body, wanted, err := splitHead(text)
	if err == nil {
		f.Scope.Paths, err = h.patterns(folder)
	}
	switch {
	case err != nil:
		r.out.Unread = append(r.out.Unread, e.Path)
		r.out.Nothing = append(r.out.Nothing, e.Path)
		return nil
	case !wanted:
		r.out.Nothing = append(r.out.Nothing, e.Path)
		return nil
	case !r.concerns(f.Scope):
		return nil
	}
	empty, err := r.keep(ctx, f, e.Path, body, long)
	if empty {
		r.out.Nothing = append(r.out.Nothing, e.Path)
	}
	return err
}

// settings reads the texts of a settings file that concern the change. The error is the context's.
func (r *reader) settings(ctx context.Context, name string, raw []byte) error {
	texts, unread, err := toolsettings.Instructions(name, raw)
	for _, place := range unread {
		r.out.Unread = append(r.out.Unread, name+" ("+place+")")
	}
	if err != nil {
		r.out.Unread = append(r.out.Unread, name)
	}
	if err != nil || len(texts) == 0 {
		r.out.Nothing = append(r.out.Nothing, name)
		return nil
	}
	for _, t := range texts {
		f := File{Path: name, Scope: Scope{Paths: t.Paths}}
		if !r.concerns(f.Scope) {
			continue
		}
		if _, err := r.keep(ctx, f, name+" ("+t.Place+")", t.Text, false); err != nil {
			return err
		}
	}
	return nil
}

// keep adds a text within the bounds, and names what was cut by its place. long reports that the text was cut before.
// empty reports that nothing of it is visible. The error is the context's.
func (r *reader) keep(ctx context.Context, f File, place, body string, long bool) (empty bool, err error) {
	if r.kept++; r.kept > maxFiles {
		r.out.Cut = append(r.out.Cut, place)
		return false, nil
	}
	cleaned, err := r.clean(ctx, f.Path, []byte(body))
	if err != nil {
		r.out.Unread = append(r.out.Unread, place)
		return false, ctx.Err()
	}
	var over bool
	f.Text, over = cutAtLine(visible(string(cleaned)), min(maxFile, maxReview-r.size))
	if f.Cut = long || over; f.Cut {
		r.out.Cut = append(r.out.Cut, place)
	}
	if f.Text != "" {
		r.size += len(f.Text)
		r.out.Files = append(r.out.Files, f)
	}
	return f.Text == "" && !f.Cut, nil
}

// hidden returns patterns of the files that nearer files of the same kind cover.
func (r *reader) hidden(kind family, folder, name string) (out []string) {
	for _, other := range r.nearer[string(rune(kind))+name] {
		if other != folder && (folder == "" || strings.HasPrefix(other, folder+"/")) {
			out = append(out, literal(other)+"/**")
		}
	}
	return out
}

func (r *reader) concerns(s Scope) bool { return slices.ContainsFunc(r.changed, s.Holds) }

// blob reads a text file of reasonable size. It records files that are unreadable, except a link to another
// guideline file, which is read in its own place. The error is the context's.
func (r *reader) blob(ctx context.Context, e snapshot.Entry) (raw []byte, ok bool, err error) {
	if e.Mode != diff.ModeSubmodule && e.Size <= maxBlob {
		raw, err = r.tree.Blob(ctx, e.Path)
	}
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case e.Mode == diff.ModeSymlink && err == nil && slices.Contains(r.out.Present, path.Join(path.Dir(e.Path), string(raw))):
		r.out.Nothing = append(r.out.Nothing, e.Path)
		return nil, false, nil
	case err != nil && !errs.Is(err, errs.TooLarge): // the next review may be able to read it
		r.out.Unread = append(r.out.Unread, e.Path)
		return nil, false, nil
	case e.Mode == diff.ModeSubmodule, e.Mode == diff.ModeSymlink, e.Size > maxBlob, err != nil, len(raw) > maxBlob, !utf8.Valid(raw),
		bytes.IndexByte(raw, 0) >= 0:
		r.out.Unread = append(r.out.Unread, e.Path)
		r.out.Nothing = append(r.out.Nothing, e.Path)
		return nil, false, nil
	}
	return bytes.TrimPrefix(raw, []byte("\ufeff")), true, nil
}
