package lookup

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the files that tools show. Searching one megabyte for secrets takes a second.
const (
	maxToolFile = 1 << 20 // bytes of a file
	maxLooked   = 8 << 20 // bytes of all files of a review, each version counted once
)

// Texts to a model about paths that are not shown.
const (
	sayPath      = `That is no path of the repository: paths begin at its top, without a slash, and have no empty part, ".", ".." or ".git".`
	sayExcluded  = "The policy of the repository excludes that file: it is not shown."
	sayAbsent    = "There is no such file in that version of the repository."
	sayNoFolder  = "There is no such folder at the head of the change."
	sayFolder    = "That is a folder: list shows what stands in it."
	sayFile      = "That is no folder: read_file shows a file."
	sayLink      = "That is a symbolic link, which is not followed."
	saySubmodule = "That is a submodule: its files belong to another repository."
	sayBinary    = "That is a binary file: it is not shown."
	sayLarge     = "That file is too large to be shown."
	sayWithheld  = "That file is not shown: it could not be searched for secrets within bounds."
	sayReadUp    = "The files that may be read for this review are used up: answer with what you have."
	sayEmpty     = "That file is empty."
)

// File is a version of a file that tools show, without secrets.
type File struct {
	Path, language string
	Lines          []string     // without newlines
	added          map[int]bool // numbers of lines that the change added
	outline        *structure.Outline
}

// symbol returns the name of the symbol around a line, for a heading.
func (f *File) symbol(line int) string {
	s, _ := f.outline.Enclosing(line)
	return change.ShowInvisible(s.Name)
}

// opened is a version of a file, or the reason why it is not shown.
type opened struct {
	file *File
	why  string
}

// Open returns a version of a file, or a sentence that says why models must not see it. It keeps both for
// later calls, unless the reason may be temporary.
func (t *Toolbox) Open(ctx context.Context, side domain.Side, path string) (*File, string) {
	key := string(side) + ":" + path
	t.mu.Lock()
	known, done := t.files[key]
	t.mu.Unlock()
	if done {
		return known.file, known.why
	}
	f, why := t.readFile(ctx, side, path)
	if f != nil || why != ask.ResultTooSlow && why != ask.ResultFailed && len(path) <= maxArguments {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.files[key] = opened{f, why}
	}
	return f, why
}

// readFile reads a version of a file without its secrets.
func (t *Toolbox) readFile(ctx context.Context, side domain.Side, path string) (*File, string) {
	if why := t.closed(ctx, side, path); why != "" {
		return nil, why
	}
	raw, err := t.Raw.Blob(ctx, side, path)
	if err != nil {
		return nil, t.sentence(ctx, err, sayAbsent)
	}
	class, language := diff.Classify(path, raw)
	switch {
	case len(raw) > maxToolFile:
		return nil, sayLarge
	case class == diff.ClassBinary:
		return nil, sayBinary
	case len(raw) == 0:
		return nil, sayEmpty
	case !t.spend(len(raw)):
		return nil, sayReadUp
	}
	clean, err := t.Source.Blob(ctx, side, path)
	if err != nil {
		t.spend(-len(raw))
		return nil, t.sentence(ctx, err, sayWithheld)
	}
	f := &File{Path: path, language: language, Lines: change.Lines(clean), outline: structure.Read(language, clean)}
	for i, l := range f.Lines {
		f.Lines[i] = strings.TrimSuffix(l, "\r")
	}
	if side == domain.Right {
		f.added = addedLines(t.Set.File(path))
	}
	return f, ""
}

// addedLines returns the numbers of the lines that a change adds to a file. f may be nil.
func addedLines(f *diff.File) map[int]bool {
	if f == nil {
		return nil
	}
	added := map[int]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				added[l.New] = true
			}
		}
	}
	return added
}

// closed returns why a path is not read, or "" for an ordinary file.
func (t *Toolbox) closed(ctx context.Context, side domain.Side, path string) string {
	switch {
	case diff.CheckPath(path) != nil:
		return sayPath
	case change.Hides(t.Policy, path):
		return sayExcluded
	case t.folders == nil:
		return ""
	}
	e, err := t.folders.Entry(ctx, side, path)
	if err != nil {
		return t.sentence(ctx, err, sayAbsent)
	}
	return notShown(e)
}

// notShown returns why an entry is not shown, or "" for an ordinary file.
func notShown(e snapshot.Entry) string {
	switch {
	case e.Mode == snapshot.ModeFolder:
		return sayFolder
	case e.Mode == diff.ModeSymlink:
		return sayLink
	case e.Mode == diff.ModeSubmodule:
		return saySubmodule
	case e.Size > maxToolFile:
		return sayLarge
	}
	return ""
}

// spend takes n of the bytes that may still be read, and returns false if fewer are left.
func (t *Toolbox) spend(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > t.room {
		return false
	}
	t.room -= n
	return true
}

// readable returns how many bytes may still be read.
func (t *Toolbox) readable() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.room
}

// sentence returns the sentence to a model about an error: absent for a missing file, else that time ran
// out or that the call failed. Failures are logged.
func (t *Toolbox) sentence(ctx context.Context, err error, absent string) string {
	switch {
	case ctx.Err() != nil:
		return ask.ResultTooSlow
	case errors.Is(err, fs.ErrNotExist):
		return absent
	}
	t.Logger.WarnContext(ctx, "a tool could not look something up", slog.Any("error", err))
	return ask.ResultFailed
}
