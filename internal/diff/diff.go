// Package diff parses unified diffs into files, hunks and numbered lines, says
// where a comment may stand, maps lines over a change and classifies paths.
//
// Everything here is a pure function over bytes. Running git, reading blobs and
// deciding what is reviewed do not live here.
package diff

import (
	"sync"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
)

// Set is a parsed unified diff. After [Parse] only [Set.Identify] changes it, and
// it may be read by several goroutines. Its list of files is complete before the
// first look for one.
type Set struct {
	Files []*File
	// Lacks says in a sentence what the diff as a whole does not hold, "" for nothing.
	Lacks string `json:",omitempty"`

	once   sync.Once
	places index
}

// Status says what happened to a file.
type Status string

// The statuses of a file.
const (
	Added    Status = "added"
	Modified Status = "modified"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// Git's modes of entries that are not plain files (gitformat-index, "mode").
const (
	ModeSymlink   = 0o120000
	ModeSubmodule = 0o160000

	modeExecutable = 0o100755
)

// File is one changed file.
type File struct {
	Path     string // new path; the old one for a deleted file. May hold any byte but NUL: escape it
	OldPath  string // path at the merge base of a renamed or copied file, else ""
	Status   Status
	Binary   bool // for git, which shows no hunks; it may still be a text, see [File.Rewrite]
	Hunks    []*Hunk
	Class    Class
	Language string // name as in Linguist, "" if unknown

	// Omitted says why the hunks of the file are not in the diff, "" where they are.
	Omitted string `json:",omitempty"`

	// Note says what is special about the class; see [File.Judge]. "" for nothing.
	Note string `json:",omitempty"`

	// Whole says that the lines are all of a file that became something else by another name or
	// mode, see [File.Becomes]: the host shows fewer, so that no comment can stand on one.
	Whole bool `json:",omitempty"`

	// WasOut says that .gitattributes took the file out of review under its old path.
	WasOut bool `json:",omitempty"`

	// Transcoded says that the lines are a reading of bytes that are not UTF-8, so that a line
	// of the text is not one of the file.
	Transcoded bool `json:",omitempty"`

	// AnyPath lets findings stand on lines at a path that is not UTF-8, where no host has to name it.
	AnyPath bool `json:",omitempty"`

	Additions, Deletions int    // lines
	Mode                 uint32 // git mode of the newer version that exists, 0 if the diff does not say
}

// Hunk is one run of changed lines with its context.
type Hunk struct {
	ID                                     string // see [Set.Identify]
	OldStart, OldLines, NewStart, NewLines int    // as in the @@ header: 1-based, 0 for an empty side
	Section                                string // text after the second @@, what git takes for the function
	Lines                                  []Line
}

// Op is the kind of a line.
type Op byte

// The kinds of lines.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk.
type Line struct {
	Op       Op
	Old, New int    // 1-based numbers, 0 where the line is absent on that side
	Text     string // without its line ending (LF or CRLF)
	NoEOL    bool   // the last line of a file that does not end with a newline
}

// Lines returns how many lines were added or deleted in the whole set.
func (s *Set) Lines() int {
	n := 0
	for _, f := range s.Files {
		n += f.Additions + f.Deletions
	}
	return n
}

// CanonicalPath is the path by which the file is known over time: the one at
// the merge base if it was renamed, else its path.
func (f *File) CanonicalPath() string {
	if f.Status == Renamed && f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// BasePath is the path at the merge base, "" for an added file and for one that is shown
// [File.Whole], as what it was there is something else.
func (f *File) BasePath() string {
	switch {
	case f.Status == Added || f.Whole:
		return ""
	case f.OldPath != "":
		return f.OldPath
	}
	return f.Path
}

// Commentable reports whether a line of a side is visible in the diff, and in
// which hunk. Nothing is commentable in a binary file, nor, unless the file is AnyPath, in one
// that is shown Whole or at a path that is not UTF-8.
func (f *File) Commentable(side domain.Side, line int) (*Hunk, bool) {
	if line <= 0 || f.Binary || !f.AnyPath && (f.Whole || !utf8.ValidString(f.Path)) {
		return nil, false
	}
	for _, h := range f.Hunks {
		if first, last, ok := h.Range(side); ok && line >= first && line <= last {
			return h, true
		}
	}
	return nil, false
}

// Range returns the first and last line that a hunk shows of a side, context
// included; false if it shows none.
func (h *Hunk) Range(side domain.Side) (first, last int, ok bool) {
	start, n := h.NewStart, h.NewLines
	if side == domain.Left {
		start, n = h.OldStart, h.OldLines
	}
	return start, start + n - 1, n > 0
}

// Changed reports whether the hunk adds (RIGHT) or removes (LEFT) a line
// between first and last, inclusive.
func (h *Hunk) Changed(side domain.Side, first, last int) bool {
	for _, l := range h.Lines {
		if side == domain.Left && l.Op == Delete && l.Old >= first && l.Old <= last {
			return true
		}
		if side != domain.Left && l.Op == Add && l.New >= first && l.New <= last {
			return true
		}
	}
	return false
}
