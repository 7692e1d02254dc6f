package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of questions about the newest release (design choices: a claim rarely removes names of more than one file).
const (
	maxReleased  = 4                // files
	releasedTime = 20 * time.Second // for a file; the first also lists the tags
)

// newestRelease tells whether the newest release defines names that the change removes: code outside the repository may use those. It is
// safe for concurrent use; nil knows no release.
type newestRelease struct {
	src    snapshot.Releaser
	logger *slog.Logger

	mu    sync.Mutex
	files map[string]*releasedFile // by their path at the merge base
}

// releasedFile is a file of the newest release.
type releasedFile struct {
	version string // "": no release
	content []byte
	err     error
}

// newestRelease returns what the source of the change knows about releases, or nil.
func (w *work) newestRelease() *newestRelease {
	if src, is := w.bounds.Source.(snapshot.Releaser); is {
		return &newestRelease{src: src, logger: w.deps.Logger, files: map[string]*releasedFile{}}
	}
	return nil
}

// file reads a file of the newest release once. It returns nil beyond [maxReleased] files.
func (n *newestRelease) file(ctx context.Context, path string) *releasedFile {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.files[path]; f != nil || len(n.files) == maxReleased {
		return f
	}
	bounded, cancel := context.WithTimeout(ctx, releasedTime)
	defer cancel()
	f := &releasedFile{}
	f.version, f.content, f.err = n.src.Released(bounded, path)
	if f.err != nil && !errors.Is(f.err, fs.ErrNotExist) && ctx.Err() == nil {
		n.logger.WarnContext(ctx, "the newest release could not be read", "error", f.err)
	}
	n.files[path] = f
	return f
}

// defines writes a line about a symbol of the base, or "" if there is no release.
func (n *newestRelease) defines(ctx context.Context, s *around.Symbol) string {
	path, name := s.File.BasePath(), change.OneLine(s.Name)
	f := n.file(ctx, path)
	shown, version := change.CleanPath(path), ""
	if f != nil {
		version = change.OneLine(change.StripInvisible(f.version))
	}
	switch {
	case f == nil:
		return fmt.Sprintf("[not looked up for %s: a review reads %d files of the newest release]\n", name, maxReleased)
	case version != "" && errors.Is(f.err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not have the file %s\n", version, shown)
	case f.err != nil:
		return "[the newest release could not be read]\n"
	case version == "":
		return ""
	}
	found := structure.Definitions(path, s.File.Language, f.content, map[string]bool{s.Base(): true}, len(f.content))
	found = append(found, structure.Members(path, s.File.Language, f.content, s.Base(), len(f.content))...)
	for _, p := range found {
		if p.Symbol == s.Name {
			return fmt.Sprintf("%s defines %s at %s:%d\n", version, name, shown, p.Start)
		}
	}
	return fmt.Sprintf("%s does not define %s in %s\n", version, name, shown)
}

// released writes whether the newest release defines the symbols which the claimed lines defined before the change.
func (c *claim) released(ctx context.Context, s scene, v view) string {
	if s.release == nil || v.margin < leastMargin {
		return ""
	}
	var b strings.Builder
	for _, symbol := range c.gone(s) {
		b.WriteString(s.release.defines(ctx, symbol))
	}
	return b.String()
}

// gone returns the symbols that the claimed lines defined before the change and that the change removes or renames.
func (c *claim) gone(s scene) []*around.Symbol {
	a := c.it.Anchor
	if a.Side != domain.Left {
		return nil
	}
	return s.related.GoneFrom(c.set.File(a.Path), a.StartLine, a.EndLine)
}
