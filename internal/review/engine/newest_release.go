package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of questions about the newest release (design choices: a claim rarely removes names of more than one file).
const (
	maxReleased  = 4                // files
	releasedTime = 20 * time.Second // for a file; the first also lists the tags
)

// newestRelease has the files of the newest release that defined names which the change removes, by their path at the merge base. Code
// outside the repository may use these names. It is nil if the source of the change cannot read releases.
type newestRelease map[string]*releasedFile

// releasedFile is a file of the newest release.
type releasedFile struct {
	version string // "": no release
	defined []structure.Contract
	whole   bool // defined has all definitions of the file
	err     error
}

// newestRelease reads the files that claims ask about, in the order of the claims, before conversations run in parallel.
func (w *work) newestRelease(ctx context.Context, due []*finding.Item) newestRelease {
	src, is := w.bounds.Source.(snapshot.Releaser)
	if !is {
		return nil
	}
	out := newestRelease{}
	for _, it := range due {
		for _, s := range removedBy(it, w.set.File(it.Anchor.Path), w.related) {
			if path := s.File.BasePath(); out[path] == nil && len(out) < maxReleased {
				out[path] = readReleased(ctx, src, path, s.File.Language, w.deps.Logger)
			}
		}
	}
	return out
}

func readReleased(ctx context.Context, src snapshot.Releaser, path, language string, logger *slog.Logger) *releasedFile {
	bounded, cancel := context.WithTimeout(ctx, releasedTime)
	defer cancel()
	version, content, err := src.Released(bounded, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		logger.WarnContext(ctx, "the newest release could not be read", "error", err)
	}
	f := &releasedFile{version: change.OneLine(change.StripInvisible(version)), defined: structure.Contracts(language, content), err: err}
	f.whole = len(content) == 0 || len(f.defined) > 0 && len(f.defined) < structure.MaxContracts
	return f
}

// describe returns a line about a symbol of the base, or "" if there is no release.
func (n newestRelease) describe(s *around.Symbol) string {
	path := s.File.BasePath()
	f, name, shown := n[path], change.OneLine(s.Name), change.CleanPath(path)
	switch {
	case f == nil:
		return fmt.Sprintf("[%s was not looked up: a review reads at most %d files of the newest release]\n", name, maxReleased)
	case f.version != "" && errors.Is(f.err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not have the file %s\n", f.version, shown)
	case f.err != nil:
		return "[the newest release could not be read]\n"
	case f.version == "":
		return ""
	}
	if i := slices.IndexFunc(f.defined, func(c structure.Contract) bool { return c.Name == s.Name }); i >= 0 {
		return fmt.Sprintf("%s defines %s at %s:%d\n", f.version, name, shown, f.defined[i].Start)
	}
	if !f.whole {
		return fmt.Sprintf("[%s in %s could not be read whole]\n", shown, f.version)
	}
	return fmt.Sprintf("%s does not define %s in %s\n", f.version, name, shown)
}

// releaseNote returns a line for each symbol that the claimed lines defined before the change and that the change removes or renames.
func (c *claim) releaseNote(s scene, v view) string {
	if s.release == nil || v.margin < leastMargin {
		return ""
	}
	var b strings.Builder
	for _, symbol := range removedBy(c.it, c.set.File(c.it.Anchor.Path), s.related) {
		b.WriteString(s.release.describe(symbol))
	}
	return b.String()
}

// removedBy returns the symbols that the lines of a claim defined before the change and that the change removes or renames.
func removedBy(it *finding.Item, f *diff.File, related around.Relations) []*around.Symbol {
	a := it.Anchor
	if a.Side != domain.Left {
		return nil
	}
	return related.GoneFrom(f, a.StartLine, a.EndLine)
}
