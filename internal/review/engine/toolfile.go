package engine

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the files that tools show: to search one for secrets takes a second for a
// megabyte.
const (
	maxToolFile = 1 << 20 // bytes of a file
	maxLooked   = 8 << 20 // of all files of a review, each version counted once
)

// Sentences to a model about paths of which nothing is shown.
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
	sayRead      = "The files that may be read for this review are used up: answer with what you have."
	sayEmpty     = "That file is empty."
)

// looked is a version of a file that tools show, without secrets.
type looked struct {
	path, language string
	lines          []string // without their ends
	outline        *structure.Outline

	once  sync.Once
	shown shownText // as it is weighed, see [looked.weighed]
}

// symbol is the name of the symbol around a line, fit for a heading.
func (f *looked) symbol(line int) string {
	s, _ := f.outline.Enclosing(line)
	return change.ShowInvisible(s.Name)
}

// opened is a version of a file, or why there is nothing to see of it.
type opened struct {
	file *looked
	why  string
}

// open reads a version of a file of which models may see something, else it says why
// not. Both are kept, but for what may be otherwise the next time.
func (t *toolbox) open(ctx context.Context, side domain.Side, path string) (*looked, string) {
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
func (t *toolbox) readFile(ctx context.Context, side domain.Side, path string) (*looked, string) {
	if why := t.closed(ctx, side, path); why != "" {
		return nil, why
	}
	raw, err := t.w.bounds.Blob(ctx, side, path)
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
		return nil, sayRead
	}
	clean, err := t.w.src.Blob(ctx, side, path)
	if err != nil {
		t.spend(-len(raw))
		return nil, t.sentence(ctx, err, sayWithheld)
	}
	f := &looked{path: path, language: language, lines: change.Lines(clean), outline: structure.Read(language, clean)}
	for i, l := range f.lines {
		f.lines[i] = strings.TrimSuffix(l, "\r")
	}
	return f, ""
}

// closed says why nothing of a path is read, "" where it is a file like any other.
func (t *toolbox) closed(ctx context.Context, side domain.Side, path string) string {
	switch {
	case diff.CheckPath(path) != nil:
		return sayPath
	case glob.Any(t.w.in.Policy.Paths.Exclude, path):
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

// notShown says why nothing of an entry is shown, "" for a file like any other.
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

// spend takes bytes of what may be read; false where so many are not left.
func (t *toolbox) spend(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > t.room {
		return false
	}
	t.room -= n
	return true
}

// readable is how many bytes may still be read.
func (t *toolbox) readable() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.room
}

// sentence is what a model is told of an error: what an absent file means here, that
// the time was over, or that something failed, which is logged.
func (t *toolbox) sentence(ctx context.Context, err error, absent string) string {
	switch {
	case ctx.Err() != nil:
		return ask.ResultTooSlow
	case errors.Is(err, fs.ErrNotExist):
		return absent
	}
	t.w.deps.Logger.WarnContext(ctx, "a tool could not look something up", slog.Any("error", err))
	return ask.ResultFailed
}
