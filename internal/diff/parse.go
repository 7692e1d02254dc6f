package diff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/assay-dev/assay/internal/errs"
)

// maxLine bounds line numbers, so that sums cannot overflow.
const maxLine = 1 << 30

var gitHeader = []byte("diff --git ")

// Parse parses a unified diff as written by git (prefixes a/ and b/; quoted paths allowed) or by diff -u,
// including the lines of [Omit] and [Lacking]. A diff without files gives an empty set. It returns a
// Malformed error for other text. A file whose path is invalid in a tree (see [CheckPath]) loses its hunks
// and records that. So do files of a diff that is too large to parse (see [bound]).
func Parse(raw []byte) (*Set, error) { return ParseContext(context.Background(), raw) }

// ParseContext is [Parse] for an untrusted diff: it stops with the context's error when the context ends.
func ParseContext(ctx context.Context, raw []byte) (*Set, error) {
	return parse(ctx, raw, func(err error) error { return err })
}

// ParseReadable is [ParseContext] for a diff with malformed files. It leaves those out.
func ParseReadable(ctx context.Context, raw []byte) (*Set, error) {
	return parse(ctx, raw, func(error) error { return nil })
}

// parse parses a diff. It asks malformed whether the error of a section ends it.
func parse(ctx context.Context, raw []byte, malformed func(error) error) (*Set, error) {
	set := &Set{}
	raw, set.Lacks = cutLacking(raw)
	sections, err := bound(split(raw), maxWeight)
	if err != nil {
		return nil, err
	}
	for i, section := range sections {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		files, err := parseSection(section)
		if err != nil {
			err = malformed(errs.Wrap(err, errs.Malformed, "diff_malformed", "The diff cannot be read at section %d.", i+1))
		}
		if err != nil {
			return nil, err
		}
		set.Files = append(set.Files, files...)
	}
	set.Identify(section)
	return set, nil
}

// parseSection parses the files of a section.
func parseSection(section []byte) (files []*File, err error) {
	plain, why := !bytes.HasPrefix(section, gitHeader), ""
	if !plain {
		section, why = cutOmitted(section)
		section = octalNames(section)
	}
	parsed, _, err := gitdiff.Parse(bytes.NewReader(section))
	if err != nil {
		return nil, err
	}
	for _, p := range parsed {
		if plain {
			p.OldName, p.NewName = trimPrefix(p.OldName), trimPrefix(p.NewName)
		}
		f, err := convert(p)
		if err != nil {
			return nil, err
		}
		f.Omitted = cmp.Or(f.Omitted, why)
		files = append(files, f)
	}
	return files, nil
}

// split splits a diff before every git header, so that a line of one file never counts as part of another.
// Lines of hunks start with a space, a sign or a backslash, so they cannot look like a header.
func split(raw []byte) [][]byte {
	var out [][]byte
	start := 0
	for at := 0; at < len(raw); {
		if at > start && bytes.HasPrefix(raw[at:], gitHeader) {
			out = append(out, raw[start:at])
			start = at
		}
		nl := bytes.IndexByte(raw[at:], '\n')
		if nl < 0 {
			break
		}
		at += nl + 1
	}
	if start < len(raw) {
		out = append(out, raw[start:])
	}
	return out
}

// escapes replaces two escapes by their octal forms, because go-gitdiff v0.9.0 does not read them at the
// end of a quoted path (a backslash before the closing quote).
var escapes = strings.NewReplacer(`\\`, `\134`, `\"`, `\042`)

// octalNames rewrites the quoted paths in the header lines of a git section. It drops the data of a binary
// patch, because it is not reviewed and could decompress to any size.
func octalNames(section []byte) []byte {
	var out []byte
	at := 0
	for at < len(section) {
		nl := bytes.IndexByte(section[at:], '\n')
		if nl < 0 {
			nl = len(section) - at - 1
		}
		line := section[at : at+nl+1]
		if bytes.HasPrefix(line, []byte("@@ ")) {
			break
		}
		if bytes.HasPrefix(line, []byte("GIT binary patch")) {
			return append(out, "Binary files differ\n"...)
		}
		if bytes.IndexByte(line, '\\') >= 0 && bytes.IndexByte(line, '"') >= 0 {
			line = []byte(escapes.Replace(string(line)))
		}
		out = append(out, line...)
		at += nl + 1
	}
	return append(out, section[at:]...)
}

// trimPrefix removes the prefix a/ or b/ that tools put before paths in plain diffs.
func trimPrefix(name string) string {
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		return name[2:]
	}
	return name
}

// Patch is a file in a host's list of changed files: hunks without git's header lines.
type Patch struct {
	Path, OldPath string
	Status        Status // Modified if empty
	Binary        bool
	Text          string // "" if absent: binary, omitted, or only a rename
	Omitted       string // why the text is left out, or ""
}

