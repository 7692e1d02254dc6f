// Package diff parses unified diffs into files, hunks and numbered lines, finds the lines that comments can
// be placed on, maps lines across a change and classifies files.
//
// All functions are pure functions over bytes. The package does not run git, read blobs or decide what is
// reviewed.
package diff

import (
	"sync"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
)

// Set is a parsed unified diff. Only [Set.Identify] and [Set.Apply] change it after [Parse]. Several
// goroutines may read it. Complete its list of files before the first lookup of a file.
type Set struct {
	Files []*File
	// Lacks is a sentence about the parts that the diff as a whole lacks, or "".
	Lacks string `json:",omitempty"`

	once   sync.Once
	places index
}

// Status is the kind of change of a file.
type Status string

// The statuses of a file.
const (
	Added    Status = "added"
	Modified Status = "modified"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// Git's modes of special entries (gitformat-index, "mode").
const (
	ModeSymlink   = 0o120000
	ModeSubmodule = 0o160000

	modeExecutable = 0o100755
)

// File is one changed file.
type File struct {
	Path     string // new path, or the old one of a deleted file; may contain any byte but NUL, so escape it
	OldPath  string // path at the merge base of a renamed or copied file, otherwise ""
	Status   Status
	Binary   bool // git shows no hunks; the file may still be text, see [File.Rewrite]
	Hunks    []*Hunk
	Class    Class
	Language string // name as in Linguist, "" if unknown

	// Omitted is why the diff lacks the hunks of the file, or "".
	Omitted string `json:",omitempty"`

	// Note describes what is special about the class, or ""; see [File.Judge].
	Note string `json:",omitempty"`

	// Whole means that the lines are a whole file that became something else by a new name or mode; see
	// [File.Becomes]. The host shows fewer lines, so that comments on these lines are impossible.
	Whole bool `json:",omitempty"`

	// WasOut means that .gitattributes excluded the file from review under its old path.
	WasOut bool `json:",omitempty"`

	// Transcoded means that the lines were decoded from bytes that are not UTF-8, so that they differ from
	// those in the file.
	Transcoded bool `json:",omitempty"`

	// AnyPath allows findings on lines at a path that is not UTF-8, for callers that do not name it to a
	// host.
	AnyPath bool `json:",omitempty"`

	Additions, Deletions int    // lines
	Mode                 uint32 // git mode of the newest existing version; 0 if the diff has no mode
}

// Hunk is one run of changed lines with its context.
type Hunk struct {
	ID                                     string // see [Set.Identify]
	OldStart, OldLines, NewStart, NewLines int    // as in the @@ header: 1-based, 0 for an empty side
	Section                                string // text after the second @@, usually the enclosing function
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
	NoEOL    bool   // last line of a file without a final newline
}

// Lines returns the number of added and deleted lines of the set.
func (s *Set) Lines() int {
	n := 0
	for _, f := range s.Files {
		n += f.Additions + f.Deletions
	}
	return n
}

// CanonicalPath returns the path that identifies the file over time: its path at the merge base if the file
// was renamed, otherwise its path.
func (f *File) CanonicalPath() string {
	if f.Status == Renamed && f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// BasePath returns the path at the merge base. It returns "" for an added file, and for a [File.Whole] one
// because its old content was something else.
func (f *File) BasePath() string {
	switch {
	case f.Status == Added || f.Whole:
		return ""
	case f.OldPath != "":
		return f.OldPath
	}
	return f.Path
}

// Commentable reports whether the diff shows a line of a side, and in which hunk. It returns false for
// binary files. Unless the file is AnyPath, it also returns false for Whole files and for paths that are
// not UTF-8.
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

// Range returns the first and last line that a hunk shows of a side, including context, and false if it
// shows none.
func (h *Hunk) Range(side domain.Side) (first, last int, ok bool) {
	start, n := h.NewStart, h.NewLines
	if side == domain.Left {
		start, n = h.OldStart, h.OldLines
	}
	return start, start + n - 1, n > 0
}

// Changed reports whether the hunk adds (RIGHT) or removes (LEFT) a line from first to last, inclusive.
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