// FromPatches returns the set for a host's list of files, if no local git can make the diff. Its errors are
// those of [Parse].
func FromPatches(patches []Patch) (*Set, error) {
	set := &Set{}
	for i, p := range patches {
		g := &gitdiff.File{OldName: p.OldPath, NewName: p.Path, IsBinary: p.Binary}
		if p.Text != "" {
			parsed, _, err := gitdiff.Parse(strings.NewReader("--- a/f\n+++ b/f\n" + strings.TrimSuffix(p.Text, "\n") + "\n"))
			if err == nil && len(parsed) != 1 {
				err = errors.New("a patch must hold exactly the hunks of one file")
			}
			if err != nil {
				return nil, errs.Wrap(err, errs.Malformed, "diff_malformed", "The patch of file %d cannot be read.", i+1)
			}
			g.TextFragments = parsed[0].TextFragments
		}
		g.IsNew, g.IsDelete = p.Status == Added, p.Status == Deleted
		g.IsRename, g.IsCopy = p.Status == Renamed, p.Status == Copied
		if g.IsDelete {
			g.OldName, g.NewName = p.Path, ""
		} else if g.OldName == "" {
			g.OldName = p.Path
		}
		f, err := convert(g)
		if err != nil {
			return nil, errs.Wrap(err, errs.Malformed, "diff_malformed", "The patch of file %d cannot be read.", i+1)
		}
		f.Omitted = cmp.Or(f.Omitted, p.Omitted)
		set.Files = append(set.Files, f)
	}
	set.Identify(section)
	return set, nil
}

func convert(g *gitdiff.File) (*File, error) {
	f := &File{Path: g.NewName, Status: Modified, Binary: g.IsBinary, Mode: uint32(g.NewMode)}
	switch {
	case g.IsDelete:
		f.Status, f.Path = Deleted, g.OldName
	case g.IsRename:
		f.Status, f.OldPath = Renamed, g.OldName
	case g.IsCopy:
		f.Status, f.OldPath = Copied, g.OldName
	case g.IsNew:
		f.Status = Added
	}
	if f.Mode == 0 {
		f.Mode = uint32(g.OldMode)
	}
	if f.Path == "" || strings.IndexByte(f.Path+f.OldPath, 0) >= 0 {
		return nil, errors.New("a path must not be empty or hold NUL")
	}
	if CheckPath(f.Path) != nil || f.OldPath != "" && CheckPath(f.OldPath) != nil {
		f.Omitted = OmittedPath
		g.TextFragments = nil
	}
	for _, t := range g.TextFragments {
		h, err := convertHunk(f, t)
		if err != nil {
			return nil, err
		}
		f.Hunks = append(f.Hunks, h)
	}
	f.Class, f.Language = Classify(f.Path, nil)
	switch {
	case f.Mode == ModeSubmodule:
		f.Class, f.Language = ClassSubmodule, ""
	case f.Mode == ModeSymlink:
		f.Class, f.Language = ClassSymlink, ""
	case f.Binary:
		f.Class, f.Language = ClassBinary, ""
	}
	return f, nil
}

func convertHunk(f *File, t *gitdiff.TextFragment) (*Hunk, error) {
	if t.OldPosition < 0 || t.NewPosition < 0 || t.OldPosition > maxLine || t.NewPosition > maxLine ||
		t.OldLines < 0 || t.NewLines < 0 || t.OldLines > maxLine || t.NewLines > maxLine {
		return nil, errors.New("the line numbers of a hunk are out of range")
	}
	h := &Hunk{
		OldStart: int(t.OldPosition), OldLines: int(t.OldLines), NewStart: int(t.NewPosition), NewLines: int(t.NewLines),
		Section: strings.TrimRight(t.Comment, " \r\n"), Lines: make([]Line, 0, len(t.Lines)),
	}
	if (h.OldLines > 0 && h.OldStart == 0) || (h.NewLines > 0 && h.NewStart == 0) {
		return nil, errors.New("a hunk with lines must start at line 1 or later")
	}
	oldNo, newNo := h.OldStart, h.NewStart
	for _, gl := range t.Lines {
		l := Line{Op: Context}
		body, ended := strings.CutSuffix(gl.Line, "\n")
		l.Text, l.NoEOL = strings.TrimSuffix(body, "\r"), !ended
		switch gl.Op {
		case gitdiff.OpAdd:
			l.Op = Add
			f.Additions++
		case gitdiff.OpDelete:
			l.Op = Delete
			f.Deletions++
		}
		if l.Op != Add {
			l.Old = oldNo
			oldNo++
		}
		if l.Op != Delete {
			l.New = newNo
			newNo++
		}
		h.Lines = append(h.Lines, l)
	}
	if oldNo != h.OldStart+h.OldLines || newNo != h.NewStart+h.NewLines {
		return nil, errors.New("a hunk does not hold as many lines as its header says")
	}
	return h, nil
}

// CheckPath returns an error for a path that is invalid in a git tree or would leave a folder that it is
// joined to. Line breaks, quotes and bytes outside UTF-8 are valid. The error does not contain the path.
func CheckPath(path string) error {
	if path == "" || strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return errors.New("a path must be relative, not empty and without NUL")
	}
	for element := range strings.SplitSeq(path, "/") {
		if element == "" || element == "." || element == ".." || strings.EqualFold(element, ".git") {
			return errors.New(`a path must not have an empty element, ".", ".." or ".git"`)
		}
	}
	return nil
}
